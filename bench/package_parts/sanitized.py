"""The library under the sanitizers: sessions that are opened and closed leak nothing, and eight threads share one without a race."""
import os
import re
import subprocess

from lab import site

OPENS = ("a thousand sessions on running nodes leave no thread and no descriptor behind",
         "twenty sessions leave no process, thread, descriptor or file behind")
THREADS = ("eight threads share one session, and each gets its own results",)
PROGRAM = "tests/library_tests"


def built(preset, say):
    """The preset's program of the library's tests."""
    say(f"building {preset} ...")
    for words in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", "library_tests", "shingle-node"]):
        ran = subprocess.run(words, cwd=site.ROOT, capture_output=True, text=True, check=False, timeout=4 * 3600)
        if ran.returncode != 0:
            raise site.BenchError(f"the {preset} build failed: {(ran.stderr or ran.stdout).strip()[-300:]}")
    return site.ROOT / "build" / preset / PROGRAM


def is_clean(said, status, names):
    """Whether all of the named tests ran and passed, and no sanitizer reported anything."""
    found = re.search(r"^\[doctest\] test cases: +\d+ \| +(\d+) passed \| +0 failed", said, re.M)
    return status == 0 and bool(found) and int(found[1]) == len(names) and "Sanitizer" not in said


def clean(preset, names, say):
    program = built(preset, say)
    escaped = ",".join(name.replace(",", r"\,") for name in names)  # a comma ends a name
    environment = {**os.environ, "TSAN_OPTIONS": f"suppressions={site.ROOT}/tests/tsan.supp",
                   "LSAN_OPTIONS": f"suppressions={site.ROOT}/tests/lsan.supp:print_suppressions=0"}
    ran = subprocess.run([program, "--no-skip", f"--test-case={escaped}"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False, timeout=1800)
    ends_well = is_clean(ran.stdout, ran.returncode, names)
    for name in names:
        say(f"{preset}: {name}")
    say(f"{preset}: {'nothing reported' if ends_well else ran.stdout.strip()[-2000:]}")
    return ends_well


def run(_, say):
    return {"opens_leak_nothing": clean("asan", OPENS, say), "threads_race_nothing": clean("tsan", THREADS, say)}
