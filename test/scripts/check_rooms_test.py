"""check_rooms finds every kind of offence, and nothing in a tree without one."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import check_rooms  # noqa: E402

HOUSE = {
    "src/graze/graze.h": '#include "graze/narrow/method.h"\n#include "graze/exact/sign.h"\n',
    "src/graze/earliest.cpp": '#include "graze/narrow/method.h"\n',
    "src/graze/core/query.h": "#include <array>\n",
    "src/graze/exact/sign.h": '#include "graze/core/query.h"\n',
    "src/graze/narrow/method.h": '#include "graze/core/query.h"\n',
    "src/graze/narrow/method.cpp": '#include <array>\n#include "graze/narrow/method.h"\n'
    '#include "graze/narrow/cubic.h"\n#include "graze/narrow/boxes.h"\n'
    '#include "graze/narrow/rivals/parity.h"\n',
    "src/graze/narrow/cubic.h": '#include "graze/narrow/method.h"\n',
    "src/graze/narrow/cubic_simd.cpp": '#include "graze/narrow/cubic.h"\n',
    "src/graze/narrow/boxes.h": '// std::cout << "quoted"\n#include "graze/exact/sign.h"\n',
    "src/graze/narrow/rivals/parity.h": '#include "graze/narrow/method.h"\n',
    "src/graze/io/files.cpp": '#include <cstdio>\n#include "graze/core/query.h"\n',
    "test/io/files_test.cpp": '#include "graze/narrow/cubic.h"\n',
}


class CheckRooms(unittest.TestCase):
    def offences(self, changed={}):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**HOUSE, **changed}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(check_rooms.offences(Path(folder)))

    def test_a_clean_house_has_no_offence(self):
        self.assertEqual(self.offences(), [])

    def test_each_offence_is_one_line(self):
        for name, text, reason in [
            ("src/graze/core/query.h", '#include "graze/exact/sign.h"\n', "core may not include"),
            ("src/graze/exact/sign.h", '#include "graze/earliest.h"\n', "does not exist"),
            ("src/graze/io/files.cpp", '#include "graze/exact/sign.h"\n', "io may not include"),
            ("src/graze/narrow/boxes.h", '#include "graze/narrow/cubic.h"\n', "the method"),
            ("src/graze/narrow/boxes.h", '#include "graze/narrow/rivals/parity.h"\n', "the rival"),
            ("src/graze/earliest.cpp", '#include "graze/narrow/rivals/parity.h"\n', "the rival"),
            ("src/graze/graze.h", '#include "graze/narrow/rivals/parity.h"\n', "the rival"),
            ("src/graze/cellar/wine.h", "", "no room is called cellar"),
            ("src/graze/exact/sign.h", "#include <iostream>\n", "only io prints"),
            ("src/graze/exact/sign.h", 'void f() { printf("x"); }\n', "prints"),
            ("src/graze/exact/sign.h", '#include "bench/measure.h"\n', "not below graze/"),
            ("test/io/files_test.cpp", '#include "graze/io/gone.h"\n', "does not exist"),
        ]:
            with self.subTest(name=name, text=text):
                found = self.offences({name: text})
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(name) and reason in found[0], found)


if __name__ == "__main__":
    unittest.main()
