# Tests the tests: makes mutants of the node's source and counts how many a test or a seed of the swarm kills.
#
#   tools/bench mutants [--json] [--mutants 300] [--minutes 25]
"""At most --minutes a call; the next call continues. Exit code 1 if fewer than 95 % of the mutants that are not argued equivalent
(tests/planted/equivalent.txt) are killed, or if fewer than --mutants are judged so far."""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "planted"))
import mutate  # noqa: E402
from mutation import builder  # noqa: E402


def trace_of(build):
    done = subprocess.run([build / "tests" / "swarm" / "shingle-simtest", "--seeds", "20", "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["trace_hash"]


# With no mutant chosen, the build with all mutants must behave like the source.
builder.make()
builder.build()
if trace_of(builder.COPY / "build" / "release") != trace_of(ROOT / "build" / "release"):
    sys.exit("The build with the mutants in it behaves differently although none is chosen.")
sys.exit(mutate.main(sys.argv[1:]))
