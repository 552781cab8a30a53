# What strangers at a secure node's port get, cost and see: replies, memory, throughput; what CURVE costs.
#
#   tools/bench strangers [--json] [--connections N] [--slow N] [--frames N] [--runs N]
"""A node with keys computes a stream for node 0, on loopback, while strangers call its port. On a machine with other work the
throughput figures are no better than its calm."""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import site, strangers  # noqa: E402

SIDE, WARM_UP = 224, 5
PATIENCE_S = 10  # a loaded machine stutters
PACE_GFLOPS = 4.0  # as a small board: what computes must not be what is short here
CONNECTIONS, SLOW = 10_000, 1_000
MOST_MEMORY_MB, MOST_LOSS = 5.0, 0.10


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def resident_mb(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024.0


def at_once():
    """What is measured goes before other work of the machine, where that is allowed: paced nodes need little of it."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


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
                subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=at_once) as process:
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
                              preexec_fn=at_once) as process:
            for line in process.stdout:
                if "ms" in json.loads(line):
                    times.append(time.monotonic())
            trouble = process.stderr.read()
        if process.returncode != 0 or len(times) <= WARM_UP + 1:
            raise site.BenchError(f"the stream ended with {process.returncode}: {trouble.strip()[-500:]}")
        return (len(times) - WARM_UP) / (times[-1] - times[WARM_UP - 1])


def besieged(pair, options):
    """A stream in peace, then one among strangers."""
    figures = {}
    with pair.node("--pace", PACE_GFLOPS) as process:
        pair.stream(WARM_UP + 5)
        peace = statistics.median(pair.stream(options.frames) for _ in range(options.runs))
        before = resident_mb(process)
        slow = strangers.Slow(pair.port, options.slow)
        crowd = strangers.Crowd(pair.port, options.connections)
        slow.start()
        crowd.start()
        siege, peak = [], before
        while crowd.is_alive() or len(siege) < options.runs:
            siege.append(pair.stream(options.frames))
            peak = max(peak, resident_mb(process))
        crowd.join()
        slow.enough.set()
        slow.join()
        peak = max(peak, resident_mb(process))
        figures.update(stranger_connections=crowd.made + slow.calls, stranger_slow=options.slow, stranger_replies=crowd.replies + slow.replies,
                       stranger_rss_mb=round(peak - before, 2), fps_in_peace=round(peace, 2), fps_among_strangers=round(statistics.median(siege), 2),
                       stranger_throughput_loss=round(1.0 - statistics.median(siege) / peace, 4))
    return figures


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
    """Red for blue: models take either first."""
    return b"".join(pixels[at:at + 3][::-1] for at in range(0, len(pixels), 3))


def curve_cost(secure, clear, options):
    """Frames a second with keys against without, by turns, so that a machine whose speed drifts drifts for both."""
    with secure.node(), clear.node():
        ratios = [secure.stream(options.frames) / clear.stream(options.frames) for _ in range(options.runs)]
    return round(1.0 - statistics.median(ratios), 4)


def measure(options):
    model = site.model("mobilenetv2", SIDE)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        secure, clear = Pair(first, model, True), Pair(second, model, False)
        figures = besieged(secure, options)
        for pair, name in ((secure, "secure"), (clear, "clear")):
            figures[f"{name}_heard_bytes"], figures[f"{name}_heard_samples"], figures[f"{name}_heard_marks"] = overheard(pair)
        figures["curve_cost"] = curve_cost(secure, clear, options)
    return figures


def failures(figures):
    wrong = []
    if figures["stranger_replies"] > 0:
        wrong.append("a stranger got an answer")
    if figures["stranger_rss_mb"] > MOST_MEMORY_MB:
        wrong.append(f"strangers cost more than {MOST_MEMORY_MB} MB")
    if figures["stranger_throughput_loss"] > MOST_LOSS:
        wrong.append(f"strangers cost more than {MOST_LOSS:.0%} of the throughput")
    if figures["secure_heard_samples"] + figures["secure_heard_marks"] > 0:
        wrong.append("a run with keys could be read on the wire")
    if figures["clear_heard_samples"] == 0:
        wrong.append("the tap heard nothing even in clear, so it proves nothing")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--slow", type=int, default=SLOW)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    try:
        figures = {"date": site.date(), "machine": site.machine(), "load": os.getloadavg()[0], **measure(options)}
    except site.BenchError as error:
        sys.exit(f"tools/bench strangers: {error}")
    if options.json:
        print(json.dumps(figures))
    else:
        for key, value in figures.items():
            print(f"{key:26} {value}")
    wrong = failures(figures)
    for sentence in wrong:
        print(f"strangers: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
