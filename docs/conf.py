"""Configuration of the documentation; scripts/docs runs Sphinx on a copy with the generated pages."""

import logging
import os
import re
from pathlib import Path

source = Path(__file__).resolve().parent
repository = Path(os.environ.get("GRAZE_REPOSITORY", source.parent))

project = "Graze"
author = "The Graze authors"
copyright = "The Graze authors"
version = ".".join(
    re.search(rf"GRAZE_VERSION_{part} (\d+)", (repository / "include/graze/version.h").read_text())[1]
    for part in ("MAJOR", "MINOR", "PATCH")
)
release = version

extensions = [
    "myst_parser",
    "breathe",
    "sphinx.ext.autodoc",
    "sphinx_inline_tabs",
    "sphinx_copybutton",
]
exclude_patterns = ["site"]
html_theme = "furo"
html_title = f"Graze {version}"
# Debian's furo has these colours for its switch only, not for readers whose system prefers dark pages.
html_theme_options = {
    "dark_css_variables": {
        "color-problematic": "#ee5151",
        "color-foreground-primary": "#ffffffcc",
        "color-foreground-secondary": "#9ca0a5",
        "color-foreground-muted": "#81868d",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124ff",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444",
        "color-announcement-background": "#000000dd",
        "color-announcement-text": "#eeebee",
        "color-brand-primary": "#2b8cee",
        "color-brand-content": "#368ce2",
        "color-highlighted-background": "#083563",
        "color-guilabel-background": "#08356380",
        "color-guilabel-border": "#13395f80",
        "color-api-keyword": "var(--color-foreground-secondary)",
        "color-highlight-on-target": "#333300",
        "color-admonition-background": "#18181a",
        "color-card-border": "var(--color-background-secondary)",
        "color-card-background": "#18181a",
        "color-card-marginals-background": "var(--color-background-hover)",
    },
}
html_static_path = ["static"]
html_css_files = ["graze.css"]
html_show_sphinx = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

breathe_projects = {"graze": os.environ.get("GRAZE_DOXYGEN", "")}
breathe_default_project = "graze"
breathe_default_members = ("members",)
cpp_maximum_signature_line_length = 90

autodoc_member_order = "bysource"
autodoc_typehints = "signature"


def as_restructured_text(app, what, name, obj, options, lines):
    """Turns lines "argument  what it is" of a docstring into a definition list; examples stay as they are."""
    out, item = [], False
    for line in lines:
        argument = re.match(r"^(\w+(?:, \w+)*) {2,}(\S.*)$", line)
        if argument:
            out += ["", f"``{argument[1]}``", f"    {argument[2]}"]
            item = True
        elif item and line.startswith(" "):
            out.append("    " + line.strip())
        else:
            out += ["", line] if item else [line]
            item = False
    lines[:] = out


def complete_theme(app, exception):
    """Puts into two files of Debian's furo what they import: a module, as a plain script cannot, and a style sheet of Debian's
    web server, so that the site works from any folder."""
    static = Path(app.outdir) / "_static"
    imports = {
        "scripts/furo.js": ('import Gumshoe from "./gumshoe-patched.js";', static / "scripts/gumshoe-patched.js"),
        "styles/furo.css": ("@import url(/javascript/normalize.css/normalize.css);",
                            Path("/usr/share/javascript/normalize.css/normalize.min.css")),
    }
    for name, (line, imported) in imports.items():
        file = static / name
        if file.exists() and line in file.read_text():
            file.write_text(file.read_text().replace(line, imported.read_text()))


def setup(app):
    """Lets many pages name one namespace: the page of a header lists what the header adds to it."""

    def names_no_namespace(record):
        return not re.search(r"Declaration is '\.\. cpp:type:: [a-z_:]+'", record.getMessage())

    logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(names_no_namespace)
    app.connect("autodoc-process-docstring", as_restructured_text)
    app.connect("build-finished", complete_theme)
