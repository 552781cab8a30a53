"""Debian 13, by tools/bench debian13: every test there, and the arithmetic class of both builds."""
import json
import subprocess

from lab import site


def run(_, say):
    ran = subprocess.run([site.ROOT / "tools/bench", "debian13", "--json"], cwd=site.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False, timeout=4 * 3600)
    *table, last = ran.stdout.strip().splitlines() or [""]
    if not last.startswith("{"):
        raise site.BenchError(f"tools/bench debian13 ended with {ran.returncode}: {(ran.stderr or last).strip()[-300:]}")
    for line in table:
        say(line)
    told = json.loads(last)
    return {"trixie_tests_passed": told["passed"], "trixie_tests_failed": told["failed"], "trixie_class_equal": told["class_equal"]}
