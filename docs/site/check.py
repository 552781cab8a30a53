"""Holds a made site to its word: each link and picture leads to a file of it and to a heading there, and no page loads anything
from elsewhere.

    python3 docs/site/check.py FOLDER      exit 1 and one line for each page that fails
"""
import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if (tag, name) in LOADED and not (tag == "link" and dict(attributes).get("rel") == "canonical"):
                self.loads.append(value)
            if (tag, name) == ("a", "href"):
                self.links.append(value)


def faults(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":  # its links are absolute, as it is shown at any address
            continue
        yield from (f"{path}: loads {each} from elsewhere" for each in page.loads if "://" in each or each.startswith("//"))
        for link in page.links + page.loads:
            target = urllib.parse.urlsplit(link)
            if target.scheme or target.netloc:
                continue
            file = (path.parent / urllib.parse.unquote(target.path)).resolve() if target.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.exists():
                yield f"{path}: {link} leads nowhere"
            elif target.fragment and file in pages and urllib.parse.unquote(target.fragment) not in pages[file].ids:
                yield f"{path}: {link} names no heading"


def main():
    found = list(faults(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
