"""tests/planted/equivalent.txt: mutants that change nothing that anybody could see, each with the argument.

    runtime/node/tiles/home_slots.cpp:grant:drop:...:1
        Why no test can tell it from the original.
"""
import sys

from . import builder

FILE = builder.ROOT / "tests" / "planted" / "equivalent.txt"


def read(mutants):
    """Arguments by the mutant's name. A name that no mutant has any more is an error: its argument may be none by now."""
    argued, name = {}, None
    for line in FILE.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            argued[name] = (argued[name] + " " + line.strip()).strip()
        else:
            name = line.strip()
            argued[name] = ""
    names = {mutant.name for mutant in mutants}
    for name, why in argued.items():
        if name not in names:
            sys.exit(f"{FILE}: no mutant is named '{name}'; the source changed, so argue it anew or take it out")
        if not why:
            sys.exit(f"{FILE}: '{name}' has no argument")
    return argued
