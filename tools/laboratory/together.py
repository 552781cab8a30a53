"""A whole experiment in a lab that is up: nodes, a program `shingle run` for each owner, and faults at their times."""
import contextlib
import dataclasses
import json
import pathlib
import signal
import subprocess
import threading
import time

from . import running, state
from .processes import InHost
from .shell import LabError

START_S = 60.0  # until every owner has its first frame
ENDING_S = 20.0


@dataclasses.dataclass
class Frame:
    captured_s: float  # since the first frame of the last owner that began
    latency_s: float


@dataclasses.dataclass
class Measured:
    frames: list  # by source: Frames in the order of delivery
    paced_tiles: int
    overruns: int


class Owner:
    """`shingle run` at its node, until it is told to stop."""

    def __init__(self, name, content, experiment, source, pictures, patience):
        models = sorted({str(each.model) for each in experiment.sources})
        words = [content["program"], "run", source.model, pictures, "--json", "--head", source.head, "--open", source.open_frames,
                 "--cluster", running.cluster_file(name, content, source.owner), "--id", source.owner,
                 "--compute", "--insecure", *patience, "--slow-file", running.slow_file(name, source.owner)]
        words += [word for model in models if model != str(source.model) for word in ("--models", model)]
        words += ["--models", source.model] if len(experiment.sources) > 1 else []
        words += ["--plan", source.plan] if source.plan else ["--goal", source.goal, *([] if experiment.replans else ["--keep-plan"])]
        words += ["--deadline", source.deadline_s] if source.deadline_s else []
        words += ["--audit", experiment.audit_share] if experiment.audit_share else []
        self.source, self.lines, self.trouble = source, [], []
        self.program = InHost(name, content["cluster"], source.owner, words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read, self.complain)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.program.process.stdout:
            self.lines.append((time.monotonic(), json.loads(line)))

    def complain(self):
        self.trouble.extend(self.program.process.stderr)

    def frames(self):
        """(captured, latency), in seconds of the machine's clock."""
        return [(at - line["ms"] * 1e-3, line["ms"] * 1e-3) for at, line in list(self.lines) if "ms" in line]

    def is_over(self):
        return self.program.process.poll() is not None

    def end(self):
        self.program.end(ENDING_S)
        for reader in self.readers:
            reader.join(5.0)

    def reports(self):
        return [line for _, line in self.lines if "pace" in line]


class Nodes:
    """The nodes that own no frames; faults happen to them and to the owners' speeds."""

    def __init__(self, name, content, experiment, patience):
        self.name, self.content, self.patience = name, content, patience
        self.models = sorted({str(source.model) for source in experiment.sources})
        owners = {source.owner for source in experiment.sources}
        self.reports = []
        self.running = {node["id"]: self.started(node["id"]) for node in content["cluster"]["nodes"] if node["id"] not in owners}

    def started(self, node):
        words = [self.content["program"], "node", "--cluster", running.cluster_file(self.name, self.content, node), "--id", node,
                 *(word for model in self.models for word in ("--models", model)), "--insecure", *self.patience,
                 "--slow-file", running.slow_file(self.name, node)]
        return InHost(self.name, self.content["cluster"], node, words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def happen(self, fault):
        if fault.kind == "slow":
            running.slow(self.name, fault.node, fault.factor)
            return
        if fault.node not in self.running:
            raise LabError(f"node {fault.node} owns frames; the lab does '{fault.kind}' to other nodes only", 3)
        if fault.kind == "restart":
            self.running[fault.node] = self.started(fault.node)
            return
        sent = {"crash": signal.SIGKILL, "hang": signal.SIGSTOP, "wake": signal.SIGCONT}[fault.kind]
        self.running[fault.node].process.send_signal(sent)
        if fault.kind == "crash":
            self.running[fault.node].end()

    def end(self):
        for node in self.running.values():
            with contextlib.suppress(ProcessLookupError):
                node.process.send_signal(signal.SIGCONT)
            node.ask_to_stop()
        for node in self.running.values():
            told, _ = node.process.communicate(timeout=ENDING_S)
            node.end()
            with contextlib.suppress(json.JSONDecodeError, IndexError):
                self.reports.append(json.loads(told.splitlines()[-1]))


def run(name, experiment, pictures):
    """`pictures`: by source, a folder with more than enough of them."""
    content = state.read(name)
    for node in content["cluster"]["nodes"]:
        running.slow(name, node["id"], 1.0)
    # Without faults a short silence is this machine's; with them it is what the programs' users have.
    patience = [] if experiment.faults else ["--patience", running.PATIENCE_S]
    nodes, owners = Nodes(name, content, experiment, patience), []
    try:
        for source, folder in zip(experiment.sources, pictures):
            owners.append(Owner(name, content, experiment, source, folder, patience))
        begin = beginning(owners)
        for fault in sorted(experiment.faults, key=lambda each: each.at_s):
            pause(owners, begin + fault.at_s)
            nodes.happen(fault)
        pause(owners, begin + experiment.duration_s)
        time.sleep(0.05)  # lines on their way
    finally:
        for owner in owners:
            owner.program.ask_to_stop()
        for owner in owners:
            owner.end()
        nodes.end()
    paces = [report["pace"] for report in nodes.reports + [each for owner in owners for each in owner.reports()] if "pace" in report]
    return Measured([[Frame(captured - begin, latency) for captured, latency in owner.frames()] for owner in owners],
                    sum(pace["tiles"] for pace in paces), sum(pace["overruns"] for pace in paces))


def beginning(owners):
    """When the first frame of the last owner was captured."""
    end = time.monotonic() + START_S
    while not all(owner.frames() for owner in owners):
        check(owners)
        if time.monotonic() > end:
            raise LabError(f"no frame in {START_S:g} s")
        time.sleep(0.01)
    return max(owner.frames()[0][0] for owner in owners)


def pause(owners, until):
    while (left := until - time.monotonic()) > 0:
        check(owners)
        time.sleep(min(left, 0.1))


def check(owners):
    for owner in owners:
        if owner.is_over():
            owner.end()
            said = (owner.trouble or ["nothing"])[-1].strip()
            raise LabError(f"the program of owner {owner.source.owner} ended early, saying: {said}")


def pictures_for(experiment, folder, count):
    """Random pictures: links to a few, as many as a run could take at most. The program fits them to the model."""
    import random
    folder = pathlib.Path(folder)
    few = folder / "few"
    few.mkdir(parents=True)
    dice = random.Random(1)
    for number in range(8):
        (few / f"{number}.ppm").write_bytes(b"P6 256 256 255\n" + dice.randbytes(256 * 256 * 3))
    many = folder / "many"
    many.mkdir()
    for number in range(count):
        (many / f"{number:06}.ppm").symlink_to(few / f"{number % 8}.ppm")
    return [many for _ in experiment.sources]
