"""Who kills a mutant: the tests of the node, the scenarios, or a seed of the swarm. What takes too long is killed too."""
import hashlib
import json
import os
import resource
import subprocess
import time

from . import builder

ALIVE = "alive"
RESULTS = builder.ROOT / "build" / "mutants" / "results.json"
TESTS = "tests/runtime_tests"
# The driver's tests have real threads; they are slow, and what they hold of the node the others hold as well.
PROGRAMS = [("tests", TESTS, ["--source-file=*node_*"], 60), ("scenarios", "tests/sim_tests", ["--source-file=*scenario_test*,*audit_test*,*weights_test*"], 60)]
BATCH = 50
SECONDS = 60  # for a batch of seeds
MEMORY = 4 << 30


def killer(number, seeds, deadline):
    """The name of what killed it, ALIVE, or None if time ran out before that was known."""
    for name, program, words, seconds in PROGRAMS:
        if fails(number, program, words, seconds):
            return name
    for first in range(1, seeds + 1, BATCH):
        if time.monotonic() > deadline:
            return None
        count = min(BATCH, seeds - first + 1)
        if fails(number, "tests/swarm/shingle-simtest", ["--seeds", str(count), "--seed", str(first), "--json"], SECONDS):
            return f"seeds {first} to {first + count - 1}"
    return ALIVE


def fails(number, program, words, seconds):
    path = builder.COPY / "build" / "release" / program
    environment = dict(os.environ, SHINGLE_MUTANT=str(number))
    try:
        done = subprocess.run([path, *words], env=environment, timeout=seconds, cwd=builder.COPY, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


class Known:
    """Results by the mutant's name, as long as sources and tests are what they were."""

    def __init__(self, seeds):
        self.key = f"{state_of_sources()} {seeds}"
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        self.results = kept["results"] if kept.get("key") == self.key else {}

    def put(self, name, result):
        self.results[name] = result
        part = RESULTS.with_suffix(".part")
        part.write_text(json.dumps({"key": self.key, "results": self.results}, indent=1))
        part.replace(RESULTS)


def state_of_sources():
    digest = hashlib.sha256()
    for folder in ("partition", "runtime", "sim", "tests/runtime", "tests/sim", "tests/swarm", "tests/scenarios", "tests/networks"):
        for path in sorted((builder.ROOT / folder).rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(builder.ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
