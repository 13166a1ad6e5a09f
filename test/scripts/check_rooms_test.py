"""check_rooms finds every kind of offence, and none in a tree that follows the plan."""

import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import check_rooms  # noqa: E402

PLAN = {
    "include/graze/graze.h": '#include "graze/method.h"\n#include "graze/step.h"\n',
    "include/graze/query.h": "#include <Eigen/Core>\n#include <array>\n",
    "include/graze/method.h": '#include "graze/query.h"\n',
    "include/graze/step.h": '#include "graze/method.h"\n',
    "include/graze/rigid/body.h": '#include "graze/query.h"\n',
    "include/graze/io/mesh_files.h": '#include "graze/query.h"\n',
    "src/graze/core/numeric/sum.h": "#include <cmath>\n",
    "src/graze/exact/arena/root.h": '#include "graze/query.h"\n',
    "src/graze/exact/judge/oracle.h": '#include "graze/query.h"\n',
    "src/graze/exact/judge/oracle.cpp": "#include <boost/multiprecision/cpp_int.hpp>\n"
    '#include "graze/exact/judge/oracle.h"\n',
    "src/graze/narrow/batch.h": '#include "graze/method.h"\n',
    "src/graze/narrow/method.cpp": '#include "graze/method.h"\n#include "graze/narrow/batch.h"\n'
    '#include "graze/narrow/contact/cubic.h"\n#include "graze/narrow/contact/boxes.h"\n'
    '#include "graze/narrow/rivals/parity.h"\n'
    'Method table[] = {\n    {"cubic", 1},\n    {"parity", 2},\n};\n'
    'bool f() { return name == "cubic"; }\n',
    "src/graze/narrow/contact/cubic.h": '#include "graze/narrow/batch.h"\n',
    "src/graze/narrow/simd/cubic-inl.h": '#include "graze/narrow/contact/cubic.h"\n',
    "src/graze/narrow/contact/boxes.h": '// std::cout << "quoted"; method.name == "cubic"\n'
    '#include "graze/exact/arena/root.h"\n',
    "src/graze/narrow/rivals/parity.h": '#include "graze/narrow/batch.h"\n',
    "src/graze/spine/step.cpp": '#include "graze/step.h"\n',
    "src/graze/rigid/model/body.cpp": '#include "graze/rigid/body.h"\n',
    "src/graze/rigid/model/hull.h": "#include <libqhull_r/qhull_ra.h>\n",
    "src/graze/sim/edges/cable.h": '#include "graze/step.h"\n',
    "src/graze/sim/elastic/material/tet_mesh.h": "",
    "src/graze/io/meshes/tet_files.cpp": '#include <cstdio>\n#include "graze/io/mesh_files.h"\n'
    '#include "graze/sim/elastic/material/tet_mesh.h"\n',
    "src/graze/generate/scenes.h": '#include "graze/query.h"\n',
    "src/graze/sim/edges/edge_scenes.h": "",
    "apps/graze/commands/step.cpp": '#include "terminal/table.h"\n#include "graze/step.h"\n'
    '#include "graze/generate/scenes.h"\n#include "graze/sim/edges/edge_scenes.h"\n',
    "apps/graze/terminal/table.h": "#include <fmt/format.h>\n",
    "bench/suites/exact/exact_suite.h": '#include "graze/exact/arena/root.h"\n'
    '#include "terminal/table.h"\n',
    "bench/suites/exact/exact_suite.cpp": '#include "bench/suites/exact/exact_suite.h"\n',
    "bench/suites/papers/published.h": 'bool g() { return method.name == "cubic"; }\n',
    "examples/first.cpp": '#include "graze/graze.h"\n',
    "test/io/files_test.cpp": '#include "graze/narrow/contact/cubic.h"\n',
}


# The include line that a source of the plan needs.
DECLARED_BY = {
    "src/graze/spine/step.cpp": '#include "graze/step.h"\n',
    "src/graze/io/meshes/obj.cpp": '#include "graze/io/mesh_files.h"\n',
    "apps/graze/commands/query.cpp": '#include "terminal/table.h"\n',
    "apps/graze/commands/step.cpp": '#include "terminal/table.h"\n',
}


