"""Does `shingle trace diff` name what is wrong with a real cluster? Each pair is a run in the lab, traced, and its simulation from
the cluster file: the same plan, frames captured at the same times, everything else predicted. Ten labs run undisturbed, then with
one hidden cause each, drawn from the seed: a slow node, a slow way, a late way, a way that loses packets, a small credit.

  bench/sim_parts/causes.py [--seed N] [--pairs N] [--json]      alone, as root"""
import argparse
import json
import pathlib
import random
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lab import site  # noqa: E402

KINDS = ("node_speed", "link_rate", "link_delay", "loss", "credit")
FRAMES, SIDE = 30, 256
FOLDER = site.ROOT / "build/bench-causes"


def draw_cluster(dice, number):
    """A cluster file of 3 to 5 equal boards; a network of the lab's own kind."""
    nodes, gflops, mbps = dice.randint(3, 5), dice.uniform(3.0, 5.0), dice.uniform(30.0, 60.0)
    tables = [f'[[node]]\nid = {node}\naddress = "10.79.{number}.{10 + node}"\nport = 7000\ngflops = {gflops:.2f}\npace = true\n'
              for node in range(nodes)]
    path = FOLDER / f"causes{number}.toml"
    path.write_text("\n".join([f'[network]\nkind = "switched"\nmbps = {mbps:.1f}\n', *tables]))
    return path, nodes, mbps


def draw_cause(dice, kind, nodes, mbps, ways):
    """{"kind", "place", "size"}. `ways`: bytes by way of the undisturbed run; a way that carries next to nothing hides its cause."""
    busy = sorted(way for way, count in ways.items() if count >= max(ways.values()) / 4)
    way = dice.choice(busy)
    place, size = {
        "node_speed": (str(dice.randrange(nodes)), round(dice.uniform(1.25, 2.5), 2)),  # times slower
        "link_rate": (way, round(mbps * dice.uniform(0.1, 0.3), 1)),  # Mb/s
        "link_delay": (way, round(dice.uniform(2.0, 20.0), 1)),  # ms more
        "loss": (way, round(dice.uniform(1.0, 4.0), 1)),  # % of packets
        "credit": (str(dice.randrange(1, nodes)), round(dice.uniform(2.0, 6.0), 1)),  # KiB
    }[kind]
    return {"kind": kind, "place": place, "size": size}


class Site:
    """One drawn lab: its cluster, plan and pictures."""

    def __init__(self, dice, number):
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.number = number
        self.cluster, self.nodes, self.mbps = draw_cluster(dice, number)
        self.model, self.pictures = site.model("yolov2_front", SIDE), site.pictures(SIDE, FRAMES)
        self.plan = FOLDER / f"causes{number}.plan"
        site.call(site.PROGRAM, "plan", self.model, "--cluster", self.cluster, "--owner", 0, "--out", self.plan)

    def causes(self, name, cause=None, relay=False):
        """What `trace diff` says of a run with that cause: its JSON."""
        folder = FOLDER / f"{self.number}-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        kind, place, size = (cause["kind"], cause["place"], cause["size"]) if cause else (None, None, None)
        with site.Lab(self.cluster, *(["--relay"] if relay else [])) as lab:
            verb = {"node_speed": "slow", "link_rate": "rate", "link_delay": "delay", "loss": "loss"}.get(kind)
            if verb:
                site.call(*lab.command(verb, place, size))
            credit = ["--credit", f"{place}:{size}"] if kind == "credit" else []
            site.call(*lab.command("run", "--traces", folder, *credit, self.model, self.pictures, "--json", "--head", "raw",
                                   "--open", 2, "--plan", self.plan))
        real, expected = folder / "all.json", folder / "expected.json"
        site.call(site.PROGRAM, "trace", "merge", *sorted(folder.glob("node*.json")), "--out", real)
        site.call(site.PROGRAM, "trace", "replay", real, "--cluster", self.cluster, "--model", self.model, "--head", "raw",
                  "--predicted", "--out", expected)
        return json.loads(site.call(site.PROGRAM, "trace", "diff", real, expected, "--json"))


def is_named(cause, found):
    """The most certain cause has the kind and the place."""
    return bool(found) and found[0]["kind"] == cause["kind"] and found[0]["place"] == cause["place"]


def told(found):
    return ", ".join(f"{each['kind']} at {each['place']} ({each['size']:.3g}, {each['confidence']:.0%})" for each in found) or "nothing"


def run(seed, pairs=10, say=print):
    """The JSON keys of this part."""
    dice = random.Random(seed)
    kinds = [KINDS[number % len(KINDS)] for number in range(pairs)]
    dice.shuffle(kinds)
    named = alarms = 0
    for number, kind in enumerate(kinds):
        place = Site(dice, number)
        relay = kind == "link_delay"  # without the kernel's netem a relay delays, and costs a little itself
        calm = place.causes("calm", relay=relay)
        alarms += bool(calm["causes"])
        cause = draw_cause(dice, kind, place.nodes, place.mbps, {way["way"]: way["bytes"] for way in calm["ways"]})
        found = place.causes("hidden", cause, relay)["causes"]
        named += is_named(cause, found)
        say(f"{place.nodes} nodes, {place.mbps:.0f} Mb/s: undisturbed: {told(calm['causes'])}; hidden {cause['kind']} at {cause['place']} "
            f"({cause['size']}): {told(found)}{'' if is_named(cause, found) else '   <-- missed'}")
    say(f"causes_named {named} of {pairs}, false_alarms {alarms} of {pairs}")
    return {"causes_named": named, "false_alarms": alarms}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options.seed, options.pairs)
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    try:
        main()
    except site.BenchError as error:
        sys.exit(f"causes: {error}")
