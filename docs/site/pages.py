"""Lays the pages of the site into a folder: the pages below docs/ with their pictures, README.md, and mkdocs.yml with its table
of contents. Links to files that are no pages (sources, tests) become plain names, since the site has no sources. Interfaces
(docs/site/api.py) have pages too.

    python3 docs/site/pages.py FOLDER
"""
import os
import pathlib
import re
import shutil
import sys

import api

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
SECTION = re.compile(r"^## (.+)$")
ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \|")


def sources():
    """Pages and pictures of the site: their paths from the root, and where they lie in it."""
    files = {path.relative_to(ROOT): path.relative_to(ROOT / "docs") for path in sorted((ROOT / "docs").rglob("*"))
             if path.suffix in (".md", ".png", ".jpg", ".svg")}
    files[pathlib.Path("README.md")] = pathlib.Path("index.md")
    files[pathlib.Path("docs/README.md")] = pathlib.Path("contents.md")
    for page in ("SECURITY.md", "CHANGELOG.md", "models/README.md", "examples/network_pipe/README.md"):
        files[pathlib.Path(page)] = pathlib.Path("more", page.replace("/README.md", ".md"))
    return files


def relinked(text, page, files):
    """The text with its links as they are in the site."""
    def replace(match):
        mark, name, target = match.groups()
        path, hash_mark, heading = target.partition("#")
        if not path or "://" in path:
            return match[0]
        found = files.get((pathlib.Path(os.path.normpath(ROOT / page.parent / path))).relative_to(ROOT))
        if found is None:
            return name if name.startswith("`") else f"{name} (`{path.lstrip('./')}`)"
        return f"{mark}[{name}]({os.path.relpath(found, files[page].parent)}{hash_mark}{heading})"

    return LINK.sub(replace, text)


def contents(files):
    """Sections of docs/README.md, each with its pages."""
    sections = []
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if section := SECTION.match(line):
            sections.append((section[1], []))
        elif row := ROW.match(line):
            page = pathlib.Path(os.path.normpath(pathlib.Path("docs") / row[2]))
            sections[-1][1].append((row[1], files[page]))
    return sections


def title(page):
    """The first heading of a page."""
    return next(line[2:] for line in (ROOT / page).read_text(encoding="utf-8").splitlines() if line.startswith("# "))


def navigation(files, interfaces):
    lines = ["nav:", "  - Home: index.md", "  - Contents: contents.md"]
    for section, pages in contents(files):
        lines.append(f"  - {section}:")
        lines += [f"      - {name}: {page}" for name, page in pages]
    if interfaces:
        lines.append("  - Interfaces:")
        lines += [f"      - '{name}': {page}" for name, (_, page) in interfaces.items()]
    lines.append("  - More:")
    lines += [f"      - {title(source)}: {page}" for source, page in files.items() if page.parts[0] == "more"]
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    files = sources()
    interfaces, plugins = api.write(folder / "pages", folder / "doxygen")
    led_to = {**files, **dict(interfaces.values())}
    for source, place in files.items():
        target = folder / "pages" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = (ROOT / source).read_text(encoding="utf-8")
            target.write_text(relinked(text, source, led_to), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / source, target)
    shutil.copyfile(ROOT / "docs/site/wide.css", folder / "pages/wide.css")
    settings = (ROOT / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
    if plugins:
        settings = settings.replace("plugins: [search]\n", plugins)
    (folder / "mkdocs.yml").write_text(settings + navigation(files, interfaces), encoding="utf-8")


if __name__ == "__main__":
    main()
