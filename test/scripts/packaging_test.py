"""The recipes of packaging/ and CITATION.cff name the version of include/graze/version.h."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Packaging(unittest.TestCase):
    def test_recipes_have_the_version_of_the_library(self):
        numbers = re.findall(r"define GRAZE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                             (ROOT / "include/graze/version.h").read_text())
        for file in ("packaging/vcpkg/graze/vcpkg.json", "packaging/conda/meta.yaml", "CITATION.cff"):
            found = re.search(r'^[^#\n]*(?<![-\w])version"?\s*[:=]\s*"?(\d+\.\d+\.\d+)"?', (ROOT / file).read_text(), re.M)
            self.assertEqual(found[1], ".".join(numbers), file)


if __name__ == "__main__":
    unittest.main()
