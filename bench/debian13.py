# Debian 13 compared with this machine's release: every test, the bits of seeded networks, the frames of the demo.
#
#   tools/bench debian13 [--json]
"""As root; tools/debian13 makes the tree at the first run. Exit code 1 if a test fails there, the arithmetic class or the bits of seeded
networks differ from those of the build outside, or the demo's frames differ from one machine's."""
import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import figures, site  # noqa: E402

TREE = site.ROOT / "tools/debian13"
COMPARED = ["build/release/tests/devices_tests", "-tc=*for other machines to compare*", "-s"]
LOG = site.ROOT / "build/bench-debian13.log"


def in_tree(*words, log):
    """Runs it in the tree; what it says on stdout, line by line."""
    log.write(f"\n{' '.join(map(str, words))}\n")
    log.flush()
    return subprocess.run([TREE, *words], cwd=site.ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=False).stdout.splitlines()


def tests(found, log):
    """The suite's figures, and each line of it that is no success."""
    said = in_tree("tools/test", log=log)
    log.write("\n".join(said))
    counted = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", said[-1] if said else "")
    if not counted:
        raise site.BenchError(f"tools/test did not come to its end in the tree; see {LOG}")
    passed, failed, skipped = map(int, counted.groups())
    print("\n".join(f"  {line}" for line in said[:-1]), flush=True)
    found.put("passed", passed, ("least", 1))
    found.put("failed", failed, ("most", 0))
    found.put("skipped", skipped)


def bits(said):
    """{what: its digest} of the test that prints them."""
    return dict(re.findall(r"\b(class|digest [a-z]+)[ /]([0-9a-z/]+)", "\n".join(said)))


def same_bits(found, log):
    here = bits(site.call(*COMPARED).splitlines())
    there = bits(in_tree(*COMPARED, log=log))
    for what in sorted({*here, *there}):
        print(f"  {what:16} {here.get(what)} here, {there.get(what)} in Debian 13")
    if "class" not in here or len(here) < 2:
        raise site.BenchError(f"{COMPARED[0]} printed no digests")
    found.put("class_equal", here["class"] == there.get("class"), ("least", True))
    found.put("outputs_equal", here == there, ("least", True), note="raw bytes of seeded networks, on both kinds of kernels")


def demo(found, log):
    said = in_tree("tools/demo", "--json", log=log)
    told = json.loads(said[-1]) if said and said[-1].startswith("{") else {}
    found.put("demo_identical", told.get("identical") is True, ("least", True), note=f"{told.get('frames')} frames")


def release():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def main():
    parser = argparse.ArgumentParser(prog="tools/bench debian13", description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = figures.Figures()
    with LOG.open("w") as log:
        tests(found, log)
        same_bits(found, log)
        demo(found, log)
    return found.conclude(options.json, {"machine": site.machine(), "release": release(), "date": site.date()})


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        print(f"bench debian13: {error}", file=sys.stderr)
        sys.exit(1)
