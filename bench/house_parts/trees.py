"""The two builds that are compared: this checkout's, and that of the commit before."""
import json
import os
import pathlib
import shlex
import subprocess

from lab import site

TARGETS = ("shingle", "make-network", "bench-plan", "shingle-simtest")
LONG_S = 3600


class Tree:
    """A checkout with its release build."""

    def __init__(self, root, key, name):
        self.root, self.key, self.name = pathlib.Path(root), key, name  # key: "old" or "new"
        self.build = self.root / "build/release"
        self.shingle = self.build / "apps/shingle"
        self.make_network = self.build / "tests/networks/make-network"
        self.bench_plan = self.build / "bench/bench-plan"
        self.simtest = self.build / "tests/swarm/shingle-simtest"

    def is_built(self):
        return all(program.exists() for program in (self.shingle, self.make_network, self.bench_plan, self.simtest))

    def make(self):
        print(f"building {self.name} in {self.build} ...", flush=True)
        site.call("cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
        site.call("cmake", "--build", self.build, "--target", *TARGETS, timeout=LONG_S)

    def compile(self, source, program):
        """Compiles one source as shingle-simtest's own and links it with the same libraries: whatever they are in this tree."""
        own = next(each for each in json.loads((self.build / "compile_commands.json").read_text())
                   if each["file"].endswith("tests/swarm/simtest.cpp"))
        compiled = program.with_suffix(".o")
        program.parent.mkdir(parents=True, exist_ok=True)
        words = shlex.split(own["command"])
        words[words.index("-o") + 1], words[words.index("-c") + 1] = str(compiled), str(source)
        run_in(self.build, words)
        link = site.call("ninja", "-C", self.build, "-t", "commands", "tests/swarm/shingle-simtest").splitlines()[-1]
        words = [word for word in shlex.split(link) if word not in (":", "&&")]
        words = [str(compiled) if word.endswith("simtest.cpp.o") else word for word in words]
        words[words.index("-o") + 1] = str(program)
        run_in(self.build, words)
        return program


def run_in(folder, words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise site.BenchError(f"'{' '.join(words)}' ended with {done.returncode}: {done.stderr.strip()[-800:]}")


def new():
    tree = Tree(site.ROOT, "new", "this checkout")
    tree.make()
    return tree


def old(commit):
    """Of the checkout that SHINGLE_AGAINST names, else of a git worktree in build/against/COMMIT, which is kept."""
    given = os.environ.get("SHINGLE_AGAINST")
    tree = Tree(given or site.ROOT / "build/against" / commit, "old", given or commit)
    if given and not tree.is_built():
        raise site.BenchError(f"SHINGLE_AGAINST names '{given}', where build/release lacks one of {', '.join(TARGETS)}")
    if not tree.root.exists():
        site.call("git", "-C", site.ROOT, "worktree", "add", "--detach", tree.root, commit)
    if not tree.is_built():
        tree.make()
    return tree


def data():
    """The folder of real models, or None: they are no part of the repository."""
    folder = pathlib.Path(os.environ.get("SHINGLE_DATA", site.ROOT.parent / "shared/data"))
    return folder if folder.is_dir() else None
