"""The copy of the sources in which all mutants stand, and its programs."""
import difflib
import hashlib
import pathlib
import pickle
import shutil
import subprocess
import sys

from . import parse, sites, weave

ROOT = pathlib.Path(__file__).resolve().parents[3]
COPY = ROOT / "build" / "mutants" / "source"
SITES = ROOT / "build" / "mutants" / "sites.pickle"
# node_check.cpp only looks: on sources that keep its rules no test can tell whether a rule is still looked at.
LEFT_OUT = {"node_check.cpp"}
ROOM = "runtime/CMakeLists.txt"
CHOICE = "runtime/node/node_mutant.cpp"
# Only the woven sources get these options, so that the compiler's cache serves all others. The library's assertions end a run that
# reads an empty optional or behind a vector's end.
QUIET = b"""
file(GLOB_RECURSE woven node/*.cpp)
set_source_files_properties(${woven} PROPERTIES COMPILE_OPTIONS "-w;-D_GLIBCXX_ASSERTIONS")
"""
TARGETS = ["shingle-simtest", "runtime_tests", "sim_tests"]


def mutated():
    return [file for file in sorted((ROOT / "runtime" / "node").rglob("*.cpp")) if file.name not in LEFT_OUT]


def make():
    """Copies the sources and weaves all mutants in. Returns them by number, from 1."""
    refresh_copy()
    mutants = {}
    for file, found in sites_by_file().items():
        numbered = [(len(mutants) + place, site) for place, site in enumerate(found, 1)]
        mutants.update(numbered)
        write(COPY / file.relative_to(ROOT), weave.woven(file.read_bytes(), numbered))
    return mutants


def sites_by_file():
    """Reading the syntax takes a minute; what was found last time holds as long as what was read is the same."""
    key = state_of("runtime", "partition", "tests/planted/mutation")
    if SITES.exists():
        kept_key, kept = pickle.loads(SITES.read_bytes())
        if kept_key == key:
            return kept
    configure()
    arguments = parse.arguments_of(COPY / "build" / "release")
    found = {file: sites.of(file, ROOT, arguments[str(COPY / file.relative_to(ROOT))]) for file in mutated()}
    SITES.write_bytes(pickle.dumps((key, found)))
    return found


def state_of(*folders):
    """A hash of all files in them."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def refresh_copy():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout.decode()
    names = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    for path in [each for each in COPY.rglob("*") if each.is_file() and COPY / "build" not in each.parents]:
        if str(path.relative_to(COPY)) not in names | {CHOICE}:
            path.unlink()
    woven = {str(file.relative_to(ROOT)) for file in mutated()}
    for name in names - woven - {ROOM}:
        write(COPY / name, (ROOT / name).read_bytes())
    write(COPY / ROOM, (ROOT / ROOM).read_bytes() + QUIET)
    for name in woven - {str(path.relative_to(COPY)) for path in COPY.glob("runtime/node/**/*.cpp")}:
        shutil.copy(ROOT / name, COPY / name)  # there must be something to configure with
    write(COPY / CHOICE, weave.CHOICE)


def write(path, content):
    """What did not change keeps its time, so it is not built again."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def configure():
    ask(["cmake", "--preset", "release", "-S", "."])


def build():
    configure()
    ask(["cmake", "--build", "--preset", "release", "--target", *TARGETS, "--", "-k", "0"])


def ask(command):
    done = subprocess.run(command, cwd=COPY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:3])} failed in {COPY}:\n{(done.stdout + done.stderr)[-20000:]}")


def difference(site):
    """What a mutant changes, as a patch would say it."""
    source = (ROOT / site.file).read_bytes()
    changed = source[:site.begin] + plain(source, site) + source[site.end:]
    lines = difflib.unified_diff(source.decode().splitlines(), changed.decode().splitlines(), site.file, "mutant", lineterm="", n=1)
    return "\n".join("    " + line for line in list(lines)[2:])


def plain(source, site):
    """The mutant's own text, as somebody would have written it."""
    text = source[site.begin:site.end]
    if site.kind == "drop":
        return b";"
    if site.kind == "turn":
        return b"!(%s)" % text
    if site.kind == "step":
        return b"%s + 1" % text
    operands = [source[slice(*operand)] for operand in site.operands]
    if site.kind == "leave":
        return operands[0]
    return b"%s %s %s" % (operands[0], sites.NEXT[site.operator].encode(), operands[1])
