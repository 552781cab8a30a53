"""What reads bytes from outside, fuzzed: every target for a while, and how much of the readers the kept inputs reach (tools/fuzz).
In full: under sanitizers for longer, then without them until each target has had the executions that are wanted of it."""
import json
import subprocess

from lab import site

SECONDS, FULL = 60, 600  # each target, under sanitizers
WIRE, OTHERS = 10**8, 10**7  # executions wanted
LEAST_COVERAGE = 95.0


def tell(*options):
    """What tools/fuzz says in its object, after its table."""
    done = subprocess.run([site.ROOT / "tools/fuzz", "--json", *options], stdout=subprocess.PIPE, text=True, check=False)
    *table, last = done.stdout.splitlines() or [""]
    if not last.startswith("{"):
        raise site.BenchError(f"tools/fuzz ended with {done.returncode}: {' '.join(table[-3:])}")
    print("\n".join(f"  {line}" for line in table), flush=True)
    return json.loads(last)


def measure(found, full):
    told = tell("--bench", "--seconds", str(FULL if full else SECONDS))
    executions, broken = told["fuzz"], told["crashes"]
    if full:
        others = [target for target in executions if target != "wire"]
        runs = [tell("--executions", str(WIRE), "wire"), tell("--executions", str(OTHERS), *others)]
        executions = runs[0]["fuzz"] | runs[1]["fuzz"]
        broken += sum(run["crashes"] for run in runs)
    found.put("fuzz", executions, note=f"wanted: {WIRE:.0e} of wire, {OTHERS:.0e} of each other, as --full runs them"
              if full else f"{SECONDS} s each, under sanitizers; --full runs {WIRE:.0e} of wire, {OTHERS:.0e} of each other")
    found.put("fuzz_broken", broken, ("most", 0), note="inputs that broke a promise")
    found.put("parser_coverage", told["line_coverage"]["parsers"], ("least", LEAST_COVERAGE), note="% of the parsers' lines, by the kept inputs")
