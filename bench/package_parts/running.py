"""Programs that run beside a bench: started, waited for, ended by their id."""
import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
import time

from lab import site

NODE = site.ROOT / "build/release/apps/shingle-node"
PATIENCE_S = 60


def free_ports(count):
    """Loopback ports that nobody has at this moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def listens(port):
    """Whether somebody takes connections at this loopback port."""
    with socket.socket() as caller:
        caller.settimeout(1)
        return caller.connect_ex(("127.0.0.1", port)) == 0


def must_be_built(*programs):
    missing = [str(program) for program in programs if not pathlib.Path(program).exists()]
    if missing:
        raise site.BenchError(f"{' and '.join(missing)} is not built; tools/bench package builds it")


def until(condition, what, seconds=PATIENCE_S):
    """What `condition` gives, as soon as that is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise site.BenchError(f"{what} did not come within {seconds} s")
        time.sleep(0.02)
    return value


def printed(words, pictures=subprocess.DEVNULL, timeout=900, **more):
    """What a program prints, as bytes; a BenchError if it fails."""
    ran = subprocess.run([str(word) for word in words], stdin=pictures, capture_output=True, check=False, timeout=timeout, **more)
    if ran.returncode != 0:
        said = ran.stderr.decode(errors="replace").strip()[-300:]
        raise site.BenchError(f"{pathlib.Path(words[0]).name} ended with {ran.returncode}: {said}")
    return ran.stdout


@contextlib.contextmanager
def program(*words, **more):
    """A running program; it is ended behind the context. What it says on stderr is in `said()` of it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=errors, **more)
        process.said = lambda: _all_of(errors)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _all_of(file):
    place = os.dup(file.fileno())
    with os.fdopen(place, "rb") as copy:
        return os.pread(copy.fileno(), 1 << 20, 0).decode(errors="replace")


class Notified:
    """A socket like a service manager's: READY=1 comes when a program is ready."""

    def __init__(self, folder):
        self.path = str(pathlib.Path(folder) / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(PATIENCE_S)
        self.environment = {**os.environ, "NOTIFY_SOCKET": self.path}

    def wait(self, process):
        try:
            while "READY=1" not in self.socket.recv(4096).decode().splitlines():
                pass
        except TimeoutError:
            raise site.BenchError(f"the program did not get ready: {process.said().strip()[-300:]}") from None
