#!/usr/bin/env python3
"""doxygen_filter.py HEADER: prints a public header with its comments in the form that Doxygen reads.

Public headers are written for readers of the source: comments begin with //, promises are numbered (1), (2), and
tables and formulas are indented. Here they become Doxygen blocks, promises become list items, and what is indented otherwise
becomes a block of its own. A comment at the end of a line documents what stands on that line.
"""

import re
import sys

PROMISE = re.compile(r"^ *\((\d+)\) +(.*)")
BULLET = re.compile(r"^ *- +(.*)")


def escape(text):
    """Returns text in which Doxygen finds no commands; `code` is marked as such. Markdown is off in the Doxyfile."""
    text = re.sub(r"([<>&@#%\\])", r"\\\1", text)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def block(lines):
    """The lines of one comment, without //, as Doxygen text."""
    out, state, verbatim = [], "text", False

    def close():
        nonlocal verbatim
        if verbatim:
            out.append("@endverbatim")
            verbatim = False

    for line in lines:
        text = line[1:] if line.startswith(" ") else line
        promise, bullet = PROMISE.match(text), BULLET.match(text)
        if not text.strip():
            if not verbatim:
                out.append("")
            state = "text"
        elif promise or bullet:
            close()
            if state != "list":
                out.append("")
            out.append(f"- ({promise[1]}) {escape(promise[2])}" if promise else f"- {escape(bullet[1])}")
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


def filtered(text):
    """Returns the header with its comments rewritten."""
    out, comment, indent, code_indent = [], [], "", None
    for line in text.splitlines():
        whole = re.match(r"^(\s*)//(.*)$", line)
        if whole and code_indent is not None and len(whole[1]) > code_indent:
            out[-1] += " " + escape(whole[2].strip())  # continues the comment at the end of a line
            continue
        code_indent = None
        if whole:
            indent = whole[1]
            comment.append(whole[2])
            continue
        # A comment that an empty line follows documents no declaration; one before a namespace describes the header.
        if comment and line.strip():
            about = ["@file"] if line.startswith("namespace") else []
            out.extend([f"{indent}/**", *about, *block(comment), "*/"])
        comment = []
        tail = re.match(r"^(\s*)([^#}\s].*[;,\w)])\s+// (.*)$", line)
        if tail:
            line = f"{tail[1]}{tail[2]}  ///< {escape(tail[3])}"
            code_indent = len(tail[1])
        out.append(line)
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(filtered(open(sys.argv[1], encoding="utf-8").read()))
