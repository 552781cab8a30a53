"""Simulated clusters against real programs in the lab: drawn from a seed, all predicted before the first run."""
import dataclasses
import hashlib
import json
import pathlib
import random
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
from laboratory import checking, programs, topology  # noqa: E402
from laboratory import experiment as experiments  # noqa: E402
from laboratory.shell import call  # noqa: E402
from lab import site  # noqa: E402
from sim_parts import drawing  # noqa: E402


def relays():
    """Does this kernel lack what delays packets, so that a relay does it?"""
    namespace = "slab-benchsim-probe"
    call("ip", "netns", "add", namespace)
    try:
        call("ip", "-n", namespace, "link", "set", "lo", "up")
        return not topology.has_netem(namespace, "lo")
    finally:
        call("ip", "netns", "delete", namespace)


@dataclasses.dataclass
class Case:
    drawn: drawing.Drawn
    path: pathlib.Path
    predicted: checking.Prediction


class Unfit(Exception):
    """A draw that cannot be run."""


@dataclasses.dataclass
class Here:
    """What is known of this machine before the first prediction."""
    relayed: bool  # its kernel cannot delay packets, so a relay does it
    taken: programs.Programs


def look_around(say):
    taken = programs.measure(site.LAB, site.PROGRAM, site.model("yolov3_tiny", 320))
    say(f"programs of this machine, measured before all else: {taken.told()}")
    return Here(relays(), taken)


def predicted(drawn, here):
    path = drawing.write(drawn)
    experiment = experiments.read(path)
    return Case(drawn, path, checking.predict(site.PROGRAM, path, experiment, here.relayed and bool(drawn.network.get("delay_ms")),
                                                        here.taken))


def fitting(draw, here, wants):
    """The first of a few draws that is as wanted: enough frames, and what `wants` says."""
    for _ in range(drawing.TRIES):
        try:
            case = predicted(draw(), here)
        except Unfit:
            continue
        if min(source.frames for source in case.predicted.sources) >= drawing.FEWEST_FRAMES and wants(case):
            return case
    raise site.BenchError(f"none of {drawing.TRIES} draws is as it should be")


def calm_cases(seed, count, here):
    """Half of them spend much of a frame on wires: as many nodes as it takes, and slow wires."""
    dice = random.Random(seed)
    cases = []
    for number, nodes in enumerate(drawing.node_counts(dice, count)):
        if nodes > 1 and sum(busy(case) for case in cases) * 2 <= len(cases):
            cases.append(fitting(lambda n=number: drawing.draw(dice, n, dice.randint(2, 6), drawing.SLOW_WIRES), here, busy))
        else:
            cases.append(fitting(lambda n=number, k=nodes: drawing.draw(dice, n, k), here, lambda _: True))
    return cases


def busy(case):
    """Spends a frame of any of its sources so much time on wires?"""
    return max(map(drawing.wire_share, case.predicted.causes)) >= drawing.WIRE_SHARE


def faulty_cases(seed, count, here):
    dice = random.Random(seed + 1)
    kinds = ("crash", "slow", "thefts")

    def draw(number):
        drawn = drawing.draw(dice, number, dice.randint(3, 6))
        kind = kinds[number % len(kinds)]
        others = [node for node in range(len(drawn.nodes)) if node not in [source["owner"] for source in drawn.sources]]
        if not others:
            raise Unfit("no node that owns no frames")
        victim, at = dice.choice(others), round(dice.uniform(5.0, 8.0), 1)
        drawn.seconds = 16.0
        if kind == "crash":
            drawn.replans = True
            drawn.faults = [{"at": f"{at} s", "kind": "crash", "node": victim}]
        elif kind == "slow":
            drawn.faults = [{"at": f"{at} s", "kind": "slow", "node": victim, "factor": round(dice.uniform(1.5, 4.0), 2)}]
            drawn.replans = dice.random() < 0.5
        else:  # slow from the start and the plan kept, so the others steal its tiles
            drawn.faults = [{"at": "0.1 s", "kind": "slow", "node": victim, "factor": round(dice.uniform(1.5, 3.0), 2)}]
            for source in drawn.sources:
                source["open_frames"] = 4
        return drawn

    return [fitting(lambda n=number: draw(n), here, lambda _: True) for number in range(200, 200 + count)]


def announce(cases, say):
    together = hashlib.sha256("".join(case.predicted.hash for case in cases).encode()).hexdigest()
    for case in cases:
        shares = "/".join(f"{drawing.wire_share(causes):.0%}" for causes in case.predicted.causes)
        say(f"  {case.drawn.number:3} {case.predicted.hash[:12]}  wires {shares:8} {case.drawn.told()}")
    say(f"predictions of all {len(cases)}, before the first run: {together}")


def check(case, repeat, here):
    """What `tools/lab check` says of it; None: this machine was too busy for the runs to mean anything."""
    done = subprocess.run([site.LAB, "check", case.path, "--json", "--repeat", str(repeat), "--programs", here.taken.text()],
                          capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise site.BenchError(f"tools/lab check {case.path} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    found = json.loads(lines[-1])
    if found["hash"] != case.predicted.hash:
        raise site.BenchError(f"{case.path}: the second prediction is unlike the first")
    return found


def measure(cases, prefix, repeat, here, say):
    """The two keys that begin with `prefix`."""
    announce(cases, say)
    errors, medians, log = [], [], []
    for case in cases:
        found = check(case, repeat, here)
        log.append({"case": case.drawn.told(), "faults": case.drawn.faults, **found})
        (drawing.FOLDER / f"{prefix}.json").write_text(json.dumps(log, indent=1))
        each = [row["error"] for row in found["rows"]]
        errors += each
        medians += [row["median_error"] for row in found["rows"] if "median_error" in row]
        figures = ", ".join(f"{row['predicted']:.1f}/{row['measured']:.1f} {row['error']:.1%} ({row['spread']:.1%})" for row in found["rows"])
        fault = " ".join(f"{each['kind']} {each['node']}" for each in case.drawn.faults)
        say(f"  {case.drawn.number:3} {fault:8} {figures}{'  relay' if found['relayed'] else ''}"
            f"{'  overruns ' + format(found['overruns'], '.1%') if found['overruns'] > checking.MOST_OVERRUNS else ''}")
    say(f"{prefix}: mean {statistics.mean(errors):.2%}, worst {max(errors):.2%} of {len(errors)} figures; median latencies: mean "
        f"{statistics.mean(medians):.2%}, worst {max(medians):.2%}")
    return {f"{prefix}_mean_error": statistics.mean(errors), f"{prefix}_worst_error": max(errors)}


def run(options, say):
    here = look_around(say)
    return measure(calm_cases(options.seed, options.cases or 30, here), "lab", options.repeat, here, say)


def run_faults(options, say):
    here = look_around(say)
    return measure(faulty_cases(options.seed, options.cases or 10, here), "lab_fault", options.repeat, here, say)
