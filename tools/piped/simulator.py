"""A network simulator behind a pipe, from Python: docs/develop/network_pipe.md says what is spoken."""
import os
import pathlib
import select
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("SHINGLE_NS3") or ROOT / "build/release/apps/shingle-ns3"
LATEST_NS = 10**15


class Failed(Exception):
    """The simulator refused, ended or hung: one sentence."""


class Simulator:
    def __init__(self, program=PROGRAM, patience_s=120):
        self.patience_s, self.now, self.last_id, self.under_way = patience_s, 0, 0, set()
        try:
            self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise Failed(f"cannot start {program}: {error.strerror}; tools/deps --ns3 installs ns-3") from error
        self.version = " ".join(self.ask("hello shingle-network 1").split()[2:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # what follows says how it ended
        if not select.select([self.process.stdout], [], [], self.patience_s)[0]:
            raise Failed(f"no answer to '{line}' in {self.patience_s} s")
        answer = self.process.stdout.readline().decode().rstrip("\n")
        if answer.startswith("error "):
            raise Failed(answer[6:])
        if not answer:
            code = self.process.wait(timeout=5)
            raise Failed(f"ended with {code}: {self.process.stderr.read().decode(errors='replace').strip()[-300:]}")
        return answer

    def cell(self, stations, kind, mode, pairs, seed):
        """Stations 0 to `stations` - 1 of one cell; connections between these pairs. From then on time is 0."""
        for line in [f"seed {seed}", *(f"host {i}" for i in range(stations)), f"cell {stations} {kind} {mode}",
                     *(f"station {i} {stations}" for i in range(stations)),
                     *(f"connect {a} {b}" for a, b in sorted({tuple(sorted(pair)) for pair in pairs})), "start"]:
            self.ask(line)

    def send(self, source, target, size):
        self.last_id += 1
        self.ask(f"send {self.last_id} {source} {target} {size}")
        self.under_way.add(self.last_id)
        return self.last_id

    def advance(self, end=LATEST_NS):
        """Runs to `end` or to the first delivery; the ids delivered then."""
        word, now, *ids = self.ask(f"advance {end}").split()
        ids = [int(each) for each in ids]
        if word != "delivered" or not self.now <= int(now) <= end or len(self.under_way.intersection(ids)) != len(ids):
            raise Failed(f"it lies: {word} {now} {ids[:5]}")
        self.now = int(now)
        self.under_way.difference_update(ids)
        return ids

    def run_to(self, end):
        """Nothing may be under way."""
        while self.now < end:
            self.advance(end)
