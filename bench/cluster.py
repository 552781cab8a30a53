# Plans on six slow boards in the lab: speed-ups, streams, unequal boards, one medium, other networks.
#
# Each board is paced to 4 GFLOP/s and has a port of 50 Mb/s: a Pi 3 at half scale (docs/develop/lab.md). As root.
#   tools/bench cluster [--json] [--only KEY,...] [--runs N]
"""KEY is a part (baseline, link, front, whole, stream, two_open, unequal_stream, unequal, shared, nets, ftp, caps, slow_node, plan) or any figure of one."""
import argparse
import json
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import caps, figures, ftp, runs, site, slow_node  # noqa: E402

GFLOPS, NODES, SIDE = 4.0, 6, 608
FRONT_GFLOP, WHOLE_GFLOP = 26.0007, 62.9383  # as make-network says
FRONT_BYTES, WHOLE_BYTES = 38 * 38 * 256 * 4, 19 * 19 * 425 * 4  # of the result
WARM_UP, STEADY, DRAIN = 6, 31, 4  # frames of a stream; the periods between the steady ones count
STREAMS = 3  # runs of a stream; the median counts
LEAST_FRAMES = 5  # behind the first, of a latency
MIB = 1 << 20
GOODPUT, MEDIUM_GOODPUT = 0.942, 0.915  # of a port, of a medium that carries acknowledgements too: what TCP carries (docs/develop/lab.md)
NETS = {"yolov3_tiny": 416, "resnet50": 224, "mobilenetv2": 224, "unet_512": 512, "yolov8n": 640}


