"""How soon Frigate's detector gets an answer, 5 times a second: while all is well, and while a worker is stopped (SIGSTOP)."""
import math
import os
import pathlib
import signal
import time

from lab import site
from package_parts import frames, frigate, running, served

CALM, STALLED, EVERY_S = 200, 100, 0.2


def percentile(values, share):
    """The smallest of the values that so many of them do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def times_ms(detector, pictures, count):
    """(milliseconds of each answer, how many had no rows because they were late)."""
    taken, late, due = [], 0, time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, due - time.monotonic()))
        due += EVERY_S
        since = time.monotonic()
        header, _ = detector.detect(pictures[number % len(pictures)])
        taken.append((time.monotonic() - since) * 1e3)
        late += "error" in header
    return taken, late


def run(_, say):
    pictures = [picture[:, :, ::-1].copy() for picture in frames.decoded(frames.clip(), 50, size=(frigate.SIZE, frigate.SIZE))]
    with served.frigate_endpoint() as endpoint, served.serving("--http", "none", "--frigate", endpoint) as server:
        running.until(lambda: pathlib.Path(endpoint.removeprefix("ipc://")).exists() or server.poll() is not None, "the socket of shingle serve")
        detector = frigate.Detector(endpoint)
        try:
            detector.wait_for_model()
            calm, late = times_ms(detector, pictures, CALM)
            say(f"calm: p99 {percentile(calm, 0.99):.1f} ms, median {percentile(calm, 0.5):.1f} ms, {late} of {CALM} without rows")
            workers = served.workers_of(server)
            if not workers:
                raise site.BenchError("shingle serve has no local workers to stop")
            os.kill(workers[0], signal.SIGSTOP)
            try:
                stalled, late = times_ms(detector, pictures, STALLED)
            finally:
                os.kill(workers[0], signal.SIGCONT)
        finally:
            detector.close()
    say(f"a worker stopped: p99 {percentile(stalled, 0.99):.1f} ms, median {percentile(stalled, 0.5):.1f} ms, {late} of {STALLED} without rows")
    return {"frigate_p99_ms": max(percentile(calm, 0.99), percentile(stalled, 0.99))}
