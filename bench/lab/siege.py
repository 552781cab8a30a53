"""Strangers at the port of a secure node: what they get, cost and see; and what CURVE costs.

A node with keys computes a stream for node 0, on loopback, while strangers call its port. Node and owner share one core and compute
as fast as it lets them, as on a board of their own; the strangers have another. On a machine with other work the throughput figures are
no better than its calm."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from . import site, strangers

SIDE, WARM_UP = 224, 5
PATIENCE_S = 10  # a loaded machine has pauses
BOARD, STRANGERS = 0, 1  # cores
CONNECTIONS, CONNECTIONS_A_SECOND, SLOW = 10_000, 500, 1_000
FRAMES, RUNS, FULL = 300, 3, 9  # of a stream; streams
MOST_MEMORY_MB, MOST_LOSS = 5.0, 0.10


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def resident_mb(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024.0


def on_the_board():
    os.sched_setaffinity(0, {BOARD})


class Pair:
    """Node 1 computes what node 0, which this bench starts for each stream, captures."""

    def __init__(self, folder, model, secure):
        self.folder, self.model = pathlib.Path(folder), model
        self.port = free_port()
        self.cluster = self.file("cluster.toml", self.port)
        self.words = ["--insecure"]
        if secure:
            site.call(site.PROGRAM, "keys", "init", "--keys", self.folder / "keys", "--cluster", self.cluster)
            self.words = ["--keys", str(self.folder / "keys")]

    def file(self, name, port):
        path = self.folder / name
        ports = {0: free_port(), 1: port}
        path.write_text("".join(f'[[node]]\nid = {node}\nport = {port}\n\n' for node, port in ports.items()))
        return path

    @contextlib.contextmanager
    def node(self, *options):
        words = [site.PROGRAM, "node", "--cluster", self.cluster, "--id", 1, "--models", self.model,
                 "--patience", PATIENCE_S, *options, *self.words]
        with open(self.folder / "node.err", "w", encoding="utf-8") as errors, \
                subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=on_the_board) as process:
            try:
                yield process.pid
            finally:
                process.send_signal(signal.SIGTERM)

    def stream(self, frames, cluster=None):
        """Frames a second after the first few."""
        words = [site.PROGRAM, "run", self.model, site.pictures(SIDE, frames), "--cluster", cluster or self.cluster, "--id", 0,
                 "--json", "--head", "raw", "--patience", PATIENCE_S, *self.words]
        times = []
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=on_the_board) as process:
            for line in process.stdout:
                if "ms" in json.loads(line):
                    times.append(time.monotonic())
            trouble = process.stderr.read()
        if process.returncode != 0 or len(times) <= WARM_UP + 1:
            raise site.BenchError(f"the stream ended with {process.returncode}: {trouble.strip()[-500:]}")
        return (len(times) - WARM_UP) / (times[-1] - times[WARM_UP - 1])


@contextlib.contextmanager
def siege(port):
    slow, crowd = strangers.Slow(port, SLOW), strangers.Crowd(port, CONNECTIONS_A_SECOND)
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {STRANGERS})  # threads take this from whoever starts them
    slow.start()
    crowd.start()
    os.sched_setaffinity(0, everywhere)
    try:
        yield slow, crowd
    finally:
        for each in (crowd, slow):
            each.enough.set()
            each.join()


def besieged(pair, runs, found):
    """Measures streams without strangers, then with strangers, which call during all of these streams."""
    with pair.node() as process:
        pair.stream(WARM_UP + 5)
        peace = statistics.median(pair.stream(FRAMES) for _ in range(runs))
        before = peak = resident_mb(process)
        among = []
        with siege(pair.port) as (slow, crowd):
            begin = time.monotonic()
            while crowd.made < CONNECTIONS or len(among) < runs:
                among.append(pair.stream(FRAMES))
                peak = max(peak, resident_mb(process))
            calls, seconds = crowd.made + slow.calls, time.monotonic() - begin
        peak = max(peak, resident_mb(process))
    loss = 1.0 - statistics.median(among) / peace
    found.put("stranger_connections", calls, ("least", CONNECTIONS + SLOW),
              note=f"{calls / seconds:.0f} a second: {SLOW} slow ones at once, {crowd.made} in a crowd")
    found.put("stranger_replies", crowd.replies + slow.replies, ("most", 0), note="frames of the application")
    found.put("stranger_rss_mb", round(peak - before, 2), ("most", MOST_MEMORY_MB), note=f"the node's memory, above {before:.1f} MB")
    found.put("stranger_throughput_loss", round(loss, 4), ("most", MOST_LOSS),
              note=f"{statistics.median(among):.2f} frames/s among them, {peace:.2f} in peace; medians of {len(among)} and {runs} streams; "
                   f"{loss * seconds / calls * 1e6:.0f} us of the core for a connection")


def overheard(pair, frames=WARM_UP + 3):
    """Bytes on the wire; how many of some 1,000 samples of the pictures, five pixels each, are among them; our headers' marks."""
    tap = strangers.Tap(pair.port)
    tap.start()
    through = pair.file("tapped.toml", tap.port)
    with pair.node():
        pair.stream(frames, through)
    tap.close()
    heard = bytes(tap.heard)
    pixels = [path.read_bytes()[-3 * SIDE * SIDE:] for path in sorted(site.pictures(SIDE, frames).iterdir())]
    step = 3 * (SIDE * SIDE * len(pixels) // 1000)
    samples = [each[at:at + 15] for each in pixels for at in range(0, len(each) - 15, step)]
    return len(heard), sum(sample in heard or swapped(sample) in heard for sample in samples), heard.count(b"SHGL")


def swapped(pixels):
    """Red and blue exchanged: models take either first."""
    return b"".join(pixels[at:at + 3][::-1] for at in range(0, len(pixels), 3))


def listened_to(secure, clear, found):
    """A capture of a stream with keys, and of one without, which shows that the capture works."""
    for pair, name, aim in ((secure, "secure", ("most", 0)), (clear, "clear", ("least", 1))):
        heard, samples, marks = overheard(pair)
        found.put(f"{name}_heard", samples + marks, aim, note=f"of the pictures and our marks, in {heard} bytes of the wire")


def curve_cost(secure, clear, runs):
    """Frames a second with keys and without, in turn, so that a change of the machine's speed affects both."""
    with secure.node(), clear.node():
        ratios = [secure.stream(FRAMES) / clear.stream(FRAMES) for _ in range(runs)]
    return round(1.0 - statistics.median(ratios), 4)


def measure(found, full):
    if not {BOARD, STRANGERS} <= os.sched_getaffinity(0):
        raise site.BenchError("strangers need a core beside the node's: this machine has one")
    model, runs = site.model("mobilenetv2", SIDE), FULL if full else RUNS
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        secure, clear = Pair(first, model, True), Pair(second, model, False)
        besieged(secure, runs, found)
        listened_to(secure, clear, found)
        found.put("curve_cost", curve_cost(secure, clear, runs), note=f"of the throughput of one computing node; median of {runs} pairs of streams")
