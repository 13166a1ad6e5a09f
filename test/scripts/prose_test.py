"""Comments, docstrings, texts of programs, names of tests and all pages avoid the phrases of prose_words.txt."""

import io
import re
import sys
import tokenize
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING_OR_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
SCRIPT_STRING_OR_COMMENT = re.compile(r"""//[^\n]*|/\*.*?\*/|(["'`])(?:\\.|(?!\1).)*\1""", re.S)
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!)[^\n]*", re.M)
MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.S)
QUOTES = re.compile(r"""^[A-Za-z]*(\"{3}|'{3}|["'])|(\"{3}|'{3}|["'])$""")
STATEMENT_ENDS = (None, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
INCLUDE = re.compile(r"^\s*#\s*include[^\n]*", re.M)
TEST_NAME = re.compile(r"\bTEST(?:_P|_F)?\(\s*\w+,\s*\w+|\bdef test_\w+")
CODE = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]*`", re.M | re.S)


def phrases():
    """Yields the list as (pattern, advice)."""
    for line in (Path(__file__).parent / "prose_words.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            phrase, advice = line.split(" => ")
            yield re.compile(phrase.replace(" ", r"\s+"), re.I | re.M), advice


def comments(text):
    """Returns the comments of C++ text; other characters become blanks, so that lines keep their numbers."""
    return only(COMMENT, text, lambda part: re.sub(r"//+|/\*|\*/", "  ", part))


def strings(text):
    """Returns the string literals of C++ text; adjacent literals become one text, others are separated by NUL."""
    text = INCLUDE.sub(lambda found: " " * len(found.group(0)), text)
    return only(STRING_OR_COMMENT, text, lambda part: "" if part[0] == "/" else re.sub(r'^R?"|"$', " ", part), "\0")


def script_texts(text):
    """Returns the comments and string literals of TypeScript and JavaScript, separated by NUL."""

    def keep(part):
        return re.sub(r"//+|/\*|\*/", "  ", part) if part[0] == "/" else part[1:-1].center(len(part))

    return only(SCRIPT_STRING_OR_COMMENT, text, keep, "\0")


def python_texts(text, literals):
    """Returns the comments and docstrings of Python, and all other string literals if `literals`; the rest becomes NUL."""
    rows = [re.sub(r"\S", "\0", line) for line in text.split("\n")]
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        comment = token.type == tokenize.COMMENT
        if comment or token.type == tokenize.STRING and (literals or before in STATEMENT_ENDS):
            (row, column), marks = token.start, r"^#" if comment else QUOTES
            for k, part in enumerate(re.sub(marks, lambda mark: " " * len(mark[0]), token.string).split("\n")):
                at = column if k == 0 else 0
                rows[row - 1 + k] = rows[row - 1 + k][:at] + part + rows[row - 1 + k][at + len(part) :]
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    return "\n".join(rows)


def hash_comments(text):
    """Returns the comments of a shell script or of CMake."""
    return only(HASH_COMMENT, text, lambda part: " " + part[1:])


def test_names(text):
    """Returns the names of tests as words: NamesATest and names_a_test become "names a test"."""
    return only(TEST_NAME, text, lambda name: re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", re.sub(r"^.*[, ](?:test_)?", "", name, flags=re.S)))


def prose(text):
    """Returns a page without its code."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)


def markup_text(text):
    """Returns the text of an HTML page."""
    return MARKUP.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)


def only(pattern, text, keep, between=" "):
    """Returns what `keep` makes of the matches; other characters, but for white space, become `between`."""
    parts, end = [], 0
    for found in pattern.finditer(text):
        parts.append(re.sub(r"\S", between, text[end : found.start()]))
        parts.append(keep(found.group(0)) or re.sub(r"[^\n]", " ", found.group(0)))
        end = found.end()
    return "".join(parts)


def texts(root):
    """Yields the texts that users and maintainers read, as (file, text)."""
    for path in sources(root):
        yield path, comments(path.read_text())
    for folder in ("apps", "bench", "bindings"):
        for path in sorted([*(root / folder).rglob("*.cpp"), *(root / folder).rglob("*.h")]):
            yield path, strings(path.read_text())
    for path in own_files(root, "bench", "bindings", "docs", "examples", "packaging", "scripts", "test", ".ci", "web", "cmake"):
        first = path.read_text().partition("\n")[0] if path.suffix in ("", ".sh", ".py") else ""
        if path == Path(__file__).resolve():
            continue  # contains the phrases
        if path.suffix == ".py" or first.startswith("#!") and "python" in first:
            yield path, python_texts(path.read_text(), literals=path.relative_to(root).parts[0] in ("bench", "bindings", "scripts"))
        elif first.startswith("#!") or path.suffix in (".cmake", ".in") or path.name == "CMakeLists.txt":
            yield path, hash_comments(path.read_text())
        elif path.suffix in (".ts", ".mjs", ".js"):
            yield path, script_texts(path.read_text())
        elif path.suffix == ".html":
            yield path, markup_text(path.read_text())
    for path in sorted(root.glob("*.txt")):
        yield path, hash_comments(path.read_text())
    for path in sorted((root / "test").rglob("*_test.*")):
        if path != Path(__file__).resolve():
            yield path, test_names(path.read_text())
    for path in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), root / "packaging/README.md"]:
        yield path, prose(path.read_text())


def sources(root):
    """Returns the files in C++ and CUDA."""
    folders = ("include", "src", "apps", "bench", "bindings", "examples", "test")
    return [path for folder in folders for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp", ".cu")]


def own_files(root, *folders):
    """Returns the files of folders of the project without those that tools have made."""
    made = {"node_modules", "__pycache__", "dist", "corpus"}
    return [path for folder in folders for path in sorted((root / folder).rglob("*"))
            if path.is_file() and not made & set(path.parts)]


def offences(text):
    """Yields the refused phrases of a text as (line, phrase, advice)."""
    text = re.sub(r"[ \t]+", " ", text)
    for pattern, advice in phrases():
        for found in pattern.finditer(text):
            yield text.count("\n", 0, found.start()) + 1, " ".join(found.group(0).split()), advice


# What clang-format leaves behind where it breaks a long line of a comment: a word alone on its line, a ruler that has
# left its title, and the label of an item in the middle of a line.
BROKEN_COMMENT = re.compile(
    r"^ *// {1,3}[a-z]+\n *//|^ *// {1,3}[a-z]+:\n *// {5,}|[^\s/-] *\n *// -{5,}$|^ *// +\S+ [a-z]+(-[a-z]+)?: {2,}", re.M)
# A page of the project that a text names.
PAGE = re.compile(r"\b(?:[\w-]+/)*[\w-]+\.md\b")


class Prose(unittest.TestCase):
    def test_no_comment_is_broken_by_formatting(self):
        found = [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, word.start()) + 1}"
            for path in sources(ROOT)
            for text in [path.read_text()]
            for word in BROKEN_COMMENT.finditer(text)
        ]
        self.assertEqual(found, [])
        for comment in ["// (2) a long line that ends with at\n//   most\n//       n.\n",
                        "// (2) also where they are not\n//   convex:\n//       triangles\n",
                        "// ---- stages 2 and 3: the roots\n// -------\n",
                        "//   vertex-face: p - u e1 - v\n//   e2 edge-edge:   a = p\n"]:
            self.assertTrue(BROKEN_COMMENT.search(comment), comment)
        for comment in ["// The corners of\n// faces.\n", "// ---- roots -------\n//\n", "//   edge-edge:   a = p\n"]:
            self.assertFalse(BROKEN_COMMENT.search(comment), comment)

    def test_every_page_that_a_comment_names_exists(self):
        found = [
            f"{path.relative_to(ROOT)}: {page}"
            for path in sources(ROOT)
            for page in PAGE.findall(comments(path.read_text()))
            if not any((folder / page).exists() for folder in (ROOT, path.parent))
        ]
        self.assertEqual(found, [])

    def test_what_users_read_has_none_of_the_phrases(self):
        found = [
            f'{path.relative_to(ROOT)}:{line}: "{phrase}": write {advice}'
            for path, text in texts(ROOT)
            for line, phrase, advice in sorted(offences(text))
        ]
        if found:
            self.fail(f"{len(found)} phrases\n" + "\n".join(found))

    def test_the_list_finds_riddles(self):
        for sentence in [
            "nobody is told of no overlap",
            "Is it news?",
            "where v is says place(v)",
            "an axis along which nothing is apart has no say",
            "left to those who compare",
            "they certainly are further apart than d up to this time, or it is 0",
            "hardly a pair would be settled by an axis or a diagonal, so these are not asked",
            "The frame every scalar method stands in",
            "Of the velocities, among all at which the joints do as they are asked, that have the least.",
            "Asks for what is wrong at the end of the time, so many times at most, and meets it.",
            "What follows is about the facet that this was last asked of, and true.",
            "Of several contacts at the same doubles the one is told that comes first",
            "what it does not name goes on as it does",
            "Motion is where nothing is believed",
            "the run broke its promise; see above",
            "contact … 0.0039 apart, 1 iterations",
            "moves for nobody",
            "what the scene likes",
            "the body is held",
            "1 seconds",
        ]:
            with self.subTest(sentence):
                self.assertNotEqual(list(offences(sentence)), [])

    def test_the_list_accepts_plain_sentences(self):
        for sentence in [
            "A NaN coordinate never rules out an overlap.",
            "Returns whether the impact is kept; may replace it with the first contact after that.",
            "place(v) is the index of vertex v in this order.",
            "An axis without extent contributes no bits.",
            "Proven to be more than d apart on [0, free]; 0 if nothing is proven.",
            "Runs at most `rounds` position corrections. Returns false if none was needed or possible.",
            "The functions below refer to the facet of the last call that returned true.",
            "Bodies that are not listed keep their velocity.",
            "The motion stage certifies every pair.",
            "contact at t = 0.18002 (distance 0.0039, threshold 0.004); 1 iteration",
            "A method like this one looks up the row; what the file contains is known.",
            "The first ring is held at its end; held vertices do not move.",
            "elements + 1 particles; 3 x 1 cells; at least 0.1 seconds",
        ]:
            with self.subTest(sentence):
                self.assertEqual(list(offences(sentence)), [])

    def test_scripts_are_read(self):
        python = '"""Is told."""\nnobody = 1  # see above\ncall(\n    "it is "\n    "asked")\n'
        self.assertEqual([found[:2] for found in sorted(offences(python_texts(python, literals=False)))],
                         [(1, "Is told"), (2, "see above")])
        self.assertEqual([found[:2] for found in sorted(offences(python_texts(python, literals=True)))],
                         [(1, "Is told"), (2, "see above"), (4, "is asked")])
        script = "const nobody = 'see above';  // is told\nopen('http://nobody');\n"
        self.assertEqual([found[:2] for found in sorted(offences(script_texts(script)))],
                         [(1, "is told"), (1, "see above"), (2, "nobody")])
        self.assertEqual([found[1] for found in offences(hash_comments("#!/bin/nobody\nnobody ${#x}  # is told\n"))], ["is told"])
        self.assertEqual([found[1] for found in offences(markup_text("<b class='nobody'>is told</b>"))], ["is told"])

    def test_only_comments_and_strings_are_read(self):
        code = '#include "nobody.h"\nint nobody;  // see above\nprint("is told");\n'
        self.assertEqual([found[:2] for found in offences(comments(code))], [(2, "see above")])
        self.assertEqual([found[:2] for found in offences(strings(code))], [(3, "is told")])
        self.assertEqual(list(offences(strings('call("at most 1", "seconds");'))), [])
        self.assertEqual([found[:2] for found in offences(strings('doc(R"(One\nsee above)");'))], [(2, "see above")])
        self.assertNotEqual(list(offences(test_names("TEST(Oracle, IsToldOfAMiss) {"))), [])
        self.assertNotEqual(list(offences(test_names("def test_what_it_does_not_name(self):"))), [])
        self.assertEqual(list(offences(prose("Plain `nobody` and\n```sh\nnobody\n```\n"))), [])


if __name__ == "__main__":
    unittest.main()
