"""Paths of what the tests use, networks that are made once, and programs in Python that run beside the tests."""
import atexit
import contextlib
import functools
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
PACKAGES = BUILD / "apps/python"
PROGRAM = BUILD / "apps/shingle"
MAKE_NETWORK = BUILD / "tests/networks/make-network"
SHARED = ROOT.parent / "shared/data"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGES), "PYTHONDONTWRITEBYTECODE": "1"}

sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGES))


def why_not_here():
    if not list((PACKAGES / "shingle").glob("_shingle*.so")):
        return "the package for Python is not built: it needs pybind11-dev, python3-dev and python3-numpy (tools/deps)"
    if importlib.util.find_spec("numpy") is None:
        return "python3-numpy is not installed"
    return None


MISSING = why_not_here()
PIL_IS_HERE = importlib.util.find_spec("PIL") is not None


@unittest.skipIf(MISSING, f"skipped: {MISSING}")
class WithPackage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


@functools.cache
def scratch():
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder


@functools.cache
def network(name, size):
    path = scratch() / f"{name}-{size}.onnx"
    subprocess.run([MAKE_NETWORK, name, path, "--size", str(size)], check=True, capture_output=True)
    return path


def shingle(*words):
    """What the program prints."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cluster_file(folder, nodes):
    """A file of nodes on free ports of this machine."""
    path = folder / "cluster.toml"
    with contextlib.ExitStack() as kept:
        sockets = [kept.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(nodes)]
        path.write_text("".join(f"[[node]]\nid = {i}\nport = {each.getsockname()[1]}\n" for i, each in enumerate(sockets)))
    return path


def alive(pid):
    """A zombie is not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children_of(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


class Script:
    """A program in Python with the package; it says 'ready' when the test may go on."""

    def __init__(self, text, *words, own_group=False):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-X", "faulthandler", "-W", "error", "-c", text, *map(str, words)], env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=own_group)

    def wait_until_ready(self):
        line = self.process.stdout.readline()
        assert line == "ready\n", (line, self.end())

    def interrupt(self, group=False):
        if group:
            os.killpg(self.process.pid, signal.SIGINT)
        else:
            self.process.send_signal(signal.SIGINT)

    def end(self, timeout=60):
        """(exit status, stdout, stderr)"""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # faulthandler prints where it is
            out, err = self.process.communicate(timeout=timeout)
            return "hung", out, err
        return self.process.returncode, out, err
