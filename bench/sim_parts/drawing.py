"""Draws experiments that the lab can run, from a seed: clusters, networks, streams, faults. Each is written as an experiment file."""
import dataclasses
import json
import random
import shutil

from lab import site

FOLDER = site.ROOT / "build/bench-sim"
# Networks of at most 6 GFLOP, so that two cores carry all nodes: (name, size, GFLOP).
NETWORKS = (("yolov2_front", 160, 1.8), ("yolov2_front", 256, 4.6), ("resnet18", 224, 3.6), ("mobilenetv2", 224, 0.6),
            ("yolov3_tiny", 416, 5.6), ("yolov3_tiny", 320, 3.3), ("yolov8n", 416, 3.7))
RATES, SLOW_WIRES = (12.0, 20.0, 30.0, 50.0, 80.0), (12.0, 20.0)  # Mb/s, before they are drawn 10 % up or down
WIRE_SHARE = 0.30  # of a frame's time, in every second configuration
MOST_ALONE = 0.25  # of the configurations have one node
MOST_SPEED = 24.0  # GFLOP/s of all nodes together: this machine must be able to compute for all of them
TRIES = 60
SECONDS, WARM_UP = 20.0, 3.0
FEWEST_FRAMES = 25  # behind the warm-up


@dataclasses.dataclass
class Drawn:
    """An experiment as it is drawn; `text()` is its file."""
    number: int
    network: dict
    nodes: list  # by id: dict of the table
    models: list  # by source: (name, size)
    sources: list  # dict of the table
    seconds: float = SECONDS
    faults: list = dataclasses.field(default_factory=list)
    replans: bool = False

    def text(self):
        parts = [f'duration = "{self.seconds:g} s"\nwarm_up = "{WARM_UP:g} s"\n', "[policy]", f"replan = {str(self.replans).lower()}\n",
                 *table("[network]", self.network)]
        for number, node in enumerate(self.nodes):
            parts += table("[[node]]", {"id": number, **node})
        for number, (name, size) in enumerate(self.models):
            plan = {} if self.replans else {"plan": f"{number}.plan"}
            parts += table("[[model]]", {"name": f"m{number}", "file": str(site.model(name, size)), "head": "raw", **plan})
        for number, source in enumerate(self.sources):
            parts += table("[[source]]", {"model": f"m{number}", "arrivals": "back_to_back", **source})
        for fault in self.faults:
            parts += table("[[fault]]", fault)
        return "\n".join(parts) + "\n"

    def cluster_text(self):
        parts = table("[network]", self.network)
        for number, node in enumerate(self.nodes):
            parts += table("[[node]]", {"id": number, **node, "address": f"10.78.0.{10 + number}", "port": 7000})
        return "\n".join(parts) + "\n"

    def told(self):
        speeds = ", ".join(f"{node['gflops']:g}" if "gflops" in node else "this machine's" for node in self.nodes)
        wires = f"{self.network['mbps']:g} Mb/s" + (f", {self.network['delay_ms']:g} ms" if self.network.get("delay_ms") else "")
        streams = "; ".join(f"{name} {size} at {source['owner']}, {source['open_frames']} open, {source['goal']}"
                            for (name, size), source in zip(self.models, self.sources))
        return f"{len(self.nodes)} nodes ({speeds} GFLOP/s), {wires}: {streams}"


def table(head, values):
    literal = {bool: lambda value: str(value).lower(), str: json.dumps}
    return [head, *(f"{key} = {literal.get(type(value), repr)(value)}" for key, value in values.items()), ""]


def draw(dice, number, nodes, rates=RATES):
    """Of so many nodes."""
    most = min(6.0, MOST_SPEED / nodes)
    equal = dice.random() < 0.4
    speed = dice.uniform(1.5, most)
    tables = [{"gflops": round(speed if equal else dice.uniform(1.5, most), 2), "pace": True} for _ in range(nodes)]
    network = {"kind": "switched", "mbps": round(dice.choice(rates) * dice.uniform(0.9, 1.1), 1)}
    if nodes > 1 and dice.random() < 0.3:
        network["delay_ms"] = round(dice.uniform(1.0, 6.0), 1)
    if nodes > 1 and dice.random() < 0.25:  # a port unlike the others'
        tables[dice.randrange(nodes)]["link_mbps"] = round(network["mbps"] * dice.uniform(0.4, 0.9), 1)
    owners = dice.sample(range(nodes), 2 if nodes > 1 and dice.random() < 0.35 else 1)
    models = [dice.choice(NETWORKS)[:2] for _ in owners]
    sources = [{"owner": owner, "open_frames": (opened := dice.choice((1, 2, 4))), "goal": "latency" if opened == 1 else "throughput"}
               for owner in owners]
    return Drawn(number, network, tables, models, sources)


def write(drawn):
    """The experiment's file, with a plan for each source as `shingle plan` finds it."""
    folder = FOLDER / f"{drawn.number:03}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "experiment.toml"
    path.write_text(drawn.text())
    cluster = folder / "cluster.toml"
    cluster.write_text(drawn.cluster_text())
    for number, ((name, size), source) in enumerate(zip(drawn.models, drawn.sources)):
        if drawn.replans:
            continue
        site.call(site.PROGRAM, "plan", site.model(name, size), "--cluster", cluster, "--owner", source["owner"], "--open-frames",
                  source["open_frames"], "--goal", source["goal"], "--head", "raw", "--out", folder / f"{number}.plan")
    return path


def wire_share(causes):
    """Of what the mean frame waits for: the part that is on wires, or for room on them."""
    whole = sum(causes.values())
    return sum(causes[cause] for cause in ("wire", "traffic", "credit")) / whole if whole else 0.0


def node_counts(dice, count):
    """By configuration: at most a quarter have one node."""
    alone = int(count * MOST_ALONE) // 2
    counts = [1] * alone + [dice.randint(2, 6) for _ in range(count - alone)]
    dice.shuffle(counts)
    return counts
