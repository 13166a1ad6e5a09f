"""Only scripts have a default folder of real data, ../shared/data, and each exports GRAZE_DATA where it exists."""

import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("scripts", ".ci", "include", "src", "apps", "bench", "bindings", "cmake", "examples")
DEFAULT = """if [ -z "${GRAZE_DATA:-}" ] && [ -d ../shared/data ]; then
  GRAZE_DATA=$(realpath ../shared/data)
  export GRAZE_DATA
fi
"""


class DataFolder(unittest.TestCase):
    def test_no_program_reads_a_folder_that_grazedata_does_not_name(self):
        exporting = set()
        for folder in FOLDERS:
            for file in (ROOT / folder).rglob("*"):
                if not file.is_file() or file.suffix in (".pyc", ".json"):
                    continue
                text = file.read_text(errors="replace")
                name = str(file.relative_to(ROOT))
                if DEFAULT in text:
                    exporting.add(name)
                hidden = [line for line in text.replace(DEFAULT, "").splitlines()
                          if "shared/data" in line and not line.startswith("#")]
                self.assertEqual(hidden, [], name)
        self.assertEqual(exporting, {".ci/run", "scripts/test", "scripts/soak", "scripts/test_wasm"})


if __name__ == "__main__":
    unittest.main()
