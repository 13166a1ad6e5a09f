"""The recipes of packaging/ name the version of include/graze/version.h."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Packaging(unittest.TestCase):
    def test_recipes_have_the_version_of_the_library(self):
        numbers = re.findall(r"define GRAZE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                             (ROOT / "include/graze/version.h").read_text())
        for recipe in ("vcpkg/graze/vcpkg.json", "conda/meta.yaml"):
            found = re.search(r'version"?\s*[:=]\s*"([\d.]+)"', (ROOT / "packaging" / recipe).read_text())
            self.assertEqual(found[1], ".".join(numbers), recipe)


if __name__ == "__main__":
    unittest.main()
