# The order of the sources, and that a redesign changed neither bits, plans, virtual time nor speed.
#
#   tools/bench house [--json] [--only sources,bits,speed,process] [--against COMMIT] [--pairs N]
"""PART is one of sources, bits, speed, process; each prints its figures and puts them into the JSON object at the end. `bits` and
`speed` compare with the release build of --against, which is made once in build/against/COMMIT, or with that of the checkout that the
environment variable SHINGLE_AGAINST names. Exit code 1 if a figure misses its target."""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from house_parts import bits, process, sources, speed  # noqa: E402
from lab import figures, site  # noqa: E402

BEFORE = "5ea816b"  # the last commit before the inner rooms
PARTS = {"sources": sources.measure, "bits": bits.measure, "speed": speed.measure, "process": process.measure}  # measure(found, options)


def main():
    parser = argparse.ArgumentParser(prog="tools/bench house", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,...", help=", ".join(PARTS))
    parser.add_argument("--against", default=BEFORE, metavar="COMMIT", help=f"what bits and speed are compared with ({BEFORE})")
    parser.add_argument("--pairs", type=int, default=7, help="neighbouring runs of the old and the new program, of which the median counts (7)")
    options = parser.parse_args()
    where = {"machine": site.machine(), "kernel": site.kernel(), "date": site.date(), "against": options.against}
    found = figures.Figures()
    for part in site.chosen(options.only, PARTS):
        PARTS[part](found, options)
    return found.conclude(options.json, where)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        print(f"bench house: {error}", file=sys.stderr)
        sys.exit(1)
