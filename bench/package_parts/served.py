"""`shingle serve` as it runs for a client: local workers, one model, called "bench"."""
import contextlib
import pathlib
import re
import subprocess
import tempfile

from lab import site
from package_parts import frames, running

NAME = "bench"


def has_serve():
    running.must_be_built(site.PROGRAM)
    told = subprocess.run([site.PROGRAM, "serve", "--help"], capture_output=True, text=True, check=False)
    return told.returncode == 0 and "--frigate" in told.stdout


@contextlib.contextmanager
def serving(*options):
    """The running server."""
    if not has_serve():
        raise site.BenchError(f"{site.PROGRAM} has no verb serve; build it from a checkout that has apps/serve")
    words = [site.PROGRAM, "serve", f"{NAME}={frames.model()}", "--config", "none", "--workers", frames.WORKERS, *options]
    with running.program(*words) as server:
        yield server


def port_of(server):
    """Of HTTP, which the server chose itself (--http 127.0.0.1:0)."""
    def told():
        if server.poll() is not None:
            raise site.BenchError(f"shingle serve ended with {server.returncode}: {server.said().strip()[-300:]}")
        return re.search(r"http://[^ ]*:(\d+)/v2", server.said())

    return int(running.until(told, "the address of shingle serve")[1])


@contextlib.contextmanager
def serving_frigate(*options):
    """(the running server, its endpoint for Frigate's detectors)."""
    with tempfile.TemporaryDirectory(prefix="shingle-bench.") as folder:
        path = pathlib.Path(folder) / "frigate"
        with serving("--http", "none", "--frigate", f"ipc://{path}", *options) as server:
            running.until(lambda: path.exists() or server.poll() is not None, "the socket of shingle serve")
            yield server, f"ipc://{path}"


def workers_of(server):
    """Process ids of its local workers."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = re.fullmatch(r"\d+ \((.*)\) (.*)", status.read_text().strip()).groups()
        except OSError:  # it has just ended
            continue
        if name == "shingle-node" and int(rest.split()[1]) == server.pid:
            found.append(int(status.parent.name))
    return sorted(found)
