"""Finds what C++ headers define at namespace scope: a scan of braces, not a parser.

Types, aliases, concepts, variables and functions are found by their qualified names. Functions carry the
types of their parameters, because overloads share a name. Bodies are skipped. Both branches of #if count.
"""

import collections
import re

STRING_OR_COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*(?:\[\[.*?\]\]\s*)?([\w:\s]*)$")
TYPE = re.compile(
    r"(?:\w+\s+)*?(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:\[\[.*?\]\]\s*|alignas\([^)]*\)\s*)*([\w:]+(?:\s*<.*?>)?)\s*(?:final\s*)?(?::(?!:).*)?$",
    re.S,
)
ALIAS = re.compile(r"using\s+(\w+)\s*(?:\[\[.*?\]\]\s*)?=")
CONCEPT = re.compile(r"concept\s+(\w+)\s*=")
OPERATOR = re.compile(r"((?:\w+\s*::\s*)*operator\s*(?:\(\s*\)|\"\"\s*\w+|[^\s\w(]+|\w[\w\s*&]*))\s*\(")
FUNCTION = re.compile(r"((?:\w+\s*::\s*)*~?\w+)\s*(?:<[^()]*>)?\s*\(")
VARIABLE = re.compile(r"(?:\w|>|\*|&|\])\s+[*&]?(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=(?!=)|$)", re.S)
SPECIFIERS = {"else", "do", "return", "static_assert", "friend", "extern", "typedef", "template"}


def without_template(statement):
    """Drops leading template parameter lists and attributes."""
    statement = re.sub(r"^(?:\[\[.*?\]\]\s*)+", "", statement.strip(), flags=re.S)
    while statement.startswith("template"):
        start = statement.find("<")
        if start < 0:
            return statement
        depth = 0
        for end in range(start, len(statement)):
            depth += {"<": 1, ">": -1}.get(statement[end], 0)
            if depth == 0:
                break
        statement = statement[end + 1 :].strip()
        statement = re.sub(r"^requires\s+(?:\([^()]*\)|[\w:<>,\s]+?>)\s*", "", statement)
    return statement


def parameters(statement, start):
    """Returns the parameter list that opens at start, without names of parameters and default values."""
    depth, end = 0, start
    for end in range(start, len(statement)):
        depth += {"(": 1, ")": -1}.get(statement[end], 0)
        if depth == 0:
            break
    types, depth, part = [], 0, ""
    for character in statement[start + 1 : end] + ",":
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            words = re.sub(r"=.*", "", part, flags=re.S).split()
            if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) and words[-2] != "const":
                words.pop()
            types.append(" ".join(words))
            part = ""
        else:
            part += character
    return ", ".join(filter(None, types))


def defined(statement, ends_in_body):
    """Returns the name that a statement at namespace scope defines, or None."""
    statement = without_template(statement)
    if not statement or statement.split(None, 1)[0] in SPECIFIERS:
        return None
    for pattern in (ALIAS, CONCEPT):
        found = pattern.match(statement)
        if found:
            return found.group(1)
    found = TYPE.match(statement)
    if found and ends_in_body:
        return "".join(found.group(1).split())
    call = OPERATOR.search(statement) or FUNCTION.search(statement)
    assigned = re.search(r"(?<![=!<>])=(?!=)", statement)
    if call and not (assigned and assigned.start() < call.start()):
        if not ends_in_body:
            return None  # a declaration
        return "".join(call.group(1).split()) + f"({parameters(statement, call.end() - 1)})"
    found = VARIABLE.search(statement)
    return found.group(1) if found and (ends_in_body or assigned) and "extern" not in statement else None


def end_of_braces(text, position):
    """Returns the position of the brace that closes the one at position."""
    depth = 0
    for end in range(position, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return end
    return len(text)


def definitions(text):
    """Returns the qualified names that a header defines."""
    text = STRING_OR_COMMENT.sub(lambda found: '""' if found.group(0)[0] in "\"'R" else " ", text)
    text = DIRECTIVE.sub("", text)
    names, scope, statement, position = set(), [], "", 0
    qualified = lambda name: "::".join([part for part in scope if part] + [name])  # noqa: E731
    while position < len(text):
        character = text[position]
        if character == "{":
            opened = NAMESPACE.fullmatch(statement.strip())
            if opened:
                scope.append("".join(opened.group(1).split()) or "(unnamed)")
                statement = ""
            elif statement.count("(") > statement.count(")"):
                position = end_of_braces(text, position)  # a default argument
                statement += "{}"
            elif statement.strip() == 'extern ""':
                scope.append("")
                statement = ""
            else:
                position = end_of_braces(text, position)
                rest = text[position + 1 :].lstrip()
                name = defined(statement, True)
                if name:
                    names.add(qualified(name))
                # A type or an initializer extends to its semicolon, a member initializer to the next brace.
                statement = "" if not rest.startswith(",") else statement + "{}"
        elif character == "}":
            if scope:
                scope.pop()
            statement = ""
        elif character == ";":
            name = defined(statement, False)
            if name:
                names.add(qualified(name))
            statement = ""
        else:
            statement += character
        position += 1
    return names


def repeated(texts):
    """Yields (name, files) for each name that several files define. Unnamed namespaces do not count."""
    files = collections.defaultdict(list)
    for file, text in texts.items():
        for name in definitions(text):
            if "(unnamed)" not in name:
                files[name].append(file)
    for name, found in sorted(files.items()):
        if len(found) > 1:
            yield name, found
