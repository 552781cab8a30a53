"""`tools/lab check`: what `shingle simulate` predicts of an experiment, then what real programs do, by the same rule.

Both give the frames of each source as (captured, latency), and both are measured alike: frames count that were captured after
the warm-up and delivered before the end; frames/s are taken from the first such delivery to the last one."""
import csv
import dataclasses
import hashlib
import json
import pathlib
import statistics
import subprocess
import tempfile

from . import experiment as experiments
from . import state, together
from .shell import LabError

LIMIT, LIMIT_LOOSE = 0.06, 0.15  # of the worst figure; loose: with faults, or nodes that no pace holds
MOST_OVERRUNS = 0.01
MOST_PICTURES = 20_000


@dataclasses.dataclass
class Figures:
    """Of one source in one run."""
    latency_ms: float  # the mean frame's
    frames_per_second: float
    frames: int
    median_ms: float = float("inf")


def figures_of(frames, experiment):
    counted = [frame for frame in frames
               if frame.captured_s >= experiment.warm_up_s and frame.captured_s + frame.latency_s < experiment.duration_s]
    if len(counted) < 3:
        return Figures(float("inf"), 0.0, len(counted))
    ends = sorted(frame.captured_s + frame.latency_s for frame in counted)
    # The mean is compared, because the median is unstable: with several frames open, latencies have two modes, and one frame more in
    # a mode moves the median to it. A median also misses a short disturbance.
    latencies = [1e3 * frame.latency_s for frame in counted]
    return Figures(statistics.mean(latencies), (len(ends) - 1) / (ends[-1] - ends[0]), len(counted), statistics.median(latencies))


@dataclasses.dataclass
class Prediction:
    sources: list  # Figures
    causes: list  # by source: what the mean frame waits for, in ms
    hash: str
    warnings: list


def predict(program, path, experiment, relayed, taken):
    """`taken`: programs.Programs of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "frames.csv"
        words = [program, "simulate", path, "--json", "--frames", table, *taken.options(),
                 *(["--relay"] if relayed else [])]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LabError(done.stderr.strip().removeprefix("shingle: "), done.returncode)
        told, text = json.loads(done.stdout), table.read_text()
    frames = {}  # by seed and source
    for row in csv.DictReader(text.splitlines()):
        if row["fate"] == "delivered":
            frame = together.Frame(float(row["captured_ms"]) * 1e-3, float(row["latency_ms"]) * 1e-3)
            frames.setdefault((row["seed"], int(row["source"])), []).append(frame)
    seeds = sorted({seed for seed, _ in frames})
    sources = [mean_of([figures_of(frames.get((seed, number + 1), []), experiment) for seed in seeds])
               for number in range(len(experiment.sources))]
    causes = [{cause: each["mean"] for cause, each in source["cause_ms"].items()} for source in told["sources"]]
    said = json.dumps([dataclasses.asdict(each) for each in sources], sort_keys=True)
    return Prediction(sources, causes, hashlib.sha256(said.encode()).hexdigest(), told["warnings"])


def mean_of(runs):
    if not runs:
        return Figures(float("inf"), 0.0, 0)
    return Figures(statistics.mean(run.latency_ms for run in runs), statistics.mean(run.frames_per_second for run in runs),
                   round(statistics.mean(run.frames for run in runs)), statistics.mean(run.median_ms for run in runs))


def compare(predicted, runs):
    """A row for each figure of each source; `runs`: by repetition, the sources' Figures."""
    rows = []
    for number, source in enumerate(predicted.sources):
        for quantity in ("latency_ms", "frames_per_second"):
            values = [getattr(run[number], quantity) for run in runs]
            measured = statistics.mean(values)
            rows.append({"source": number + 1, "quantity": quantity, "predicted": getattr(source, quantity), "measured": measured,
                         "error": error_of(getattr(source, quantity), measured),
                         "spread": (max(values) - min(values)) / measured if measured else float("inf")})
        rows[-2]["median_error"] = error_of(source.median_ms, statistics.mean(run[number].median_ms for run in runs))
    return rows


def error_of(predicted, measured):
    return abs(predicted / measured - 1.0) if 0.0 < measured < float("inf") else float("inf")


def limit_of(experiment, cluster):
    paced = all(node["pace"] for node in cluster["nodes"])
    return LIMIT if paced and not experiment.faults else LIMIT_LOOSE


def check(name, program, path, repeat, taken, say):
    """REQUIRES: the lab `name` is up with the experiment's cluster. What it finds, as one value."""
    experiment = experiments.read(path)
    content = state.read(name)
    predicted = predict(program, path, experiment, bool(content.get("relay")), taken)
    say(f"predicted before the first run: {predicted.hash}")
    runs, tiles, overruns = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        most = max(source.frames_per_second for source in predicted.sources) * experiment.duration_s * 3 + 200
        pictures = together.pictures_for(experiment, folder, min(MOST_PICTURES, int(most)))
        for _ in range(repeat):
            measured = together.run(name, experiment, pictures)
            runs.append([figures_of(frames, experiment) for frames in measured.frames])
            tiles, overruns = tiles + measured.paced_tiles, overruns + measured.overruns
    rows = compare(predicted, runs)
    return {"experiment": str(path), "hash": predicted.hash, "rows": rows, "runs": repeat, "worst": max(row["error"] for row in rows),
            "mean": statistics.mean(row["error"] for row in rows), "limit": limit_of(experiment, content["cluster"]),
            "overruns": overruns / tiles if tiles else 0.0, "relayed": bool(content.get("relay")),
            "causes_ms": predicted.causes, "warnings": predicted.warnings}


def print_table(found, say):
    say(f"{'source':>6} {'':18} {'predicted':>10} {'measured':>10} {'error':>8} {'spread':>8}")
    for row in found["rows"]:
        what = "mean latency, ms" if row["quantity"] == "latency_ms" else "frames/s"
        median = f"   median {row['median_error']:.1%}" if "median_error" in row else ""
        say(f"{row['source']:6} {what:18} {row['predicted']:10.2f} {row['measured']:10.2f} {row['error']:8.1%} {row['spread']:8.1%}{median}")
    if found["overruns"] > MOST_OVERRUNS:
        say(f"{found['overruns']:.1%} of the paced tiles took longer here than on their board: these runs say nothing")
    if found["relayed"]:
        say("delays come from a relay, which is simulated too: this kernel cannot delay packets")
    for warning in found["warnings"]:
        say(f"note: {warning}")
    say(f"worst error {found['worst']:.1%}, limit {found['limit']:.0%}")
