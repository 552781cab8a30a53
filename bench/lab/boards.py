"""Six nodes of a lab as processes that a bench may kill, stop and start again, and the stream that runs through them."""
import contextlib
import hashlib
import json
import signal
import pathlib
import subprocess
import sys
import threading
import time

from . import site

sys.path.insert(0, str(site.ROOT / "tools"))
from laboratory import relaying, running, state  # noqa: E402
from laboratory.processes import InHost  # noqa: E402

OWNER = 0


class Boards:
    """The nodes beside the owners'. What each says on stderr is kept with the moment when it came: they say whom they lost.

    With `keys`, a folder, every wire is encrypted with them. `capped`: each keeps the cap of the cluster's file, beside what a bare process holds."""

    def __init__(self, lab, model, options=None, owners=(OWNER,), keys=None, capped=False):
        self.lab, self.model = lab, model
        self.options = options or {}  # by node: further words
        self.access = ["--keys", keys] if keys else ["--insecure"]
        self.content = state.read(lab.name)
        self.bare_bytes = running.bare_bytes(lab.name, self.content) if capped else 0
        self.cluster = self.content["cluster"] if capped else without_caps(self.content["cluster"])
        self.workers = [node["id"] for node in self.cluster["nodes"] if node["id"] not in owners]
        self.running, self.said = {}, []

    def __enter__(self):
        for node in self.workers:
            self.start(node)
        return self

    def __exit__(self, *_):
        for node in self.workers:
            with contextlib.suppress(ProcessLookupError):
                self.running[node].process.send_signal(signal.SIGCONT)  # a stopped process does not end
            self.running[node].end()

    def cluster_file(self, node):
        return relaying.file_for(self.lab.name, node) if self.content.get("relay") else state.folder(self.lab.name) / "cluster.toml"

    def start(self, node, memory_bytes=0):
        """Starts the node, with a limit on its memory if one is given. The node does not know the limit; the kernel kills it there."""
        cluster = with_caps(self.cluster, memory_bytes) if memory_bytes else self.cluster
        words = [site.PROGRAM, "node", "--cluster", self.cluster_file(node), "--id", node, "--models", self.model, *self.access,
                 *self.options.get(node, [])]
        self.running[node] = InHost(self.lab.name, cluster, node, words, self.bare_bytes, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.listen, args=(node, self.running[node].process.stderr), daemon=True).start()

    def listen(self, node, stream):
        for line in stream:
            self.said.append((time.monotonic(), node, line.strip()))

    def signal(self, node, number):
        self.running[node].process.send_signal(number)

    def kill(self, node):
        self.running[node].process.kill()
        self.running[node].end()

    def is_running(self, node):
        return self.running[node].process.poll() is None

    def suspicions(self):
        """How often a node said that it lost another because nothing was heard of it."""
        return sum("was lost: nothing was heard of it" in line for _, _, line in self.said)

    def losses_of(self, node, since, until):
        """When each other node said that it lost this one."""
        return {who: at for at, who, line in reversed(self.said)
                if who != node and since <= at < until and f"node {node} (" in line and "was lost" in line}


def with_caps(cluster, memory_bytes):
    return {**cluster, "nodes": [{**each, "memory_bytes": memory_bytes} for each in cluster["nodes"]]}


def without_caps(cluster):
    return with_caps(cluster, 0)


class Stream:
    """`shingle run` at an owner: frames as they come out. `raw` is a folder for the outputs' bytes."""

    def __init__(self, boards, pictures, frames, *options, raw=None, opened=4, owner=OWNER):
        self.frames, self.raw = frames, raw
        self.delivered = []  # (when, the frame's line)
        self.summary, self.report = None, None
        words = [site.PROGRAM, "run", boards.model, pictures, "--cluster", boards.cluster_file(owner), "--id", owner, "--compute", *boards.access,
                 "--json", "--head", "raw", "--frames", frames, "--open", opened, *options]
        words += ["--raw-out", raw] if raw else []
        self.trouble = []
        self.program = InHost(boards.lab.name, boards.cluster, owner, words, boards.bare_bytes, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read, self.complain)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.program.process.stdout:
            at, told = time.monotonic(), json.loads(line)
            if "ms" in told:
                self.delivered.append((at, told))
            elif "fps" in told:
                self.summary = told
            elif "memory" in told:
                self.report = told

    def complain(self):
        self.trouble.extend(line.strip() for line in self.program.process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()

    def kill(self):
        self.program.process.kill()
        self.wait_for_end(5.0)

    def is_over(self):
        return self.program.process.poll() is not None

    def wait_for(self, frames, patience_s=60.0):
        return self.wait(lambda: len(self.delivered) >= frames, patience_s)

    def wait_for_end(self, patience_s):
        ended = self.wait(lambda: False, patience_s)
        for reader in self.readers:
            reader.join(5.0)
        return ended

    def wait(self, enough, patience_s):
        end = time.monotonic() + patience_s
        while not enough() and not self.is_over():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def latencies_ms(self):
        return [told["ms"] for _, told in self.delivered]

    def rate(self, begin, end):
        return sum(begin <= at < end for at, _ in self.delivered) / (end - begin)


def repeated(pictures, count, folder):
    """That many pictures: the same few, repeated."""
    originals = sorted(pathlib.Path(pictures).iterdir())
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:06}{originals[0].suffix}").symlink_to(originals[number % len(originals)])
    return folder


def raw_outputs(folder):
    """A hash of the bytes of each frame's outputs, by frame."""
    found = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        found.setdefault(int(path.name.split("-")[1]), []).append(hashlib.sha256(path.read_bytes()).digest())
    return found


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
