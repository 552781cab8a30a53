"""Arm's 64 bits, built by a cross compiler and run by qemu in a tree of this machine's release (tools/arm64): the
tests of what computes and decides, the bits of seeded networks, and two real nodes whose outputs have this machine's bytes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lab import site
from package_parts import frames, packages, running

sys.path.insert(0, str(site.ROOT / "tools"))
from emulation import comparing, rooms  # noqa: E402
from emulation.tree import ARCHITECTURE, QEMU, CrossTree, EmulationError  # noqa: E402

LOG = site.ROOT / "build/bench-package-arm64.log"
PICTURES, PATIENCE_S, START_S = 2, 60, 300


def raw_outputs(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.f32")}


def identical(tree, say):
    """Two nodes of the tree compute for `shingle run` outside; whether its raw outputs are those of two workers of this machine."""
    running.must_be_built(site.PROGRAM, running.NODE)
    shared = tree.copy / "build/bench-package"
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
        with running.program(*tree.words(*node, "--id", 1)) as first, running.program(*tree.words(*node, "--id", 2)) as second:
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
    try:
        with LOG.open("w") as log:
            tree = CrossTree(packages.deb.suite(), log)
            tree.build(*(f"{room}_tests" for room in rooms.ROOMS), "shingle-node")  # tools/arm64 builds everything
            passed, failed = rooms.test(tree, say)
            bits = comparing.same_bits(tree, say)
            return {"arm64_tests_passed": passed, "arm64_tests_failed": failed, "arm64_bits_equal": bits,
                    "arm64_identical": identical(tree, say)}
    except EmulationError as error:
        raise site.BenchError(str(error)) from None
