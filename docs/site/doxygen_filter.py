#!/usr/bin/env python3
"""doxygen_filter.py HEADER: prints a public header with its comments in the form that Doxygen reads.

Public headers are written for readers of the source: comments begin with //, promises are numbered (1), (2), and
tables and formulas are indented. Here they become Doxygen blocks, promises become list items, and what is indented otherwise
becomes a block of its own. A comment at the end of a line documents what stands on that line.
"""

import re
import sys

PROMISE = re.compile(r"^( *)\((\d+)\) +(.*)")
BULLET = re.compile(r"^ *- +(.*)")


def escape(text):
    """Returns text in which Doxygen finds no commands; `code` is marked as such. Markdown is off in the Doxyfile."""
    text = re.sub(r"([<>&@#%\\])", r"\\\1", text)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def block(lines):
    """Returns the lines of one comment, without //, as Doxygen text."""
    out, state, verbatim, item_indent = [], "text", False, 0

    def close():
        nonlocal verbatim
        if verbatim:
            out.append("@endverbatim")
            verbatim = False

    for line in lines:
        text = line[1:] if line.startswith(" ") else line
        promise, bullet = PROMISE.match(text), BULLET.match(text)
        if promise and state == "list" and len(promise[1]) > item_indent:
            promise = None  # the text of an item, which begins with the number of another one
        if not text.strip():
            if not verbatim:
                out.append("")
            state = "text"
        elif promise or bullet:
            close()
            if state != "list":
                out.append("")
            out.append(f"- ({promise[2]}) {escape(promise[3])}" if promise else f"- {escape(bullet[1])}")
            if promise:
                item_indent = len(promise[1])
            state = "list"
        elif text.startswith("  ") and state == "list":
            out.append("  " + escape(text.strip()))
        elif text.startswith("  "):
            if not verbatim:
                out.extend(["", "@verbatim"])
                verbatim = True
            out.append(text)
        else:
            close()
            if state == "list":
                out.append("")
            out.append(escape(text))
            state = "text"
    close()
    return out


def top_level_parts(text):
    """Returns text split at the commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def split_declaration(line):
    """Returns the declarations of a line such as `double a = 0, b = 0;`, one line for each."""
    value = r"(?: = (?:[^;,()]|\([^;()]*\))*| *\{[^;]*\})?"
    found = re.match(rf"^(\s*)([\w:<>, ]+?[\w>] )(\w+{value}(?:, \w+{value})*);$", line)
    if not found or found[2].lstrip().startswith(("using ", "return ", "friend ", "template")):
        return [line]
    kind, rest = found[2], found[3]
    # A comma inside of the type belongs to the type.
    while kind.count("<") != kind.count(">"):
        word, _, rest = rest.partition(" ")
        kind += word + " "
    return [f"{found[1]}{kind}{part.strip()};" for part in top_level_parts(rest)]


def name_of(line):
    """Returns the name of the function whose declaration begins on a line, or None."""
    line = re.sub(r"^\s*template <.*?> (?=\w)", "", line)
    found = re.match(r"^\s*(?:[\w:<>,&*\[\] ]+?[ &*])?((?:operator\S+?|~?\w+))\(", line)
    return found[1] if found else None


def filtered(text):
    """Returns the header with its comments rewritten.

    A comment that stands before several overloads without an empty line between them documents each of them; one that
    begins with "The same" documents all functions up to the next empty line or comment.
    """
    out, comment, indent, tails = [], [], "", []
    shared, name, same, code_indent, open_declaration, is_assertion = [], None, False, None, False, False
    # The head of a template and its declaration become one line.
    text = re.sub(r"^(\s*template <[^;{}]*?>)\n\s*(?=\w)", r"\1 ", text, flags=re.M)
    for line in text.splitlines():
        whole = re.match(r"^(\s*)//(.*)$", line)
        if whole and tails and len(whole[1]) > code_indent:
            for tail in tails:
                out[tail] += " " + escape(whole[2].strip())  # continues the comment at the end of a line
            continue
        tails = []
        if whole:
            indent = whole[1]
            comment.append(whole[2])
            shared = []
            continue
        # A comment that an empty line follows documents no declaration; one before a namespace describes the header.
        if comment and line.strip():
            about = ["@file"] if line.startswith("namespace") else []
            shared = [f"{indent}/**", *about, *block(comment), "*/"]
            out.extend(shared)
            name, same = name_of(line), comment[0].startswith(" The same")
        elif not line.strip():
            shared = []
        elif shared and not open_declaration and name and (name_of(line) == name or same and name_of(line)):
            out.extend(shared)
        comment_before = bool(comment)
        comment = []
        tail = re.match(r"^(\s*)([^#}\s].*[;,\w)}])\s+// (.*)$", line)
        if not open_declaration:
            is_assertion = line.lstrip().startswith("static_assert")
        if is_assertion:
            tail = None  # its comment documents no declaration
        code = f"{tail[1]}{tail[2]}" if tail else line
        parts = split_declaration(code)
        open_declaration = not re.search(r"[;}>]\s*$", code)
        for index, part in enumerate(parts):
            if tail:
                tails.append(len(out))
                part += f"  ///< {escape(tail[3])}"
            elif comment_before and index > 0:
                out.extend(shared)
            out.append(part)
        code_indent = len(tail[1]) if tail else None
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(filtered(open(sys.argv[1], encoding="utf-8").read()))
