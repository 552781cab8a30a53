"""How soon Frigate's detector gets an answer, 5 times a second: while all is well, and while a worker is stopped (SIGSTOP)."""
import math
import os
import signal
import time

from lab import site
from package_parts import frames, frigate, served

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
        message = detector.tensor(pictures[number % len(pictures)])
        since = time.monotonic()  # Frigate's limit is of its wait for the answer, so it begins with the sending
        header, _ = detector.ask(*message)
        taken.append((time.monotonic() - since) * 1e3)
        late += "error" in header
    return taken, late


def measured(name, detector, pictures, count, say):
    taken, late = times_ms(detector, pictures, count)
    p99 = percentile(taken, 0.99)
    say(f"{name}: p99 {p99:.1f} ms, median {percentile(taken, 0.5):.1f} ms, {late} of {count} without rows")
    return p99


def run(_, say):
    pictures = [picture[:, :, ::-1].copy() for picture in frames.decoded(frames.clip(), 50, size=(frigate.SIZE, frigate.SIZE))]
    with served.serving_frigate() as (server, endpoint), frigate.Detector(endpoint) as detector:
        calm = measured("calm", detector, pictures, CALM, say)
        workers = served.workers_of(server)
        if not workers:
            raise site.BenchError("shingle serve has no local workers to stop")
        os.kill(workers[0], signal.SIGSTOP)
        try:
            stalled = measured("a worker stopped", detector, pictures, STALLED, say)
        finally:
            os.kill(workers[0], signal.SIGCONT)
    return {"frigate_p99_ms": max(calm, stalled)}
