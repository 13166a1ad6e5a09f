#!/usr/bin/env python3
"""check_members.py XML: lists the public symbols without documentation in the XML that Doxygen wrote; exit code 1 if any.

A type and a function need a comment. A data member, a constant and a member function without arguments need one too,
unless the comment of their class names them or their own type is a documented type. The comment of a class covers its
constructors and special members (moves, destructors, comparisons).
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SPECIAL = re.compile(r"^(~.*|operator(=|==|<=>))$")


def text(element, *names):
    return " ".join(" ".join(element.find(name).itertext()) for name in names if element.find(name) is not None).strip()


def is_documented(element):
    return bool(text(element, "briefdescription", "detaileddescription", "inbodydescription"))


def is_special(member, kind_name):
    name, arguments = text(member, "name"), text(member, "argsstring")
    return bool(SPECIAL.match(name)) or name == kind_name or "=default" in arguments


def missing(folder):
    """Yields "place: symbol" for every symbol without documentation."""
    for file in sorted(Path(folder).glob("*.xml")):
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("struct", "class", "namespace", "concept"):
            continue
        name = text(compound, "compoundname")
        if "detail" in name.split("::") or compound.get("prot") == "private":
            continue
        about = text(compound, "briefdescription", "detaileddescription")
        if compound.get("kind") != "namespace" and not about:
            yield f"{compound.find('location').get('file')}: {name}"
        for member in compound.iter("memberdef"):
            kind = member.get("kind")
            if member.get("prot") != "public" or kind in ("friend", "define") or is_documented(member):
                continue
            symbol = text(member, "name")
            if is_special(member, name.rpartition("::")[2]):
                continue
            plain = kind == "variable" or text(member, "argsstring").startswith("() const")
            named = re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", about)
            if plain and (named or member.find("type/ref") is not None):
                continue
            place = member.find("location")
            yield f"{place.get('file')}:{place.get('line')}: {name}::{symbol}{text(member, 'argsstring')[:60]}"


if __name__ == "__main__":
    found = sorted(set(missing(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