class Bench:
    def __init__(self, options):
        self.runs = options.runs
        self.found = figures.Figures()
        self.pictures = site.pictures(SIDE, options.runs + 1)
        self.front, self.whole = site.model("yolov2_front", SIDE), site.model("yolov2", SIDE)

    @staticmethod
    def one_node_s(gflop):
        """baseline() compares it with a real run."""
        return gflop / GFLOPS

    def single(self, lab, model, planned, **words):
        """One frame at a time; it is compared with the prediction."""
        ran = runs.run(lab, model, self.pictures, "--open", "1", planned=planned, **words)
        self.found.count(ran)
        self.found.predicted_latency(planned.latency_s, ran.latency_s())
        return ran

    def stream_of(self, lab, model, cluster, opened, name):
        """The plan, the last run, and the median period of some runs."""
        frames = site.pictures(SIDE, WARM_UP + STEADY + DRAIN)
        planned = runs.plan(model, cluster, "--goal", "throughput", "--open-frames", opened, name=name)
        periods = []
        for _ in range(STREAMS):
            ran = runs.run(lab, model, frames, "--open", opened, planned=planned)
            self.found.count(ran)
            periods.append(ran.period_s(WARM_UP, DRAIN, planned.turn()))
        period = statistics.median(periods)
        self.found.predicted_period(planned.period_s, period)
        return planned, ran, period

    def baseline(self):
        """What a paced node takes, compared with the arithmetic."""
        with site.lab(site.cluster_of(1)) as lab:
            for name, model, gflop in (("front", self.front, FRONT_GFLOP), ("whole", self.whole, WHOLE_GFLOP)):
                planned = runs.plan(model, lab.cluster, name=f"one_{name}")
                ran = self.single(lab, model, planned)
                self.found.put(f"one_node_{name}_s", ran.latency_s(), bound=self.one_node_s(gflop))
                error = abs(ran.latency_s() / self.one_node_s(gflop) - 1.0)
                self.found.put(f"one_node_{name}_error", error, ("most", 0.01))

    def link(self):
        with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
            self.found.put("link_mbps", lab.mbps(), ("least", 45.0), 48.0)

    def front_part(self):
        with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
            planned = runs.plan(self.front, lab.cluster, name="front")
            ran = self.single(lab, self.front, planned)
        gain = self.one_node_s(FRONT_GFLOP) / ran.latency_s()
        self.found.put("speedup_front", gain, ("least", 4.8), self.limit(FRONT_GFLOP, FRONT_BYTES), figures.said(planned, ran))
        self.found.put("redundancy", 2e-9 * planned.macs / FRONT_GFLOP - 1.0, ("most", 0.04), 0.0)
        self.found.put("mib_per_frame", ran.wire_bytes_per_frame / MIB, ("most", 3.5), self.least_mib(FRONT_BYTES))
        self.found.put("peak_mib", ran.buffer_bytes() / MIB, ("most", 8.0), (SIDE * SIDE * 3 + FRONT_BYTES) / NODES / MIB)

    @staticmethod
    def least_mib(output_bytes):
        """The picture goes out and the result comes back, but for the owner's own sixth."""
        return (SIDE * SIDE * 3 + output_bytes) * (NODES - 1) / NODES / MIB

    def limit(self, gflop, output_bytes, mbps=50.0 * GOODPUT, ways=2):
        """The speed-up that compute and the bytes of picture and result allow, if nothing ever waits and no strip is sent."""
        bytes_s = self.least_mib(output_bytes) * MIB * 8e-6 / mbps / ways
        return self.one_node_s(gflop) / max(self.one_node_s(gflop) / NODES, bytes_s)

    def least_s(self, name):
        """The lower bound of a frame of "front" or "whole", for any plan."""
        gflop, output_bytes = {"front": (FRONT_GFLOP, FRONT_BYTES), "whole": (WHOLE_GFLOP, WHOLE_BYTES)}[name]
        return self.one_node_s(gflop) / self.limit(gflop, output_bytes)

    def whole_part(self):
        with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
            planned = runs.plan(self.whole, lab.cluster, name="whole")
            ran = self.single(lab, self.whole, planned)
        gain = self.one_node_s(WHOLE_GFLOP) / ran.latency_s()
        self.found.put("speedup_whole", gain, ("least", 5.1), self.limit(WHOLE_GFLOP, WHOLE_BYTES), figures.said(planned, ran))

    def stream(self):
        with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
            planned, _, period = self.stream_of(lab, self.whole, lab.cluster, 6, "stream")
        self.found.put("throughput_speedup", self.one_node_s(WHOLE_GFLOP) / period, ("least", 5.85), NODES,
                       f"{period:.3f} s a frame, 6 open, plan {planned.hash[:12]} said {planned.period_s:.3f} s")

    def two_open(self):
        with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
            planned, ran, period = self.stream_of(lab, self.whole, lab.cluster, 2, "two_open")
            alone = self.single(lab, self.whole, runs.plan(self.whole, lab.cluster, name="whole"))
        self.found.put("throughput_2_open", self.one_node_s(WHOLE_GFLOP) / period, ("least", 5.4), NODES,
                       f"{period:.3f} s a frame, plan {planned.hash[:12]} said {planned.period_s:.3f} s")
        self.found.put("latency_2_open", ran.latency_s(WARM_UP) / alone.latency_s(), ("most", 2.2), 1.0, "p50 against one frame's alone")

    def unequal_stream(self):
        cluster = site.CLUSTERS / "pi3x6_unequal.toml"
        with site.lab(cluster) as lab:
            planned, _, period = self.stream_of(lab, self.whole, cluster, 6, "unequal_stream")
        self.found.put("hetero_throughput", self.sum_s() / period, ("least", 0.95), 1.0,
                       f"{period:.3f} s a frame, plan {planned.hash[:12]} said {planned.period_s:.3f} s")

    def unequal(self):
        with site.lab(site.CLUSTERS / "pi3x6_unequal.toml") as lab:
            planned = runs.plan(self.whole, lab.cluster, name="unequal")
            ran = self.single(lab, self.whole, planned)
        self.found.put("hetero_latency", self.sum_s() / ran.latency_s(), ("least", 0.85), 1.0, figures.said(planned, ran))

    @staticmethod
    def sum_s():
        """What all unequal boards together would take."""
        return WHOLE_GFLOP / (1.7 * (1 + 1 + 2 + 2 + 4 + 4))

    def shared(self):
        with site.lab(site.CLUSTERS / "pi3x6_shared.toml") as lab:
            planned = runs.plan(self.whole, lab.cluster, name="shared")
            ran = self.single(lab, self.whole, planned)
        bound = self.limit(WHOLE_GFLOP, WHOLE_BYTES, mbps=12.5 * MEDIUM_GOODPUT, ways=1)
        self.found.put("shared_speedup", self.one_node_s(WHOLE_GFLOP) / ran.latency_s(), ("least", 4.2), bound, figures.said(planned, ran))

    def nets(self):
        identical = True
        speedups = self.found.values["nets"] = {}
        with site.lab(site.CLUSTERS / "four.toml") as lab:
            for name, side in NETS.items():
                model = site.model(name.removesuffix("_512"), side)
                alone = runs.plan(model, site.cluster_of(1), name="alone")
                planned = runs.plan(model, lab.cluster, name=name)
                pictures = site.pictures(side, self.runs + 1)
                ran = runs.run(lab, model, pictures, "--open", "1", "--verify", planned=planned)
                self.found.count(ran)
                self.found.predicted_latency(planned.latency_s, ran.latency_s())
                speedup = 2e-9 * alone.macs / GFLOPS / ran.latency_s()
                self.found.put(f"nets.{name}", speedup, ("least", 1.5 if name == "mobilenetv2" else 2.5), 4, figures.said(planned, ran))
                speedups[name] = self.found.values.pop(f"nets.{name}")
                identical = identical and ran.identical is True
        self.found.put("nets_identical", identical, ("least", True))

    def slow_node(self):
        slow_node.measure(self.found)

    def plan(self):
        """The time of the search alone, without reading the model and writing the plan."""
        told = runs.bench_plan()
        for key, limit in (("plan_ms_8", 1000.0), ("plan_ms_64", 5000.0)):
            self.found.put(key, told[key], ("most", limit), note="the search alone, the median of three: tools/bench plan")


