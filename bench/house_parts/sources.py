"""What the sources themselves show: arrows, circles, long functions, duplicates, asserts, fields, folders and kinds of error."""
import importlib.machinery
import importlib.util
import pathlib
import re

from . import cpp

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("partition", "devices", "runtime", "transport", "sim", "apps")
LONGEST_FUNCTION, FEWEST_LINES = 60, 6


def check_includes():
    """tools/check-includes as a module: its tables are the only ones."""
    loader = importlib.machinery.SourceFileLoader("check_includes", str(ROOT / "tools/check-includes"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_includes", loader))
    loader.exec_module(module)
    return module


class Source:
    def __init__(self, path):
        self.name = path.relative_to(ROOT).as_posix()
        self.text = path.read_text()
        self.functions, self.types = cpp.parse(self.text)


def read_all():
    return [Source(path) for room in ROOMS for suffix in ("*.hpp", "*.cpp") for path in sorted((ROOT / room).rglob(suffix))]


def list_all(title, found):
    for each in found:
        print(f"  {title}: {each}")


def arrows(found):
    checks = check_includes()
    upward = [*checks.check_includes(), *checks.check_inner_rooms()]
    list_all("up", upward)
    found.put("up_arrows", len(upward), ("most", 0), note="includes that tools/check-includes' tables do not allow")
    round_trips = list(checks.check_circles())
    list_all("circle", round_trips)
    found.put("circles", len(round_trips), ("most", 0), note="among headers, and among rooms and inner rooms")


def functions(found, sources):
    every = [(function, source.name) for source in sources for function in source.functions]
    long = [f"{name}:{function.line} {function.lines} lines" for function, name in every
            if function.lines > LONGEST_FUNCTION and not function.is_table()]
    list_all("long function", long)
    found.put("functions_over_60", len(long), ("most", 0), note=f"of {len(every)}; head to brace; no tables: at most 3 statements, no branch or loop")


TRIVIAL = re.compile(r"\W*|#.*|//.*|}?\s*(namespace|using|public|private|protected|else|break|return)\b[\w :{}]*;?")


def meaningful(text):
    """(line number, text) of each line that is neither blank, comment, include, brace, label nor a bare `return` or `else`."""
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if not TRIVIAL.fullmatch(line.strip())]


def duplicates(sources):
    """Each longest run of equal lines at two places, once."""
    lines = {source.name: meaningful(source.text) for source in sources}
    places = {}
    for name, kept in lines.items():
        for start in range(len(kept) - FEWEST_LINES + 1):
            places.setdefault(tuple(line for _, line in kept[start:start + FEWEST_LINES]), []).append((name, start))
    pairs = {(one, other) for same in places.values() for i, one in enumerate(same) for other in same[i + 1:]}
    starts = [pair for pair in pairs if ((pair[0][0], pair[0][1] - 1), (pair[1][0], pair[1][1] - 1)) not in pairs]
    for one, other in sorted(starts):
        length = FEWEST_LINES
        while ((one[0], one[1] + length - FEWEST_LINES + 1), (other[0], other[1] + length - FEWEST_LINES + 1)) in pairs:
            length += 1
        yield f"{one[0]}:{lines[one[0]][one[1]][0]} and {other[0]}:{lines[other[0]][other[1]][0]}, {length} lines"


def literal_duplicates(found, sources):
    same = list(duplicates(sources))
    list_all("duplicate", same)
    found.put("literal_duplicates", len(same), ("most", 0), note="six or more equal lines in a row at two places; blanks, comments, includes and braces left out")


def asserts(found, sources):
    held = [source for source in sources if source.name.split("/")[0] in ("runtime", "transport")]
    lines = sum(cpp.code_lines(source.text) for source in held)
    count = sum(len(re.findall(r"(?<!static_)\bassert\(", cpp.blank(source.text))) for source in held)
    found.put("asserts_per_kloc_runtime", round(1000 * count / lines, 2), ("least", 15), note=f"{count} in {lines} lines of code of runtime/ and transport/")


def largest_class(found, sources):
    counted = sorted(((cpp.fields(kind.body), kind.name, f"{source.name}:{kind.line}") for source in sources for kind in source.types
                      if kind.has_private and not kind.name.endswith("Options")), reverse=True)
    for count, name, where in counted[:5]:
        print(f"  fields: {name} {count}, {where}")
    found.put("largest_class_fields", counted[0][0], ("most", 15), note=f"{counted[0][1]}; of {len(counted)} classes with private fields; ...Options left out")


def largest_folder(found):
    folders = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.suffix in (".hpp", ".cpp", ".fbs"):
                folders.setdefault(path.parent, []).append(path)
    folder, files = max(folders.items(), key=lambda item: len(item[1]))
    found.put("files_in_largest_folder", len(files), ("most", 40), note=folder.relative_to(ROOT).as_posix())


RESULT = "partition/base/result.hpp"  # defines Result
OTHER_WAYS = {  # of saying that something failed, beside Result and Status
    "optional<Error>": re.compile(r"\boptional<(?:\w+::)*(?:Error|Failure)>"),
    "variant with Error": re.compile(r"\bvariant<[^;{}()]*\b(?:Error|Failure)\b[^;{}()]*>"),
    "optional<string> of an error": re.compile(r"\boptional<std::string>\s+(?:\w+::)*\w*(?:error|trouble|fault|failure|defect|refus|why_not|wrong|objection|lack_of)\w*\(", re.IGNORECASE),
}


def error_types(found, sources):
    ways = {"Result and Status"}
    for source in sources:
        if source.name == RESULT:
            continue
        text = cpp.blank(source.text)
        for way, pattern in OTHER_WAYS.items():
            for match in pattern.finditer(text):
                ways.add(way)
                print(f"  error type: {way}, {source.name}:{text.count(chr(10), 0, match.start()) + 1}")
    found.put("error_types", len(ways), ("most", 1), note="Result and Status are one; one more for each of: " + ", ".join(OTHER_WAYS))


def measure(found, _):
    sources = read_all()
    arrows(found)
    functions(found, sources)
    literal_duplicates(found, sources)
    asserts(found, sources)
    largest_class(found, sources)
    largest_folder(found)
    error_types(found, sources)
