"""definitions finds what headers define, and repeated finds names that are defined twice."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import definitions  # noqa: E402


class Definitions(unittest.TestCase):
    def check(self, text, *names):
        self.assertEqual(sorted(definitions.definitions(text)), sorted(names))

    def test_types_aliases_and_variables(self):
        self.check("namespace a::b {\nstruct X : Y<int> { struct Z {}; int f() { return 1; } };\n}", "a::b::X")
        self.check("template <class T> requires C<T> class X final { T t = {1}; };", "X")
        self.check("template <> struct X<int, 2> {};", "X<int,2>")
        self.check("enum class E : std::uint8_t { one, two };", "E")
        self.check("using T = std::vector<int>;\ntemplate <class C> concept D = requires { 1; };", "T", "D")
        self.check("inline constexpr double u = 0x1p-53;\nconstexpr std::array<int, 2> v{1, 2};", "u", "v")

    def test_functions_carry_their_parameters(self):
        self.check("inline int f(const A& a, int b = g(1, 2)) { return b; }", "f(const A&, int)")
        self.check("template <class T> T X<T>::f() const noexcept { return {}; }", "f()")
        self.check("inline bool operator==(A a, A b) { return a.x == b.x; }", "operator==(A, A)")

    def test_declarations_are_no_definitions(self):
        self.check("struct X;\nenum class E : int;\nint f(A a = {}, B b = B{1});\nextern const int x;")
        self.check("namespace a { using b::c; using namespace d; friend int f() { return 1; } }")

    def test_comments_strings_and_directives_are_skipped(self):
        self.check('// struct X {};\n/* struct Y {}; */\n#define Z struct Z {\\\n};\n')
        self.check("constexpr char c = '{';\nstruct X {};\nconstexpr int n = 1'000;", "c", "X", "n")

    def test_names_defined_twice_are_found(self):
        texts = {
            "a.h": "namespace g { struct X {}; inline int f(int a) { return a; } }",
            "b.h": "namespace g { class X {}; inline int f(int other) { return other; } }",
            "c.h": "namespace h { struct X {}; }\nnamespace g { struct X; inline int f(long a) { return 1; } }",
            "d.h": "namespace g { namespace { struct U {}; } }",
            "e.h": "namespace g { namespace { struct U {}; } }",
        }
        files = ["a.h", "b.h"]
        self.assertEqual(list(definitions.repeated(texts)), [("g::X", files), ("g::f(int)", files)])


if __name__ == "__main__":
    unittest.main()
