"""What the programs themselves take on this machine, beside computing and wires: `tools/lab programs`.

Two runs in a lab of its own, of nodes that are paced, so that threads sleep and wake up as often as in other labs:
  traced  four nodes. A small message from program to program; and on each node the time between two tiles that follow each other,
          with what a tile takes longer than its pace says.
  plain   the same without traces: the time from a frame's end to the next one's capture.
Nothing here knows the clusters that predictions are made for."""
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from .checking import MOST_OVERRUNS
from .shell import LabError

NODES, GFLOPS, MBPS = 4, 4.0, 100.0
FRAMES, WARM_UP, SIDE = 30, 4, 256
SMALL_MESSAGES = ("Done", "Beat")


class TooFew(LabError):
    pass


@dataclasses.dataclass
class Programs:
    """All in microseconds; `shingle simulate` has an option for each."""
    message_latency: float
    handover: float
    frame_gap: float

    def options(self):
        return [word for name, value in dataclasses.asdict(self).items() for word in (f"--{name.replace('_', '-')}", f"{value:.1f}")]

    def told(self):
        return (f"{self.message_latency:.0f} us a message, {self.handover:.0f} us a tile, "
                f"{self.frame_gap:.0f} us between two frames")

    def text(self):
        return ",".join(f"{value:.1f}" for value in dataclasses.astuple(self))


def parse(text):
    try:
        return Programs(*(float(word) for word in text.split(",")))
    except (TypeError, ValueError):
        raise LabError(f"'{text}' does not say what the programs take; write three times in microseconds, as 'tools/lab programs' prints them", 2)


def measure(lab, program, model):
    """`lab`: the tool itself, which makes the labs. `model`: any file; one that takes some 100 ms a frame."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(lab, program, pathlib.Path(model), pathlib.Path(folder))
        message, handover = place.traced()
        return Programs(message, handover, place.gap())


@dataclasses.dataclass
class Place:
    lab: pathlib.Path
    program: pathlib.Path
    model: pathlib.Path
    folder: pathlib.Path

    def gap(self):
        frames = frames_of(self.run())
        return max(0.0, 1e3 * statistics.median(at - before - ms for (before, _), (at, ms) in zip(frames, frames[1:])))

    def traced(self):
        """Of a small message, and of a handover. With more frames open tiles wait also where a model is hardly cut."""
        try:
            return self.traced_with(1)
        except TooFew:
            return self.traced_with(4)

    def traced_with(self, opened):
        lines = self.run(opened, traced=True)
        merged = self.folder / "all.json"
        self.call(self.program, "trace", "merge", *sorted(self.folder.glob("node*.json")), "--out", merged)
        events = json.loads(merged.read_text())
        pace = [line["pace"] for line in lines if "pace" in line]
        pace += [node["pace"] for line in lines for node in line.get("lab_nodes", []) if "pace" in node]
        tiles, overruns = (sum(each[key] for each in pace) for key in ("tiles", "overruns"))
        if overruns > MOST_OVERRUNS * tiles:
            raise LabError(f"{overruns} of {tiles} tiles took longer here than on their board: this machine is too busy to be measured", 1)
        longer_us = (sum(each["dur"] for each in events if each.get("cat") == "compute")
                     - 1e3 * sum(each["charged_ms"] for each in pace)) / tiles
        return small_message_us(events), between_tiles_us(events) + max(0.0, longer_us)

    def run(self, opened=1, traced=False):
        cluster = self.folder / "programs.toml"
        cluster.write_text(f'[network]\nkind = "switched"\nmbps = {MBPS}\n' + "".join(
            f'[[node]]\nid = {node}\naddress = "10.76.0.{10 + node}"\nport = 7000\ngflops = {GFLOPS}\npace = true\n' for node in range(NODES)))
        plan, pictures, name = self.folder / "a.plan", self.pictures(), f"programs{os.getpid()}"
        self.call(self.program, "plan", self.model, "--cluster", cluster, "--owner", 0, "--head", "raw", "--out", plan)
        self.call(self.lab, "up", cluster, "--name", name, "--program", self.program)
        try:
            return self.lines(self.lab, "run", "--name", name, *(["--traces", self.folder] if traced else []), self.model, pictures,
                              "--json", "--head", "raw", "--open", opened, "--plan", plan)
        finally:
            self.call(self.lab, "down", name)

    def lines(self, *words):
        """What the program prints as JSON, each line with the moment when it came, in ms."""
        found = []
        with open(self.folder / "errors", "w+", encoding="utf-8") as errors:
            with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=errors, text=True) as process:
                for line in process.stdout:
                    if line.startswith("{"):
                        found.append({"at": 1e3 * time.monotonic(), **json.loads(line)})
            if process.returncode != 0:
                errors.seek(0)
                raise LabError(f"{pathlib.Path(words[0]).name} {words[1]}: {errors.read().strip()[-300:]}", 1)
        return found

    def pictures(self):
        folder = self.folder / "pictures"
        if not folder.exists():
            folder.mkdir()
            for number in range(FRAMES):
                (folder / f"{number:03}.ppm").write_bytes(b"P6 %d %d 255\n" % (SIDE, SIDE) + bytes(3 * SIDE * SIDE))
        return folder

    def call(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LabError(f"{pathlib.Path(words[0]).name} {words[1]}: {done.stderr.strip()[-300:]}", 1)
        return done.stdout


def frames_of(lines):
    """When each was told, and its latency, in ms."""
    return [(line["at"], line["ms"]) for line in lines if "ms" in line][WARM_UP:]


def small_message_us(events):
    sent = {event["args"]["flow"]: event["ts"] for event in events if event.get("cat") == "send" and event["name"] in SMALL_MESSAGES}
    took = [event["ts"] - sent[event["args"]["flow"]] for event in events
            if event.get("cat") == "receive" and event["args"]["flow"] in sent]
    if len(took) < FRAMES:
        raise TooFew(f"only {len(took)} small messages were traced", 1)
    return statistics.median(took)


def between_tiles_us(events):
    """Of two tiles one after the other on a node, where the second was ready before the first ended."""
    gaps, ready, last = [], {}, {}
    for event in sorted((each for each in events if "ts" in each), key=lambda each: each["ts"]):
        node = event["pid"]
        if event.get("name") == "queue":
            ready[node] = event["args"]["ready_tiles"]
        elif event.get("cat") == "compute":
            end, was_ready = last.get(node, (0.0, 0))
            if was_ready > 0 and event["ts"] >= end:
                gaps.append(event["ts"] - end)
            last[node] = (event["ts"] + event["dur"], ready.get(node, 0))
    if len(gaps) < FRAMES:
        raise TooFew(f"only {len(gaps)} pairs of tiles were traced; give figures of another model by --programs", 1)
    return statistics.median(gaps)
