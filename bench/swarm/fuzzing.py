"""What reads bytes from outside, fuzzed: every target for a while, and how much of the readers the kept inputs reach (tools/fuzz)."""
import json
import subprocess

from lab import site

SECONDS, FULL = 60, 600  # each target
WIRE, OTHERS = 10**8, 10**7  # executions in all the time of the project: docs/testing.md adds them up
LEAST_COVERAGE = 95.0


def measure(found, full):
    seconds = FULL if full else SECONDS
    done = subprocess.run([site.ROOT / "tools/fuzz", "--bench", "--json", "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=False)
    *table, last = done.stdout.splitlines() or [""]
    if not last.startswith("{"):
        raise site.BenchError(f"tools/fuzz ended with {done.returncode}: {' '.join(table[-3:])}")
    print("\n".join(f"  {line}" for line in table))
    told = json.loads(last)
    found.put("fuzz", told["fuzz"], note=f"{seconds} s each; in all runs together at least {WIRE:.0e} of wire and {OTHERS:.0e} of each other")
    found.put("fuzz_broken", told["crashes"], ("most", 0), note="inputs that broke a promise")
    found.put("parser_coverage", told["line_coverage"]["parsers"], ("least", LEAST_COVERAGE), note="% of the parsers' lines, by the kept inputs")
