"""The checks of scripts/docs find what they are for: dead links and public symbols without a comment."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SITE = Path(__file__).resolve().parents[2] / "docs/site"
sys.path.insert(0, str(SITE))
import doxygen_filter  # noqa: E402

MEMBERS = """<doxygen><compounddef kind="struct" prot="public"><compoundname>graze::Thing</compoundname>
<briefdescription>{about}</briefdescription><location file="thing.h"/>
<memberdef kind="function" prot="public"><name>turn</name><argsstring>(int times)</argsstring>
<briefdescription>{member}</briefdescription><location file="thing.h" line="7"/></memberdef></compounddef></doxygen>"""


class Site(unittest.TestCase):
    def run_check(self, script, name, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_text(text)
            run = subprocess.run([sys.executable, "-B", SITE / script, folder], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_dead_links_and_anchors_are_found(self):
        page = '<a href="{}">x</a><p id="here"></p>'
        self.assertEqual(self.run_check("check_links.py", "a.html", page.format("a.html#here"))[0], 0)
        for link, reason in (("b.html", "no such file"), ("#there", "no such anchor"), ("a.html#there", "no such anchor")):
            code, output = self.run_check("check_links.py", "a.html", page.format(link))
            self.assertEqual(code, 1, link)
            self.assertIn(f"a.html: {link}: {reason}", output)

    def test_imports_that_fail_are_found(self):
        for name, text, reason in (
            ("a.css", "@import url(/b.css);", "a.css: /b.css: no such file"),
            ("a.css", "p { background: url('b.png') }", "a.css: b.png: no such file"),
            ("a.js", 'import B from "./b.js";', "a.js: ./b.js: imported by a plain script"),
        ):
            code, output = self.run_check("check_links.py", name, text)
            self.assertEqual(code, 1, text)
            self.assertIn(reason, output)
        for name, text in (("a.css", "p { background: url(data:image/png;base64,AA) }"), ("a.js", "var a = 1;")):
            self.assertEqual(self.run_check("check_links.py", name, text)[0], 0, text)

    def test_symbols_without_a_comment_are_found(self):
        self.assertEqual(self.run_check("check_members.py", "a.xml", MEMBERS.format(about="A thing.", member="Turns."))[0], 0)
        code, output = self.run_check("check_members.py", "a.xml", MEMBERS.format(about="A thing.", member=""))
        self.assertEqual((code, output.strip()), (1, "thing.h:7: graze::Thing::turn(int times)"))
        code, output = self.run_check("check_members.py", "a.xml", MEMBERS.format(about="", member="Turns."))
        self.assertEqual((code, output.strip()), (1, "thing.h: graze::Thing"))

    def test_the_text_of_a_promise_may_begin_with_the_number_of_another(self):
        lines = [" (1) Its promises (2) to", "     (3) hold.", " (2) The second."]
        self.assertEqual([line for line in doxygen_filter.block(lines) if line],
                         ["- (1) Its promises (2) to", "  (3) hold.", "- (2) The second."])


if __name__ == "__main__":
    unittest.main()
