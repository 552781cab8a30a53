"""Arm's 64 bits, built by a cross compiler and run by qemu in a tree of this machine's release (tools/in-tree): the tests of what
computes and decides, and two real nodes whose outputs have this machine's bytes.

qemu computes some twenty times slower. What holds real time to a limit is left out, and named."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from lab import site
from package_parts import frames, packages, running

ARCHITECTURE, TRIPLET, QEMU = "arm64", "aarch64-linux-gnu", "qemu-aarch64-static"
LOG = site.ROOT / "build/bench-package-arm64.log"
ROOMS = {"partition": [], "kernels": [], "devices": [], "runtime": [], "sim": [], "transport": ["--source-file=*transport/codec*"]}
# Tests of times of threads and of this machine's cores, by room. The suite "long" is left out too.
LEFT_OUT = {
    "devices": ["A loop of ours sends XNNPACK's waiting threads to sleep",
                "Workers keep off the core on which their caller computes, wherever that goes", "this process runs where it is told to"],
    "runtime": ["a slowed node can be stopped in the middle of its slow-down", "a camera that is faster than the driver is told so"],
}
PICTURES, PATIENCE_S, START_S = 2, 60, 300


def tree(*words):
    return [site.ROOT / "tools/in-tree", "--cross", ARCHITECTURE, packages.deb.suite(), "env", f"SHINGLE_TRIPLET={TRIPLET}", *words]


def copy():
    """The checkout's copy in the tree, as it is seen from outside."""
    return site.ROOT / f"build/trees/{packages.deb.suite()}-{ARCHITECTURE}"


def in_tree(*words, log, timeout=4 * 3600):
    """What it prints, and its status; all of it goes to the log."""
    ran = subprocess.run([str(word) for word in tree(*words)], cwd=site.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         check=False, timeout=timeout)
    log.write(f"\n{' '.join(map(str, words))}\n{ran.stdout}")
    log.flush()
    return ran.stdout, ran.returncode


def build(log):
    targets = [f"{room}_tests" for room in ROOMS] + ["shingle-node"]
    for words in (["cmake", "--preset", "release", "--toolchain", "/shingle/tools/cross.cmake"],
                  ["cmake", "--build", "--preset", "release", "--target", *targets]):
        if in_tree(*words, log=log)[1] != 0:
            raise site.BenchError(f"the build for {ARCHITECTURE} failed; see {LOG}")


def counts_of(text):
    """(passed, failed) of what doctest printed; None if it did not come to its end."""
    found = re.search(r"^\[doctest\] test cases: +\d+ \| +(\d+) passed \| +(\d+) failed", text, re.M)
    return (int(found[1]), int(found[2])) if found else None


def test_words(room):
    words = [QEMU, f"build/release/tests/{room}_tests", "--test-suite-exclude=long", *ROOMS[room]]
    names = [name.replace(",", r"\,") for name in LEFT_OUT.get(room, [])]
    return [*words, f"--test-case-exclude={','.join(names)}"] if names else words


def test(say, log):
    """(passed, failed) of all rooms. A program that does not come to its end is one failed test."""
    passed = failed = 0
    for room in ROOMS:
        said, status = in_tree(*test_words(room), log=log)
        counts = counts_of(said)
        if counts is None:
            say(f"{room}: ended with {status} before its summary; see {LOG}")
            counts = (0, 1)
        passed, failed = passed + counts[0], failed + counts[1]
        say(f"{room}: {counts[0]} passed, {counts[1]} failed")
        for name in re.findall(r"^TEST CASE:\s+(.*)\n(?:.*\n)*?.* ERROR: ", said, re.M):
            say(f"  failed: {name}")
    say("left out: the suite long; " + "; ".join(f"{room}: {name}" for room, names in LEFT_OUT.items() for name in names))
    return passed, failed


def raw_outputs(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.f32")}


def identical(say):
    """Two nodes of the tree compute for `shingle run` outside; whether its raw outputs are those of two workers of this machine."""
    running.must_be_built(site.PROGRAM, running.NODE)
    shared = copy() / "build/bench-package"
    shutil.rmtree(shared, ignore_errors=True)
    shared.mkdir(parents=True)
    shutil.copy(frames.model(), shared)
    ports = running.free_ports(3)
    (shared / "cluster.toml").write_text("".join(f"[[node]]\nid = {number}\nport = {port}\n" for number, port in enumerate(ports)))
    node = [QEMU, "build/release/apps/shingle-node", "--config", "none", "--cluster", "build/bench-package/cluster.toml",
            "--models", "build/bench-package", "--insecure", "--patience", PATIENCE_S]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pictures = frames.write_pictures(frames.decoded(frames.clip(), PICTURES), folder / "pictures")
        ours = frames.found_by_run(pictures, PICTURES, "--raw-out", folder / "here")
        with running.program(*tree(*node, "--id", 1)) as first, running.program(*tree(*node, "--id", 2)) as second:
            for port, process in ((ports[1], first), (ports[2], second)):
                running.until(lambda: running.listens(port) or process.poll() is not None, f"a node of {ARCHITECTURE}", START_S)
            ran = subprocess.run([str(word) for word in (
                site.PROGRAM, "run", frames.model(), pictures, "--json", "--cluster", shared / "cluster.toml", "--id", 0, "--insecure",
                "--patience", PATIENCE_S, "--raw-out", folder / "there")],
                capture_output=True, text=True, check=False, timeout=1800)
            if ran.returncode != 0:
                nodes = f"{first.said()[-200:]}{second.said()[-200:]}"
                raise site.BenchError(f"shingle run ended with {ran.returncode}: {ran.stderr.strip()[-300:]} {nodes}")
        summary = json.loads(ran.stdout.splitlines()[-1])
        here, there = raw_outputs(folder / "here"), raw_outputs(folder / "there")
    say(f"{len(there)} raw outputs by two {ARCHITECTURE} nodes (tiles: {summary['tiles_per_node']}): "
        f"{'the same bytes' if here == there else 'other bytes'}, {sum(map(len, ours))} boxes")
    return bool(here) and here == there and sum(tiles > 0 for tiles in summary["tiles_per_node"]) == 2


def run(_, say):
    if os.geteuid() != 0:
        raise site.BenchError("only root can change into a tree; run tools/bench package with sudo")
    with LOG.open("w") as log:
        build(log)
        passed, failed = test(say, log)
    return {"arm64_tests_passed": passed, "arm64_tests_failed": failed, "arm64_identical": identical(say)}
