#!/usr/bin/python3
"""The tests tested: mutants of the node, made from its syntax, each killed by a test or by a seed of shingle-simtest.

    tests/planted/mutate.py [--mutants 300] [--seed 1] [--seeds 2000] [--minutes 25] [--json] [FILE...]
    tests/planted/mutate.py --show NUMBER      its change
    tests/planted/mutate.py --list             all mutants

The mutants of runtime/node*.cpp stand in one build, a copy under build/mutants; SHINGLE_MUTANT=NUMBER chooses one of them. They are
judged in an order drawn from --seed: first the tests of the node, then the scenarios, then seeds of the swarm. Results are kept, so the
next call goes on where this one ended, until the sources or the tests change. A mutant that changes nothing that anybody could see
is argued in tests/planted/equivalent.txt and not counted. Exit code 1 if less than 95 % of the others were killed, or if fewer than
--mutants were judged."""
import argparse
import json
import os
import pathlib
import random
import sys
import time
from concurrent import futures

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mutation import builder, equivalent, judge  # noqa: E402

LEAST_KILLED = 0.95


def options_of(words):
    parser = argparse.ArgumentParser(prog="tests/planted/mutate.py", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, help="to judge, those judged before included (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="of the order (default 1)")
    parser.add_argument("--seeds", type=int, default=2000, help="of the swarm, until a mutant counts as not killed (default 2000)")
    parser.add_argument("--minutes", type=float, default=25, help="then it stops; the next call goes on (default 25)")
    parser.add_argument("--json", action="store_true", help="one JSON object at the end")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print what a mutant changes")
    parser.add_argument("--list", action="store_true", help="print all mutants")
    parser.add_argument("files", nargs="*", metavar="FILE", help="names of files to take mutants from, e.g. node_home.cpp")
    return parser.parse_args(words)


def judge_some(mutants, wanted, known, options, deadline):
    """Judges in parallel, and writes each result down at once."""
    todo = iter([number for number in wanted if mutants[number].name not in known.results])

    def one(number):
        return number, judge.killer(number, options.seeds, deadline)

    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(one, number) for number, _ in zip(todo, range(os.cpu_count()))}
        while running:
            done, running = futures.wait(running, return_when=futures.FIRST_COMPLETED)
            for task in done:
                number, killer = task.result()
                if killer is not None:
                    known.put(mutants[number].name, killer)
                    print(f"{number:5} {killer:24} {mutants[number].name[:120]}", flush=True)
            while len(running) < os.cpu_count() and time.monotonic() < deadline:
                number = next(todo, None)
                if number is None:
                    break
                running.add(pool.submit(one, number))


def conclude(mutants, wanted, known, options):
    argued = equivalent.read(mutants.values())
    judged = [number for number in wanted if mutants[number].name in known.results]
    alive = [number for number in judged if known.results[mutants[number].name] == judge.ALIVE]
    equal = [number for number in alive if mutants[number].name in argued]
    wrong = [name for name in argued if known.results.get(name, judge.ALIVE) != judge.ALIVE]
    killed = len(judged) - len(alive)
    share = killed / max(1, len(judged) - len(equal))
    for number in alive:
        if number not in equal:
            print(f"alive: {number} {mutants[number].name}\n{builder.difference(mutants[number])}")
    for name in wrong:
        print(f"argued equivalent, but killed by {known.results[name]}: {name}")
    print(f"{len(judged)} of {len(mutants)} mutants judged, {killed} killed, {len(equal)} argued equivalent: {share:.1%} of the others")
    if options.json:
        print(json.dumps({"mutants": len(judged), "killed": killed, "equivalent": len(equal), "killed_share": round(share, 4),
                          "alive": [mutants[number].name for number in alive if number not in equal], "possible": len(mutants)}))
    return 0 if share >= LEAST_KILLED and len(judged) >= min(options.mutants, len(wanted)) and not wrong else 1


def main():
    options = options_of(sys.argv[1:])
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
    random.Random(options.seed).shuffle(order)
    builder.build()
    if judge.killer(0, 100, deadline) != judge.ALIVE:
        sys.exit("The source fails without any mutant.")
    known = judge.Known(options.seeds)
    wanted = order[:options.mutants]
    judge_some(mutants, wanted, known, options, deadline)
    return conclude(mutants, wanted, known, options)


if __name__ == "__main__":
    sys.exit(main())