class CheckRooms(unittest.TestCase):
    def setUp(self):
        # The listed exceptions of the real tree do not exist in this one.
        for table, entries in (
            ("PARTS_OF", {"apps/graze/commands": ("terminal/table.h",),
                          "src/graze/io/meshes": ("graze/io/mesh_files.h",)}),
            ("WITHOUT_HEADER", ("examples",)),
        ):
            replaced = unittest.mock.patch.object(check_rooms, table, entries)
            replaced.start()
            self.addCleanup(replaced.stop)

    def offences(self, changed={}):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**PLAN, **changed}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(check_rooms.offences(Path(folder)))

    def test_a_tree_that_follows_the_plan_has_no_offence(self):
        self.assertEqual(self.offences(), [])

    def test_each_offence_is_one_line(self):
        for name, text, reason in [
            # Public headers.
            ("include/graze/cellar.h", "", "no room owns this public header"),
            ("include/graze/exact/sign.h", "", "no room owns this public header"),
            ("include/graze/query.h", '#include "graze/method.h"\n', "core may not include"),
            ("include/graze/method.h", '#include "graze/step.h"\n', "narrow may not include"),
            ("include/graze/step.h", '#include "graze/rigid/body.h"\n', "spine may not include"),
            ("include/graze/step.h", '#include "graze/exact/arena/root.h"\n', "not a public header"),
            ("include/graze/graze.h", '#include "graze/narrow/batch.h"\n', "not a public header"),
            ("include/graze/query.h", "#include <boost/rational.hpp>\n", "only std and Eigen"),
            ("include/graze/query.h", "#include <unistd.h>\n", "only std and Eigen"),
            # Rooms and their borders.
            ("src/graze/core/numeric/sum.h", '#include "graze/exact/arena/root.h"\n', "core may not"),
            ("src/graze/core/numeric/sum.h", "#include <tbb/info.h>\n", "core may not include"),
            ("src/graze/exact/arena/root.h", "#include <libqhull_r/x.h>\n", "exact may not include"),
            ("src/graze/exact/arena/root.h", '#include "graze/gone.h"\n', "does not exist"),
            ("src/graze/exact/arena/root.h", '#include "bench/measure.h"\n', "does not exist"),
            ("src/graze/exact/arena/root.h", "#include <iostream>\n", "only io prints"),
            ("src/graze/exact/arena/root.h", 'void f() { printf("x"); }\n', "prints (printf"),
            ("src/graze/io/meshes/obj.cpp", '#include "graze/exact/arena/root.h"\n', "io may not"),
            ("src/graze/io/meshes/obj.cpp", '#include "graze/rigid/model/hull.h"\n', "io may not"),
            ("src/graze/generate/scenes.h", '#include "graze/step.h"\n', "generate may not include"),
            ("src/graze/spine/step.cpp", '#include "graze/graze.h"\n', "include what is used"),
            ("src/graze/cellar/wine.h", "", "the plan has no room"),
            ("src/graze/wine.h", "", "the plan has no room"),
            ("src/graze/exact/cellar/wine.h", "", "has no folder cellar"),
            ("src/graze/io/mesh_files.h", "", "a public header has the same name"),
            # Folders that are closed.
            ("src/graze/exact/judge/oracle.h", '#include "graze/exact/arena/root.h"\n', "is closed"),
            ("src/graze/exact/arena/root.h", '#include "graze/exact/judge/oracle.h"\n', "is closed"),
            ("src/graze/spine/step.cpp", '#include "graze/narrow/rivals/parity.h"\n', "is closed"),
            ("src/graze/sim/rigid/piles.h", '#include "graze/sim/edges/cable.h"\n', "is closed"),
            # Methods.
            ("src/graze/narrow/contact/boxes.h", '#include "graze/narrow/contact/cubic.h"\n', "method"),
            ("src/graze/spine/step.cpp", 'bool f() { return name == "parity"; }\n', "compares"),
            ("src/graze/spine/step.cpp", "bool f() { return method_.name == x; }\n", "compares"),
            ("apps/graze/commands/query.cpp", 'bool f() { return "cubic" != x; }\n', "compares"),
            ("apps/graze/commands/query.cpp", 'int i = method->name.starts_with("c");\n', "compares"),
            # Programs.
            ("apps/graze/cellar/wine.h", "", "has no folder cellar"),
            ("bench/suites/wine.h", "", "has no folder suites"),
            ("apps/graze/commands/step.cpp", '#include "graze/narrow/batch.h"\n', "private header"),
            ("apps/graze/commands/step.cpp", '#include "graze/gone.h"\n', "does not exist"),
            ("apps/graze/commands/step.cpp", '#include "bench/suites/x.h"\n', "may not include"),
            ("examples/first.cpp", '#include "terminal/table.h"\n', "may not include"),
            ("examples/first.cpp", '#include "graze/narrow/batch.h"\n', "private header"),
            ("test/io/files_test.cpp", '#include "graze/io/gone.h"\n', "does not exist"),
            # Shape.
            ("src/graze/exact/arena/lonely.cpp", "", "has no header lonely.h"),
            ("bench/suites/exact/lonely.cpp", "", "has no header lonely.h"),
            ("src/graze/core/numeric/sum.h", "\n" * 601, "has 601 lines"),
        ]:
            with self.subTest(name=name, text=text):
                found = self.offences({name: DECLARED_BY.get(name, "") + text})
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(name) and reason in found[0], found)

    def test_a_source_without_the_header_that_declares_it_is_an_offence(self):
        for name, header in [
            ("src/graze/exact/judge/oracle.cpp", "graze/exact/judge/oracle.h"),
            ("src/graze/rigid/model/body.cpp", "graze/rigid/body.h"),
            ("src/graze/io/meshes/obj.cpp", "graze/io/mesh_files.h"),
            ("apps/graze/commands/query.cpp", "terminal/table.h"),
            ("bench/suites/exact/exact_suite.cpp", "suites/exact/exact_suite.h"),
        ]:
            with self.subTest(name):
                self.assertEqual(self.offences({name: ""}),
                                 [f"{name}: does not include the header that declares it, {header}"])

    def test_a_crowded_folder_is_an_offence(self):
        crowd = {f"src/graze/generate/family_{i}.h": "" for i in range(24)}
        self.assertIn("src/graze/generate: has 25 files", "\n".join(self.offences(crowd)))

    def test_an_exception_that_no_longer_exists_is_an_offence(self):
        check_rooms.PARTS_OF["src/graze/gone.cpp"] = ("graze/step.h",)
        self.assertIn("src/graze/gone.cpp does not exist", "\n".join(self.offences()))


class PublicHeaders(unittest.TestCase):
    INCLUDE = Path(check_rooms.__file__).resolve().parents[1] / "include"

    def test_the_table_of_rooms_lists_those_of_the_top_folder(self):
        headers = {header.stem for header in (self.INCLUDE / "graze").glob("*.h")}
        self.assertEqual(headers - {"graze"}, set(check_rooms.PUBLIC))

    def test_the_umbrella_includes_all_but_files_gpu_and_mpi(self):
        reached, waiting = set(), [check_rooms.UMBRELLA]
        while waiting:
            header = waiting.pop()
            if header not in reached:
                reached.add(header)
                text = (self.INCLUDE / header).read_text()
                waiting += [target for bracket, target in check_rooms.INCLUDE.findall(text) if bracket == '"']
        every = {header.relative_to(self.INCLUDE).as_posix() for header in self.INCLUDE.rglob("*.h")}
        self.assertEqual({header for header in every - reached if not header.startswith("graze/io/")},
                         {"graze/gpu.h", check_rooms.MPI_HEADER})
        self.assertFalse({header for header in reached if header.startswith("graze/io/")})


if __name__ == "__main__":
    unittest.main()
