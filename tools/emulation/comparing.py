"""What the build for Arm's 64 bits computes, compared with this machine's build. Both need fused multiply-add for the same bits."""
import re

from emulation.tree import EmulationError, ROOT, build_here, call

DEVICES = ["tests/devices_tests", "-tc=*for other machines to compare*", "-s"]
HASHES = ["bench/bench-sim-portable"]


def bits_of(text):
    """{what: its digest} of the test that prints them."""
    return dict(re.findall(r"\b(class|digest [a-z]+)[ /]([0-9a-z/]+)", text))


def said_by_both(tree, program, *words):
    """What a program prints there and here. It is built there already."""
    build_here(tree.log, program.rsplit("/", 1)[1])
    there, status = tree.emulate(program, *words)
    here, own_status = call([ROOT / "build/release" / program, *words], tree.log, 3600)
    if status != 0 or own_status != 0:
        raise EmulationError(f"{program} ended with {status} there and with {own_status} here; see {tree.log.name}")
    return there, here


def same_bits(tree, say):
    """Whether seeded networks have the same bytes, and both builds are of one arithmetic class."""
    there, here = map(bits_of, said_by_both(tree, *DEVICES))
    for what in sorted({*here, *there}):
        say(f"{what:16} {there.get(what)} there, {here.get(what)} here")
    return bool(here) and here == there


def same_hashes(tree, say):
    """Whether simulated experiments have the same traces."""
    tree.build(HASHES[0].rsplit("/", 1)[1])
    there, here = said_by_both(tree, *HASHES)
    for theirs, ours in zip(there.splitlines(), here.splitlines()):
        say(ours if ours == theirs else f"{ours}, but there {theirs}")
    return bool(here) and here == there
