#!/usr/bin/python3
"""The tests tested: mutants of the node, made from its syntax, each killed by a test or by a seed of shingle-simtest.

    tests/planted/mutate.py [--mutants 300] [--seed 1] [--seeds 2000] [--minutes 25] [--json] [FILE...]
    tests/planted/mutate.py --show NUMBER      its change
    tests/planted/mutate.py --list             all mutants

The mutants of runtime/node/*.cpp stand in one build, a copy under build/mutants; SHINGLE_MUTANT=NUMBER chooses one of them. They are
judged in an order drawn from --seed and their names, which a small edit leaves as it is: first the tests of the node, then the
scenarios, then seeds of the swarm; all of them by what is cheap, then what is left by the rest. Results are kept, so the next call goes
on where this one ended; after a change of the tests or the sources each is tried again, by its old killer first. A mutant that changes nothing that anybody could see is argued in
tests/planted/equivalent.txt and not counted. Exit code 1 if less than 95 % of the others were killed, or if fewer than --mutants were
judged."""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import sys
import time
from concurrent import futures

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mutation import builder, equivalent, known  # noqa: E402

LEAST_KILLED = 0.95


def options_of(words):
    parser = argparse.ArgumentParser(prog="tests/planted/mutate.py", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, help="to judge, those judged before included (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="of the order (default 1)")
    parser.add_argument("--seeds", type=int, default=2000, help="of the swarm, until a mutant counts as not killed (default 2000)")
    parser.add_argument("--minutes", type=float, default=25, help="then it stops; the next call goes on (default 25)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes at once (default: as many as there are cores)")
    parser.add_argument("--json", action="store_true", help="one JSON object at the end")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print what a mutant changes")
    parser.add_argument("--list", action="store_true", help="print all mutants")
    parser.add_argument("files", nargs="*", metavar="FILE", help="names of files to take mutants from, e.g. home_frames.cpp")
    return parser.parse_args(words)


def tell(done, all_of_them, what):
    """A bar for people; a line now and then for a log."""
    if sys.stderr.isatty():
        filled = 40 * done // max(1, all_of_them)
        print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done} of {all_of_them}  {what[:60]:60}", end="", file=sys.stderr, flush=True)
        if done == all_of_them:
            print(file=sys.stderr)
    elif done == all_of_them or done % 100 == 0:
        print(f"{done} of {all_of_them}: {what}", file=sys.stderr, flush=True)


class Judgement:
    """Of the mutants that are wanted: by what is cheap, each; then the rest for those that are left."""

    def __init__(self, mutants, wanted, options, deadline):
        self.mutants, self.wanted, self.workers, self.deadline = mutants, wanted, options.workers, deadline
        self.argued = equivalent.read(mutants.values())
        self.met = known.Met(options.seeds, options.workers, tell)
        self.results = known.Results(options.seeds)

    def judge(self):
        left = [number for number in self.wanted if not self.is_judged(number)]
        for late in (False, True):
            hunts = [self.results.hunt(number, self.mutants[number].name, self.met) for number in left]
            left = [hunt.number for hunt in self.stage(hunts, late) if self.mutants[hunt.number].name not in self.argued]

    def stage(self, hunts, late):
        """Returns those that are not over."""
        what = "the rest for those that are left" if late else "tests, and the first seeds"
        left = []
        with futures.ThreadPoolExecutor(self.workers) as pool:
            for place, (hunt, over) in enumerate(zip(hunts, pool.map(lambda each: each.stage(late, self.deadline), hunts)), 1):
                self.results.put(self.mutants[hunt.number].name, hunt)
                if not over:
                    left.append(hunt)
                tell(place, len(hunts), what)
        return left

    def is_judged(self, number):
        name = self.mutants[number].name
        return self.results.is_judged(name, early=name in self.argued)

    def conclude(self, options):
        judged = [number for number in self.wanted if self.is_judged(number)]
        names = {number: self.mutants[number].name for number in judged}
        alive = [number for number in judged if not self.results.killer(names[number])]
        survivors = [number for number in alive if names[number] not in self.argued]
        wrong = [names[number] for number in judged if names[number] in self.argued and number not in alive]
        killed, equal = len(judged) - len(alive), len(alive) - len(survivors)
        share = killed / max(1, len(judged) - equal)
        for number in survivors:
            print(f"alive: {number} {self.place(number)}\n{builder.difference(self.mutants[number])}")
        for name in wrong:
            print(f"argued equivalent, but killed by {self.results.killer(name)}: {name}")
        killers = collections.Counter((self.results.killer(name) or "nobody").split(" ")[0] for name in names.values())
        print("killed by: " + ", ".join(f"{killer} {count}" for killer, count in killers.most_common() if killer != "nobody"))
        print(f"{len(judged)} of {len(self.mutants)} mutants judged, {killed} killed, {equal} argued equivalent: "
              f"{share:.1%} of the others; {len(self.wanted) - len(judged)} of those that are wanted are left for the next call")
        if options.json:
            print(json.dumps({"mutants": len(judged), "killed": killed, "equivalent": equal, "killed_fraction": round(share, 4),
                              "survivors": [self.place(number) for number in survivors], "possible": len(self.mutants)}))
        return 0 if share >= LEAST_KILLED and len(judged) >= min(options.mutants, len(self.wanted)) and not wrong else 1

    def place(self, number):
        site = self.mutants[number]
        line = (builder.ROOT / site.file).read_bytes()[:site.begin].count(b"\n") + 1
        return f"{site.file}:{line} {site.name}"


def main(words):
    options = options_of(words)
    deadline = time.monotonic() + 60 * options.minutes
    mutants = builder.make()
    if options.show is not None:
        print(f"{mutants[options.show].name}\n{builder.difference(mutants[options.show])}")
        return 0
    order = [number for number, site in mutants.items() if not options.files or pathlib.Path(site.file).name in options.files]
    if options.list:
        for number in order:
            print(f"{number:5} {mutants[number].name}")
        return 0
    order.sort(key=lambda number: hashlib.sha256(f"{options.seed} {mutants[number].name}".encode()).digest())
    builder.build()
    judgement = Judgement(mutants, order[:options.mutants], options, deadline)
    judgement.judge()
    return judgement.conclude(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
