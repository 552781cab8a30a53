"""What the C library costs over the stream of `shingle run`: processor time a frame of both, on the same pictures, workers included.

Each run is made with few and with many pictures, so that starting and planning cancel out."""
import pathlib
import resource
import statistics
import tempfile

from lab import site
from package_parts import clients, frames, running

PAIRS, FEW, MANY = 5, 20, 220


def seconds_of(words, *pictures):
    """Processor time of a program and its workers, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    running.printed(words, *pictures)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Pictures:
    """The same pictures as a folder, for `shingle run`, and as a stream, for the client."""

    def __init__(self, folder, decoded, count):
        repeated = [decoded[number % len(decoded)] for number in range(count)]
        self.folder = frames.write_pictures(repeated, folder / f"{count}")
        self.stream = frames.write_stream(repeated, folder / f"{count}.ppm")

    def run_s(self):
        return seconds_of([site.PROGRAM, "run", frames.model(), self.folder, "--json", "--workers", frames.WORKERS])

    def client_s(self):
        with self.stream.open("rb") as pictures:
            return seconds_of([clients.BUILT / "bench-package-c", frames.model(), frames.WORKERS], pictures)


def extra_of(pairs):
    """How much more a frame costs in the client, as a share: the median of pairs (client, run)."""
    return statistics.median(client / run - 1.0 for client, run in pairs)


def run(_, say):
    running.must_be_built(site.PROGRAM, clients.BUILT / "bench-package-c")
    with tempfile.TemporaryDirectory() as folder:
        decoded = frames.decoded(frames.clip(), FEW)
        few, many = (Pictures(pathlib.Path(folder), decoded, count) for count in (FEW, MANY))
        pairs = []
        for _pair in range(PAIRS):
            client, stream = many.client_s() - few.client_s(), many.run_s() - few.run_s()
            if min(client, stream) <= 0:
                raise site.BenchError("more pictures took less processor time: this machine is too busy to measure it")
            pairs.append((client, stream))
            say(f"a frame: {client / (MANY - FEW) * 1e3:.2f} ms by the C client, {stream / (MANY - FEW) * 1e3:.2f} ms by shingle run")
    return {"client_cost": extra_of(pairs)}
