"""Where is the model wrong? Experiments at the edges of what is compared: slow and fast wires, long delays, one medium, many frames under
way, tiny networks. No figure of these has a target."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
from laboratory.shell import LabError  # noqa: E402
from lab import site  # noqa: E402
from sim_parts import drawing, lab_part  # noqa: E402


def nodes(count, gflops):
    return [{"gflops": gflops, "pace": True} for _ in range(count)]


def one(number, network, boards, model, opened, seconds=15.0):
    source = {"owner": 0, "open_frames": opened, "goal": "latency" if opened == 1 else "throughput"}
    return drawing.Drawn(number, network, boards, [model], [source], seconds)


def edges():
    front, tiny = ("yolov2_front", 160), ("tiny", 0)
    return {
        "wires of 2 Mb/s": one(400, {"mbps": 2.0}, nodes(3, 2.0), front, 2, 25.0),
        "wires of 500 Mb/s, fast nodes": one(401, {"mbps": 500.0}, nodes(2, 40.0), ("yolov2_front", 256), 2),
        "one medium of 12.5 Mb/s": one(402, {"kind": "shared", "mbps": 12.5}, nodes(4, 3.0), front, 1),
        "one medium, four frames": one(403, {"kind": "shared", "mbps": 12.5}, nodes(4, 3.0), front, 4),
        "a delay of 40 ms": one(404, {"mbps": 30.0, "delay_ms": 40.0}, nodes(3, 3.0), front, 1),
        "a delay of 40 ms, four frames": one(405, {"mbps": 30.0, "delay_ms": 40.0}, nodes(3, 3.0), front, 4),
        "twelve frames under way": one(406, {"mbps": 30.0}, nodes(4, 3.0), front, 12),
        "eight nodes": one(407, {"mbps": 40.0}, nodes(8, 1.5), ("yolov2_front", 256), 2),
        "frames of milliseconds": one(408, {"mbps": 50.0}, nodes(3, 0.5), tiny, 1),
    }


def run(options, say):
    """Prints a line for each; gives no keys."""
    here = lab_part.look_around(say)
    for name, drawn in edges().items():
        try:
            case = lab_part.predicted(drawn, here)
            found = lab_part.check(case, min(options.repeat, 2), here)
        except (LabError, site.BenchError) as error:
            say(f"  {name:30} {error}")
            continue
        figures = ", ".join(f"{row['predicted']:.4g}/{row['measured']:.4g} {row['error']:.1%} ({row['spread']:.1%})" for row in found["rows"])
        busy = f", overruns {found['overruns']:.1%}" if found["overruns"] else ""
        say(f"  {name:30} wires {drawing.wire_share(case.predicted.causes[0]):4.0%}  {figures}{busy}")
    return {}
