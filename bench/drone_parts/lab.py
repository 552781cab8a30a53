"""A camera that does not compute, and one or four slow boards, each a host of its own in the lab: frames a second, and whether tracks depend on
how many boards there are, or on the death of one. As root, and alone on the machine: docs/develop/lab.md."""
import contextlib
import dataclasses
import json
import pathlib
import random
import subprocess
import tempfile
import time

from drone_parts import data, scenes
from lab import boards, ftp, site  # noqa: F401  boards finds the laboratory
from laboratory import running, state
from laboratory.checking import MOST_OVERRUNS
from laboratory.processes import InHost
from laboratory.shell import LabError

NAME = "highway-100"  # 1920 x 1080
BOARDS = 4
WARM_UP = 10  # frames that do not count for the rate
OPEN = 16  # slices
AHEAD = 0.3  # seconds: at most eight pictures are under way, with two or three slices each
KILL_AT = 20  # a board is killed when so many frames are done


@dataclasses.dataclass
class Flown:
    delivered: list  # (when, number) of frames
    tracks: bytes


def cluster(count):
    """So many of pi3x6's boards; what ftp uses as the gateway's host has the camera here, as node `count`."""
    return ftp.cluster_with_gateway(count)


def camera_words(lab, content, camera, clip, folder):
    return [data.PROGRAM, "run", scenes.MODEL, clip, "--log", clip.with_suffix(".srt"), "--run", folder, "--json", "--insecure",
            "--goal", "throughput", "--open", OPEN, "--plan-ahead", AHEAD, "--cluster", running.cluster_file(lab.name, content, camera), "--id", camera,
            "--patience", running.PATIENCE_S]


def deliveries(stream, kill):
    """(when, number) of each frame that the program tells of; `kill` is called once."""
    delivered = []
    for line in stream:
        told = json.loads(line)
        if "frame" in told:
            delivered.append((time.monotonic(), told["frame"]))
            if len(delivered) == KILL_AT:
                kill()
    return delivered


def check_pace(reports):
    """Boards that this machine was too slow for say nothing about boards."""
    failed = [report["failed"] for report in reports if "failed" in report]
    if failed:
        raise site.BenchError(f"a board did not end well: {failed[0]}")
    tiles, overruns = (sum(report["pace"][key] for report in reports) for key in ("tiles", "overruns"))
    if overruns > MOST_OVERRUNS * tiles:
        raise site.BenchError(f"{overruns} of {tiles} tiles took longer here than on their board: this machine is too busy")


def flown(lab, count, clip, folder, killed=None):
    """The clip on `count` boards. `killed`: one of them, or none."""
    content = state.read(lab.name)
    with contextlib.ExitStack() as ended:
        nodes = {node: ended.enter_context(running.start_node(lab.name, content, node, scenes.MODEL, running.NodeOptions(), 0))
                 for node in range(count)}
        errors = ended.enter_context(open(state.folder(lab.name) / f"node{count}.err", "w+", encoding="utf-8"))
        with InHost(lab.name, content["cluster"], count, camera_words(lab, content, count, clip, folder), stdout=subprocess.PIPE,
                    stderr=errors, text=True) as camera:
            delivered = deliveries(camera.process.stdout, nodes[killed].process.kill if killed is not None else lambda: None)
            code = camera.process.wait()
        if code != 0:
            errors.seek(0)
            raise site.BenchError(f"the flight on {count} boards ended with {code}: {errors.read().strip()[-300:]}")
        for node in nodes.values():
            node.ask_to_stop()
        check_pace([running.report_of(lab.name, number, node) for number, node in nodes.items() if number != killed])
    tracks = folder.with_suffix(".txt")
    data.drone("export", folder, "--format", "mot", "-o", tracks)
    return Flown(delivered, tracks.read_bytes())


def rate(delivered):
    """Frames a second behind the warm-up."""
    times = [at for at, _ in delivered][WARM_UP:]
    return (len(times) - 1) / (times[-1] - times[0])


def differing(some, others):
    """Bytes of which one has another one, or none."""
    return sum(a != b for a, b in zip(some, others)) + abs(len(some) - len(others))


def measured(clip, folder, killed, say):
    with site.lab(cluster(1)) as lab:
        one = flown(lab, 1, clip, folder / "one")
    with site.lab(cluster(BOARDS)) as lab:
        four = flown(lab, BOARDS, clip, folder / "four")
        wounded = flown(lab, BOARDS, clip, folder / "wounded", killed)
    fps_1, fps_4 = rate(one.delivered), rate(four.delivered)
    say(f"  {fps_1:.3f} frames a second with one board, {fps_4:.3f} with {BOARDS}, {rate(wounded.delivered):.3f} where board {killed} was killed")
    by_truth = scenes.scored_by_truth(clip, folder / "one.txt")
    say(f"  {len(one.tracks)} bytes of tracks, MOTA {by_truth['MOTA']:.3f}, IDF1 {by_truth['IDF1']:.3f}; {len(wounded.delivered)} frames with a board killed")
    return {"fps_1": fps_1, "fps_4": fps_4, "speedup_4": fps_4 / fps_1,
            "differing_bytes": differing(one.tracks, four.tracks) + differing(one.tracks, wounded.tracks),
            "kill_frames_lost": scenes.FRAMES - len({number for _, number in wounded.delivered})}


def run(options, say):
    clip = scenes.rendered(NAME, scenes.UNSEEN_SEEDS + options.seed, scenes.sources_hash())
    killed = random.Random(options.seed).randrange(BOARDS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return measured(clip, pathlib.Path(folder), killed, say)
    except LabError as error:
        raise site.BenchError(str(error)) from error
