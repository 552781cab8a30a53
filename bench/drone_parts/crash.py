"""A program that is killed in flight, three times, at drawn moments: how much of what it had done is missing in its run folder or in its video.

Each line of --json is a picture that is done. The video has the same pictures, so its last one has the time of the line with its number."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from drone_parts import data, matched, scenes
from lab import site

sys.path.insert(0, str(site.ROOT / "tools"))
from laboratory import processes  # noqa: E402

NAME, FRAMES = "highway-100-720p", 400
KILLS = 3
MOMENTS_S = (2.0, 12.0)  # of the stream
PAUSE_S = 0.3  # at most, behind the line of that moment: kills shall not come only where a line was just written
ENDING_S = 5.0


def flight(clip, folder):
    """The command that is killed."""
    return [str(word) for word in (data.PROGRAM, "run", scenes.MODEL, clip, "--log", clip.with_suffix(".srt"), "--run", folder / "run",
                                   "--out", folder / "run_annotated.mp4", "--paced", "--workers", 2, "--json")]


def times_of(lines):
    """Seconds of the pictures that the lines tell of. A line that the kill cut off tells of none."""
    return [json.loads(line)["seconds"] for line in lines if line.startswith('{"frame":') and line.endswith("\n")]


def children(pid):
    return [int(word) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]


def end_of(workers):
    """Local workers end by themselves when their owner is gone."""
    end = time.monotonic() + ENDING_S
    while any(map(processes.alive, workers)) and time.monotonic() < end:
        time.sleep(0.02)
    left = list(filter(processes.alive, workers))
    processes.end_all(left)
    if left:
        raise site.BenchError(f"{len(left)} workers did not end within {ENDING_S:g} s after their owner was killed")


def killed(clip, folder, moment, pause):
    """Seconds of the pictures that were done when the program was killed."""
    with subprocess.Popen(flight(clip, folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        workers, lines = [], []
        try:
            for line in process.stdout:
                lines.append(line)
                if any(second >= moment for second in times_of([line])):
                    workers = children(process.pid)
                    time.sleep(pause)
                    break
        finally:
            process.kill()
            end_of(workers)
        lines += process.stdout.readlines()
    if not workers:
        raise site.BenchError(f"the flight ended with {process.returncode} before {moment:.2f} s of it were done")
    return times_of(lines)


def missing_s(done, table_s, pictures):
    """Of what was done, in the table and in the video. `done`: seconds of the pictures; `pictures`: how many the video has."""
    return done[-1] - table_s, done[-1] - done[min(pictures, len(done)) - 1]


def kept(folder):
    """The time of the table's last row, and how many pictures play in the video. The run must be exported up to that row."""
    frames = matched.rows_by_frame(folder / "run/frames.csv", "frame")
    data.drone("export", folder / "run", "--format", "mot", "-o", folder / "tracks.txt")
    last_exported = int((folder / "tracks.txt").read_text().splitlines()[-1].split(",")[0])
    if last_exported != max(frames):
        raise site.BenchError(f"export ends with frame {last_exported}, the table with {max(frames)}")
    played = json.loads(data.drone("motion", folder / "run_annotated.mp4", "-o", folder / "motion.csv", "--json"))
    return float(frames[max(frames)][-1]["seconds"]), played["pictures"]


def run(options, say):
    clip = scenes.rendered(NAME, scenes.UNSEEN_SEEDS + options.seed, scenes.sources_hash(), FRAMES)
    dice, worst = random.Random(options.seed), 0.0
    for _ in range(KILLS):
        with tempfile.TemporaryDirectory() as folder:
            done = killed(clip, pathlib.Path(folder), dice.uniform(*MOMENTS_S), dice.uniform(0.0, PAUSE_S))
            table, video = missing_s(done, *kept(pathlib.Path(folder)))
        say(f"  killed at {done[-1]:.2f} s of the stream, {len(done)} pictures: the table lacks {table:.2f} s, the video {video:.2f} s")
        worst = max(worst, table, video)
    return {"crash_lost_s": worst}
