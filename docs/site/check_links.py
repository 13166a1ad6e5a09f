#!/usr/bin/env python3
"""check_links.py FOLDER: checks that every link of the pages in FOLDER leads to a file there and to an anchor in it,
that style sheets load only files there, and that no plain script imports a module.

Links to other hosts are not followed; `check_links.py FOLDER --external` lists them.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


def dead_imports(folder):
    """Returns what style sheets and scripts below a folder load in vain, with the reasons."""
    dead = []
    for file in sorted(folder.rglob("*.css")):
        for link in re.findall(r"url\(['\"]?([^'\")]+)", file.read_text(encoding="utf-8")):
            parts = urlsplit(link)
            if not parts.scheme and (parts.path.startswith("/") or not (file.parent / parts.path).is_file()):
                dead.append(f"{file.relative_to(folder)}: {link}: no such file")
    for file in sorted(folder.rglob("*.js")):
        for module in re.findall(r"^import .*from ['\"](.*)['\"]", file.read_text(encoding="utf-8"), re.M):
            dead.append(f"{file.relative_to(folder)}: {module}: imported by a plain script")
    return dead


def main(folder, list_external):
    folder = Path(folder).resolve()
    # The pages of the gallery are single files of the viewer.
    pages = {file: Page(file) for file in folder.rglob("*.html") if file.parent.name != "gallery"}
    dead, external, local = dead_imports(folder), set(), 0
    for file, page in sorted(pages.items()):
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                external.add(link)
                continue
            local += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                dead.append(f"{file.relative_to(folder)}: {link}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                dead.append(f"{file.relative_to(folder)}: {link}: no such anchor")
    print("\n".join(sorted(external) if list_external else dead))
    print(f"{len(pages)} pages, {local} local links, {len(dead)} dead, {len(external)} external")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--external" in sys.argv))
