"""Nodes that really compute, without a pace: predicted from this machine's standard profile, which knows neither networks nor tiles.

No more threads are busy than this machine has cores: one or two nodes without a pace, and beside one of them slow paced ones."""
import os
import random
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lab import site  # noqa: E402
from sim_parts import drawing, lab_part  # noqa: E402

NETWORKS = (("yolov2_front", 160), ("yolov2_front", 256), ("resnet18", 224), ("mobilenetv2", 224), ("yolov3_tiny", 416), ("yolov8n", 416),
            ("resnet50", 224), ("vgg16", 128))
PACED_GFLOPS = 8.0
SECONDS = 10.0


def profile():
    """Measured anew, with nothing beside it, as `shingle profile` does: ten seconds, one thread."""
    path = drawing.FOLDER / "here.toml"
    drawing.FOLDER.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    site.call(site.PROGRAM, "profile", "--threads", 1, "--out", path)
    return path


def draw(dice, number, profiled):
    cores = os.cpu_count() or 1
    fast = 1 if number % 2 == 0 else min(2, cores)
    slow = dice.randint(0, 2) if fast < cores else 0
    nodes = [{"profile": str(profiled)} for _ in range(fast)] + [{"gflops": PACED_GFLOPS, "pace": True} for _ in range(slow)]
    network = {"kind": "switched", "mbps": round(dice.uniform(60.0, 300.0), 1)}
    opened = dice.choice((1, 2))
    source = {"owner": 0, "open_frames": opened, "goal": "latency" if opened == 1 else "throughput"}
    return drawing.Drawn(number, network, nodes, [NETWORKS[number % len(NETWORKS)]], [source], SECONDS)


def cases(seed, count, profiled, here):
    dice = random.Random(seed + 2)
    return [lab_part.fitting(lambda n=number: draw(dice, n, profiled), here, lambda _: True) for number in range(300, 300 + count)]


def run(options, say):
    profiled, here = profile(), lab_part.look_around(say)
    return lab_part.measure(cases(options.seed, options.cases or 8, profiled, here), "unpaced", options.repeat, here, say)
