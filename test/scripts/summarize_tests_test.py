"""summarize_tests counts what passed, failed and was skipped, and gives the reasons."""

import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import summarize_tests  # noqa: E402

RESULTS = """<testsuite name="x" tests="7">
  <testcase name="A.Passes" status="run"><system-out>[       OK ] A.Passes</system-out></testcase>
  <testcase name="A.Fails" status="fail"><failure message=""/><system-out>wrong</system-out></testcase>
  <testcase name="B.Data" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
    <system-out>[ RUN      ] B.Data
test/b_test.cpp:7: Skipped
set GRAZE_DATA

[  SKIPPED ] B.Data (0 ms)</system-out></testcase>
  <testcase name="B.More" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
    <system-out>test/b_test.cpp:9: Skipped
set GRAZE_DATA
</system-out></testcase>
  <testcase name="web" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
    <system-out>SKIPPED: chromium is not installed
</system-out></testcase>
  <testcase name="mute" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out/></testcase>
  <testcase name="C.Late" status="notrun"><skipped message="Fixture dependency failed"/></testcase>
</testsuite>"""


class SummarizeTests(unittest.TestCase):
    def test_counts_and_reasons(self):
        self.assertEqual(
            list(summarize_tests.summary(xml.etree.ElementTree.fromstring(RESULTS))),
            [
                "test: 1 of 3 tests passed, 4 were skipped",
                "test: skipped 2: set GRAZE_DATA",
                "test: skipped 1: chromium is not installed",
                "test: skipped 1: no reason printed",
                "test: failed: A.Fails",
                "test: failed: C.Late (not run: Fixture dependency failed)",
            ],
        )


if __name__ == "__main__":
    unittest.main()
