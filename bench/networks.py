# Networks as exporters write them: errors, times and maps beside ONNX Runtime's; plans on four slow boards; heads; ONNX's own tests.
#
# As root, for the lab. Within 60 minutes on two cores.
#   tools/bench networks [--json] [--only-part PART,...] [--only NAME,...] [--no-speed] [--runs N]
"""PART is one of engines, lab, halves, heads, conformance. `engines` and `lab` measure each network; --only NAME,... chooses some of them.
`engines` runs bench/networks.cpp, where --no-speed leaves the times out. Exit code 1 if a figure misses its target."""
import argparse
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import exported, figures, halves, site  # noqa: E402

PROGRAMS = site.ROOT / "build/release/bench"
HEADS = site.ROOT / "build/release/tests/apps_tests"


def last_object(words):
    """Runs a program that prints a table and then one JSON object; the table is shown. The object, and whether it met its targets."""
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True) as process:
        line = ""
        for following in process.stdout:
            if line:
                print(line, end="", flush=True)
            line = following
    if not line.startswith("{"):
        raise site.BenchError(f"'{' '.join(map(str, words))}' ended with {process.returncode}: {line.strip()}")
    return json.loads(line), process.returncode == 0


def engines(found, options):
    words = [PROGRAMS / "bench-networks", "--json", *(["--only", options.only] if options.only else []), *([] if options.speed else ["--no-speed"])]
    told, _ = last_object(words)
    for name, values in told["nets"].items():
        found.of_network(name).update(values)
    found.values.update({key: told[key] for key in ("geomean_ratio", "avx512")})
    found.put("engines_missed", told["missed"], ("most", 0), note="targets of the table above")


def cases_in(told):
    """How many test cases a test program says it ran."""
    lines = [line for line in told.splitlines() if "test cases:" in line]
    return int(lines[-1].split("test cases:")[1].split("|")[0]) if lines else 0


def heads(found, _):
    """Tests of pictures and heads: what each head reads is compared with an independent decoder."""
    done = subprocess.run([HEADS, "--source-file=*tests/apps/heads/*,*tests/apps/findings/*,*tests/apps/pictures/*", "--no-colors"], capture_output=True, text=True, check=False, timeout=900)
    cases = cases_in(done.stdout)
    if done.returncode != 0:
        print(done.stdout[-2000:])
    found.put("heads_ok", done.returncode == 0 and cases > 0, ("least", True), note=f"{cases} tests of pictures and heads")


def conformance(found, _):
    told, passed = last_object([PROGRAMS / "bench-conformance", "--json"])
    for key in ("conformance_22_total", "conformance_22_pass"):
        found.put(key, told[key])
    found.put("conformance_ok", passed, ("least", True), note="95 % of either release, and no surprise: tools/bench conformance")
    found.put("tiled_differing", told["tiled_differing_bytes"], ("most", 0), note=f"bytes of {told['tiled_runs']} runs")


PARTS = {"engines": engines, "lab": exported.measure, "halves": halves.measure, "heads": heads, "conformance": conformance}  # part(found, options)


class Found(figures.Figures):
    """Figures, and those of each network in an object of its own."""

    def of_network(self, name):
        return self.values.setdefault("nets", {}).setdefault(name, {})

    def put_of(self, name, key, value, aim=None, bound=None, note=""):
        self.put(f"{name}.{key}", value, aim, bound, note)
        self.of_network(name)[key] = self.values.pop(f"{name}.{key}")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench networks", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only-part", default=",".join(PARTS), metavar="PART,...", help=", ".join(PARTS))
    parser.add_argument("--only", default="", metavar="NAME,...", help="networks")
    parser.add_argument("--no-speed", dest="speed", action="store_false", help="leave the times beside ONNX Runtime's out")
    parser.add_argument("--runs", type=int, default=3, help="frames on four boards of which the median counts (3)")
    options = parser.parse_args()
    where = {"machine": site.machine(), "kernel": site.kernel(), "date": site.date()}
    found = Found()
    for part in site.chosen(options.only_part, PARTS):
        PARTS[part](found, options)
    return found.conclude(options.json, where)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        print(f"bench networks: {error}", file=sys.stderr)
        sys.exit(1)