PARTS = {  # what it measures
    "baseline": (Bench.baseline, ()), "link": (Bench.link, ("link_mbps",)),
    "front": (Bench.front_part, ("speedup_front", "redundancy", "mib_per_frame", "peak_mib")),
    "whole": (Bench.whole_part, ("speedup_whole",)), "stream": (Bench.stream, ("throughput_speedup",)),
    "two_open": (Bench.two_open, ("throughput_2_open", "latency_2_open")),
    "unequal_stream": (Bench.unequal_stream, ("hetero_throughput",)), "unequal": (Bench.unequal, ("hetero_latency",)),
    "shared": (Bench.shared, ("shared_speedup",)), "nets": (Bench.nets, ("nets_identical",)),
    "ftp": (ftp.part, ("ftp_check", "vs_ftp_front", "vs_ftp_whole", "ftp_identical")),
    "caps": (caps.measure, ("predicted_memory_error",)), "slow_node": (Bench.slow_node, ("slow_node_recovery_s",)),
    "plan": (Bench.plan, ("plan_ms_8", "plan_ms_64"))}


def chosen(text):
    parts = []
    for word in text.split(","):
        found = [name for name, (_, keys) in PARTS.items() if word == name or word in keys]
        if not found:
            raise site.BenchError(f"'{word}' is no part and no figure; see --help")
        parts += [name for name in found if name not in parts]
    return parts


def main():
    parser = argparse.ArgumentParser(prog="tools/bench cluster", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS), metavar="KEY,...")
    parser.add_argument("--runs", type=int, default=5, help="frames of which the median counts (5)")
    options = parser.parse_args()
    if options.runs < LEAST_FRAMES:
        parser.error(f"--runs {options.runs} is too few: at least {LEAST_FRAMES} frames count for a latency")
    parts = chosen(options.only)
    where = {"machine": site.machine(), "kernel": site.kernel(), "date": site.date()}
    print(json.dumps(where)[1:-1].replace('"', ""))
    bench = Bench(options)
    for part in parts:
        PARTS[part][0](bench)
    return bench.found.conclude(options.json, where)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        print(f"bench cluster: {error}", file=sys.stderr)
        sys.exit(1)
