"""Who kills a mutant: the tests of the node, the scenarios, or a seed of the swarm. What takes too long is killed too.

Cheap comes before expensive, and what cannot meet the mutant is left out (weave.py)."""
import dataclasses
import os
import resource
import subprocess
import time

from . import builder

BUILT = builder.COPY / "build" / "release"
MEMORY = 4 << 30
BATCH = 100  # seeds a process at most
EARLY = 100  # seeds that come before the slow tests
# Test files of the room `sim` that can find a wrong node: those that take less than a second, and the others.
QUICK = ("scenario", "fairness", "packing")
SLOW = ("detection", "weights", "audit")


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of a program, which some mutants make fail."""
    name: str
    program: str
    words: tuple
    seconds: int  # of computing; many times what it takes

    def command(self):
        return [str(BUILT / self.program), *self.words]


def test(program, name, seconds):
    return Run(name, f"tests/{program}", (f"--source-file=*{name}.cpp", "--abort-after=1"), seconds)


def quick_tests():
    nodes = [test("runtime_tests", file.stem, 20) for file in sorted((builder.COPY / "tests" / "runtime" / "node").glob("*_test.cpp"))]
    return nodes + [test("sim_tests", f"{name}_test", 20) for name in QUICK]


def slow_tests():
    return [test("sim_tests", f"{name}_test", 200) for name in SLOW]


def seeds(first, count):
    words = ("--seeds", str(count), "--seed", str(first), "--json")
    return Run(f"seeds {first} to {first + count - 1}", "tests/swarm/shingle-simtest", words, 20 + count)


def batches(met, first, last):
    """The seeds of these that meet the mutant, neighbours in one process, few at first."""
    some, size = [], 5
    for seed in [each for each in met if first <= each <= last]:
        if some and (seed != some[-1] + 1 or len(some) == size):
            yield seeds(some[0], len(some))
            some, size = [], min(2 * size, BATCH)
        some.append(seed)
    if some:
        yield seeds(some[0], len(some))


def fails(number, run):
    return call(run, {"SHINGLE_MUTANT": str(number)}) != 0


def met_by(run, file):
    """The mutants that it meets; None if it fails without any."""
    if call(run, {"SHINGLE_MUTANTS_MET": str(file)}) != 0:
        return None
    numbers = {int(line) for line in file.read_text().split()}
    file.unlink()
    return numbers


def call(run, more):
    def bounds():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (run.seconds, run.seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        return subprocess.run(run.command(), env=dict(os.environ, **more), timeout=10 * run.seconds, cwd=builder.COPY, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=bounds).returncode
    except subprocess.TimeoutExpired:
        return -1


class Hunt:
    """After one mutant, in two stages: what is cheap, then the rest. `seeds_done` goes on where an earlier hunt ended."""

    def __init__(self, number, met, seeds_wanted, seeds_done=0, hint=None):
        self.number, self.met, self.wanted, self.done, self.hint = number, met, seeds_wanted, seeds_done, hint
        self.killer = None

    def stage(self, late, deadline):
        """True when it is over: killed, or alive after everything."""
        for run, upto in self.late_runs() if late else self.early_runs():
            if time.monotonic() > deadline:
                return False
            if fails(self.number, run):
                self.killer = run
                return True
            self.done = max(self.done, upto)
        self.done = max(self.done, min(EARLY, self.wanted))
        over = late or next(self.late_runs(), None) is None
        if over:
            self.done = self.wanted
        return over

    def early_runs(self):
        if self.hint:
            yield self.hint, 0
        for run in quick_tests():
            if self.number in self.met.of(run):
                yield run, 0
        yield from self.hunted(1, min(EARLY, self.wanted))

    def late_runs(self):
        for run in slow_tests():
            if self.number in self.met.of(run):
                yield run, 0
        yield from self.hunted(EARLY + 1, self.wanted)

    def hunted(self, first, last):
        for run in batches(self.met.seeds_of(self.number), max(first, self.done + 1), last):
            yield run, int(run.name.split()[-1])
