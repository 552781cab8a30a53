"""The tests of what computes and decides, run by qemu. It computes some twenty times slower: what holds real time to a limit is left
out, and named."""
import re
from concurrent.futures import ThreadPoolExecutor

from emulation.tree import QEMU

ROOMS = {"partition": [], "kernels": [], "devices": [], "runtime": [], "sim": [], "transport": ["--source-file=*transport/codec*"]}
# Tests of times of threads and of this machine's cores, by room. The suite "long" is left out too.
LEFT_OUT = {
    "devices": ["A loop of ours sends XNNPACK's waiting threads to sleep",
                "Workers keep off the core on which their caller computes, wherever that goes", "this process runs where it is told to"],
    "runtime": ["a slowed node can be stopped in the middle of its slow-down", "a camera that is faster than the driver is told so"],
}


def counts_of(text):
    """(passed, failed) of what doctest printed; None if it did not come to its end."""
    found = re.search(r"^\[doctest\] test cases: +\d+ \| +(\d+) passed \| +(\d+) failed", text, re.M)
    return (int(found[1]), int(found[2])) if found else None


def test_words(room):
    """A room's program and its options."""
    words = [f"tests/{room}_tests", "--test-suite-exclude=long", *ROOMS[room]]
    names = [name.replace(",", r"\,") for name in LEFT_OUT.get(room, [])]
    return [*words, f"--test-case-exclude={','.join(names)}"] if names else words


def test(tree, say):
    """(passed, failed) of all rooms. A program that does not come to its end is one failed test."""
    passed = failed = 0
    with ThreadPoolExecutor(2) as workers:
        results = dict(zip(ROOMS, workers.map(lambda room: tree.emulate(*test_words(room)), ROOMS)))
    for room, (said, status) in results.items():
        counts = counts_of(said)
        if counts is None:
            say(f"{room}: {QEMU} ended with {status} before the summary; see {tree.log.name}")
            counts = (0, 1)
        passed, failed = passed + counts[0], failed + counts[1]
        say(f"{room}: {counts[0]} passed, {counts[1]} failed")
        for name in re.findall(r"^TEST CASE:\s+(.*)\n(?:.*\n)*?.* ERROR: ", said, re.M):
            say(f"  failed: {name}")
    say("left out: the suite long; " + "; ".join(f"{room}: {name}" for room, names in LEFT_OUT.items() for name in names))
    return passed, failed
