"""Pages of the interfaces: the C library's headers by Doxygen, the package for Python by mkdocstrings. A page whose program is not
installed is left out."""
import pathlib
import shutil
import subprocess
import sys

import doxygen
import headers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path("api")
HEADERS = {
    "shingle.h": ("C: shingle.h", "c.md", "For programmers in C: every function, type and constant of `shingle.h`, made from the header. "
                  "[The library](../use/library.md) shows how they are used together."),
    "shingle.hpp": ("C++: shingle.hpp", "cpp.md", "For programmers in C++20: the classes of `shingle.hpp`, made from the header. They call the "
                    "functions of [`shingle.h`](c.md). [The library](../use/library.md) has a first program."),
}
PYTHON = FOLDER / "python.md"
PYTHON_PAGE = """# Python: shingle

For programmers in Python: the classes of the package `shingle`, made from its sources. [Python](../use/python.md) shows how they are
used. `Outputs` is a list of NumPy arrays of float32; `Picture` is an array of uint8 or a picture of PIL.

## The session
::: shingle.InferenceSession

## What sessions give
::: shingle.TensorInfo
::: shingle.Detection
::: shingle.Detections

## Errors
""" + "".join(f"::: shingle.{name}\n" for name in ("Error", "UsageError", "BadInputError", "ClusterError", "LateError", "BusyError", "ClosedError",
                                                   "ForkedError", "NoMemoryError"))
# The package is imported to be described. Its module in C++ need not be built for that: nothing of it is called.
PLUGINS = """plugins:
  - search
  - mkdocstrings:
      handlers:
        python:
          setup_commands:
            - import sys, unittest.mock
            - sys.path.insert(0, "{package}")
            - sys.modules["shingle._shingle"] = unittest.mock.MagicMock()
          selection: {{filters: ["!^_"], inherited_members: false, members_order: source}}
          rendering: {{show_source: false, show_root_heading: true, show_root_full_path: false, heading_level: 3, show_signature_annotations: true}}
"""


def write_headers(pages, build):
    """Their pages; where each header is found."""
    xml = doxygen.run(ROOT / "include/shingle", build)
    places, made = {}, {}
    for name, (title, page, first) in HEADERS.items():
        header = ROOT / "include/shingle" / name
        text = headers.HeaderPage(header, doxygen.entities(xml, name), page, places).markdown(title, first)
        (pages / FOLDER / page).write_text(text, encoding="utf-8")
        made[title] = (header.relative_to(ROOT), FOLDER / page)
    return made


def has_mkdocstrings():
    """Of Debian's Python, which mkdocs runs on."""
    return subprocess.run(["/usr/bin/python3", "-c", "import mkdocstrings_handlers.python, numpy"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def write(pages, build):
    """({title: (source, page)}, plugins of mkdocs.yml or none)."""
    (pages / FOLDER).mkdir(parents=True, exist_ok=True)
    build.mkdir(parents=True, exist_ok=True)
    made, plugins = {}, None
    if shutil.which("doxygen"):
        made |= write_headers(pages, build)
    else:
        print("tools/site: doxygen is missing, so there are no pages of C and C++; tools/site --deps installs it", file=sys.stderr)
    if has_mkdocstrings():
        (pages / PYTHON).write_text(PYTHON_PAGE, encoding="utf-8")
        made["Python: shingle"] = (pathlib.Path("apps/python/shingle/__init__.py"), PYTHON)
        plugins = PLUGINS.format(package=ROOT / "apps/python")
    else:
        print("tools/site: mkdocstrings is missing, so there is no page of Python; tools/site --deps installs it", file=sys.stderr)
    return made, plugins
