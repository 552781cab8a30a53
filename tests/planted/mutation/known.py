"""What is known from earlier calls, under build/mutants: who meets which mutant, and what became of each."""
import json
from concurrent import futures

from . import builder, judge

FOLDER = builder.ROOT / "build" / "mutants"
SWARM = ("partition", "runtime", "sim", "tests/networks", "tests/scenarios", "tests/swarm", "tests/planted/mutation")
TESTS = ("tests/runtime", "tests/sim")


def write(path, content):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1))
    part.replace(path)


class Met:
    """By run, the mutants that it meets. Whatever fails without any mutant is an error of the source."""

    def __init__(self, seeds_wanted, workers, tell):
        self.file = FOLDER / "met.json"
        key = builder.state_of(*SWARM, *TESTS)
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        same_swarm = kept.get("swarm") == builder.state_of(*SWARM)
        self.runs = {name: set(numbers) for name, numbers in kept.get("runs", {}).items()
                     if kept.get("key") == key or same_swarm and name.startswith("seeds ")}
        wanted = judge.quick_tests() + judge.slow_tests() + [judge.seeds(seed, 1) for seed in range(1, seeds_wanted + 1)]
        self.look([run for run in wanted if run.name not in self.runs], workers, tell)
        write(self.file, {"key": key, "swarm": builder.state_of(*SWARM), "runs": {name: sorted(met) for name, met in self.runs.items()}})
        self.seeds = {}
        for seed in range(1, seeds_wanted + 1):
            for number in self.runs[judge.seeds(seed, 1).name]:
                self.seeds.setdefault(number, []).append(seed)

    def look(self, runs, workers, tell):
        with futures.ThreadPoolExecutor(workers) as pool:
            found = pool.map(lambda each: judge.met_by(each[1], FOLDER / f"met.{each[0]}"), enumerate(runs))
            for place, (run, met) in enumerate(zip(runs, found), 1):
                tell(place, len(runs), "who meets which mutant")
                if met is None:
                    raise SystemExit(f"The source fails without any mutant: {' '.join(run.command())}")
                self.runs[run.name] = met

    def of(self, run):
        return self.runs[run.name]

    def seeds_of(self, number):
        return self.seeds.get(number, [])


class Results:
    """By the mutant's name. What a change of the tests or the sources makes doubtful is tried again, the old killer first."""

    def __init__(self, seeds_wanted):
        self.file = FOLDER / "results.json"
        self.swarm, self.tests, self.wanted = builder.state_of(*SWARM), builder.state_of(*TESTS), seeds_wanted
        self.all = json.loads(self.file.read_text()) if self.file.exists() else {}

    def hunt(self, number, name, met):
        """A hunt that knows what earlier ones did."""
        old = self.all.get(name, {})
        hint = judge.Run(old["killer"], old["program"], tuple(old["words"]), old["seconds"]) if old.get("killer") else None
        done = old.get("seeds", 0) if old.get("swarm") == self.swarm else 0
        return judge.Hunt(number, met, self.wanted, done, hint)

    def is_judged(self, name, early):
        """`early`: the first seeds are enough, as for a mutant that is argued equivalent."""
        old = self.all.get(name, {})
        fresh = old.get("swarm") == self.swarm and old.get("tests") == self.tests
        return fresh and (bool(old.get("killer")) or old.get("seeds", 0) >= min(self.wanted, judge.EARLY if early else self.wanted))

    def killer(self, name):
        return self.all.get(name, {}).get("killer")

    def put(self, name, hunt):
        said = {"swarm": self.swarm, "tests": self.tests, "seeds": hunt.done}
        if hunt.killer:
            run = hunt.killer
            said |= {"killer": run.name, "program": run.program, "words": run.words, "seconds": run.seconds}
        self.all[name] = said
        write(self.file, self.all)
