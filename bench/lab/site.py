"""Where a bench runs: the programs, models that are made once, pictures, and labs that are up for as long as they are used."""
import contextlib
import functools
import json
import os
import pathlib
import platform
import random
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/apps/shingle"
MAKE_NETWORK = ROOT / "build/release/tests/networks/make-network"
LAB = ROOT / "tools/lab"
CLUSTERS = ROOT / "devices/clusters"
FOLDER = ROOT / "build/bench-cluster"


class BenchError(Exception):
    """One sentence."""


def chosen(text, parts):
    """The parts of a bench that the user names, by commas."""
    unknown = [word for word in text.split(",") if word not in parts]
    if unknown:
        raise BenchError(f"'{unknown[0]}' is no part; there are {', '.join(parts)}")
    return text.split(",")


def call(*words, timeout=900):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=timeout)
    if done.returncode != 0:
        raise BenchError(f"'{' '.join(map(str, words))}' ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def model(name, size=0):
    """The network as an ONNX file with random weights."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}-{size}.onnx"
    if not path.exists():
        half = path.with_suffix(".half.onnx")
        call(MAKE_NETWORK, name, half, *(["--size", size] if size else []))
        os.replace(half, path)
    return path


@functools.cache
def exported(name, opset, stored="float32"):
    """The network as an exporter writes it, made anew by each bench; `stored`: see make-network."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}-opset{opset}-{stored}.onnx"
    call(MAKE_NETWORK, name, path, "--opset", opset, "--stored", stored)
    return path


def pictures(side, count):
    """A folder of random pictures: they cannot be compressed or guessed."""
    folder = FOLDER / f"pictures-{side}-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(side)
    for number in range(count):
        path = folder / f"{number:03}.ppm"
        if not path.exists():
            path.write_bytes(b"P6 %d %d 255\n" % (side, side) + dice.randbytes(side * side * 3))
    return folder


def date():
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())


def kernel():
    """Which convolution kernels, by the commit that they are of; "dirty" when the sources are others."""
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    return f"native executor, commit {commit or 'unknown'}"


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")),
               platform.machine())
    return f"{os.cpu_count()} x {cpu}, Linux {platform.release()}"


class Lab:
    """A context: the lab is up inside it."""

    def __init__(self, cluster, *options):
        self.cluster = pathlib.Path(cluster)
        self.name = f"bench{os.getpid()}_{self.cluster.stem}"
        self.options = options

    def __enter__(self):
        call(LAB, "up", self.cluster, "--name", self.name, *self.options)
        return self

    def __exit__(self, *_):
        call(LAB, "down", self.name)

    def command(self, verb, *words):
        return [str(LAB), verb, "--name", self.name, *map(str, words)]

    def mbps(self, way="0:1", tries=5):
        """The best of a few measurements, because other load can only reduce the speed."""
        return max(json.loads(call(*self.command("measure", way, "--seconds", 2)))["mbps"] for _ in range(tries))


def cluster_of(nodes, like="pi3x6", change=None, name=None):
    """A cluster file with the first `nodes` nodes of a repository's one, each table through `change`."""
    text = (CLUSTERS / f"{like}.toml").read_text()
    head, *tables = text.split("[[node]]")
    tables = [change(number, table) if change else table for number, table in enumerate(tables[:nodes])]
    path = FOLDER / f"{name or like + '_' + str(nodes) + ('_changed' if change else '')}.toml"
    FOLDER.mkdir(parents=True, exist_ok=True)
    path.write_text("[[node]]".join([head, *tables]))
    return path


@contextlib.contextmanager
def lab(cluster, *options):
    with Lab(cluster, *options) as up:
        yield up
