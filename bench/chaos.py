# Faults of every kind, and no frame may be lost or wrong: faults from seeds, whole processes in virtual time, planted bugs, real processes under faults, strangers, fuzzing.
#
#   tools/bench chaos [--json] [--only PART,...] [--full]
"""PART is one of those that PARTS names below; each prints its figures and puts them into the JSON object at the end. --full: more
seeds, bugs and runs, which take hours. Exit code 1 if a figure misses its target."""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import chaos, figures, siege, site, together  # noqa: E402
from swarm import branches, costs, detection, drivers, fuzzing, planted, seeds  # noqa: E402

PARTS = {"seeds": seeds.measure, "drivers": drivers.measure, "detection": detection.measure, "costs": costs.measure, "planted": planted.measure,
         "branches": branches.measure, "processes": chaos.measure, "together": together.measure, "strangers": siege.measure,
         "fuzz": fuzzing.measure}  # measure(found: Figures, full: bool)


def main():
    parser = argparse.ArgumentParser(prog="tools/bench chaos", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,...", help=", ".join(PARTS))
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    where = {"machine": site.machine(), "kernel": site.kernel(), "date": site.date()}
    found = figures.Figures()
    for part in site.chosen(options.only, PARTS):
        PARTS[part](found, options.full)
    return found.conclude(options.json, where)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        print(f"bench chaos: {error}", file=sys.stderr)
        sys.exit(1)
