"""A stream through six boards of which one becomes 2x, then 4x slower while it runs: how soon is the cluster as fast as its remaining speeds allow?"""
import json
import statistics
import subprocess
import threading
import time

from . import runs, site

SIDE, GFLOP = 128, 1.1524  # yolov2_front, as make-network says: 20.8 frames/s; its maps of 8x8 can be dealt to six
GFLOPS, NODES, SLOW_NODE = 4.0, 6, 3
OPEN = 10
CALM_S, LOOK_S = 9.0, 1.0  # between two changes; frames of so long count as the rate of a moment
STEPS = (1.0, 2.0, 4.0)
STREAMS = 3  # the median counts
ENOUGH = 0.95


def sum_of_speeds(slowness):
    """Frames a second, if every board computed without a pause and nothing twice."""
    return GFLOPS * (NODES - 1 + 1.0 / slowness) / GFLOP


class Stream:
    """One run; `changed`: when the node became as slow as the step says, the first frame for the first."""

    def __init__(self, lab, *options):
        self.lab, self.changed = lab, []
        self.slow(STEPS[0])  # a stream before left it at the last step
        frames = int(sum_of_speeds(1.0) * CALM_S * (len(STEPS) + 0.5))
        words = lab.command("run", "--owner", 0, site.model("yolov2_front", SIDE), site.pictures(SIDE, frames), "--json", "--head", "raw",
                            "--open", OPEN, "--goal", "throughput", *options)
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            lines = list(self.watched(process))
        if process.returncode != 0:
            raise site.BenchError(f"'{' '.join(words)}' ended with {process.returncode}")
        if len(self.changed) < len(STEPS):
            raise site.BenchError("the stream ended before the node was slowed for the last time: this machine is too busy")
        self.ran = runs.of_lines(lines)
        self.new_plans = next(line["new_plans"] for _, line in lines if "new_plans" in line)
        self.ends = self.changed[1:] + [self.ran.delivered_s[-1] - LOOK_S]

    def watched(self, process):
        slowing = threading.Thread(target=self.slow_down, daemon=True)
        for line in process.stdout:
            yield time.monotonic(), json.loads(line)
            if not self.changed:
                self.changed.append(time.monotonic())
                slowing.start()

    def slow_down(self):
        for slowness in STEPS[1:]:
            time.sleep(CALM_S)
            asked = time.monotonic()
            self.slow(slowness)
            self.changed.append(asked)

    def slow(self, slowness):
        site.call(*self.lab.command("slow", SLOW_NODE, slowness))

    def rate(self, begin, end):
        return sum(begin <= at < end for at in self.ran.delivered_s) / (end - begin)

    def settled_rate(self, step):
        """Behind the first two seconds."""
        return self.rate(self.changed[step] + 2.0, self.ends[step])

    def recovery_s(self, step, wanted):
        """Until frames come at this rate and go on so, at the mean, until the next change: frames are delivered in order, so those that
        were held up come in one burst. Infinite if they never do."""
        at = self.changed[step]
        while at + LOOK_S <= self.ends[step]:
            if min(self.rate(at, at + LOOK_S), self.rate(at, self.ends[step])) >= wanted:
                return at - self.changed[step]
            at += 0.02
        return float("inf")


def worst_recovery_s(stream, part):
    """To 95 % of this part of the sum of speeds, after either change."""
    return max(stream.recovery_s(step, ENOUGH * sum_of_speeds(STEPS[step]) * part) for step in (1, 2))


def measure(found):
    with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
        streams = [Stream(lab) for _ in range(STREAMS)]
    shares = {}
    for stream in streams:
        found.count(stream.ran)
    for step, slowness in enumerate(STEPS):
        rate = statistics.median(stream.settled_rate(step) for stream in streams)
        shares[slowness] = rate / sum_of_speeds(slowness)
        found.put(f"slow_node_share_{slowness:g}x", shares[slowness], ("least", ENOUGH), 1.0, f"{rate:.1f} frames/s of {sum_of_speeds(slowness):.1f}")
    strict, own = (statistics.median(worst_recovery_s(stream, part) for stream in streams) for part in (1.0, shares[1.0]))
    plans = ", ".join(str(stream.new_plans) for stream in streams)
    found.put("slow_node_recovery_s", strict, ("most", 2.0), note=f"to 95 % of the sum of speeds; {plans} new plans")
    found.put("slow_node_own_recovery_s", own, ("most", 2.0), note="to 95 % of its own rate before, times what is left of the speeds")
