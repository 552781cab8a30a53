"""Rendered flights with known truth, two at a time: what shingle-drone finds in them with the models of this repository.

Clips are kept in build/scenes by a hash of the scene's sources and options, so that they are drawn once."""
import concurrent.futures
import csv
import hashlib
import json
import pathlib
import shutil
import statistics
import subprocess
import typing

from drone_parts import data
from lab import site

PLACES = ("local", "rural", "highway", "roundabout")
NAMES = (*(f"{place}-{altitude}" for place in PLACES for altitude in (50, 100, 150)), "highway-100-720p", "highway-100-4k",
         *(f"{place}-100-45deg" for place in PLACES))
FRAMES, FPS = 60, 25
MODEL = site.ROOT / "models/vehicles.onnx"
SLOWEST = 10 / 3.6  # speeds below are not compared
KEPT = site.ROOT / "build/scenes"
UNSEEN_SEEDS = 500_000  # training draws from lower ones


def sources_hash():
    """Of all that a clip's pictures depend on in this repository."""
    digest = hashlib.sha256()
    for folder in ("apps/scene", "apps/drone/ground"):
        for path in sorted((site.ROOT / folder).rglob("*.[ch]pp")):
            digest.update(path.relative_to(site.ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def rendered(name, seed, sources, frames=FRAMES, fps=FPS):
    """The clip's video; it is complete if the last file that is written is there."""
    folder = KEPT / f"{name}-{seed}-{frames}-{'' if fps == FPS else f'{fps:g}fps-'}{sources}"
    if (folder / "clip.counts.json").exists():
        return folder / "clip.mp4"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run([site.PROGRAM, "scene", folder / "clip.mp4", "--scene", name, "--seed", str(seed), "--frames", str(frames),
                           "--fps", str(fps)], capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode != 0:
        raise site.BenchError(f"shingle scene {name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return folder / "clip.mp4"


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


def rows_by_frame(path, key):
    with path.open(newline="") as file:
        frames = {}
        for row in csv.DictReader(file):
            frames.setdefault(int(row[key]), []).append(row)
    return frames


class SpeedPair(typing.NamedTuple):
    """A vehicle's true and found speed in one frame, m/s."""
    vehicle: str
    seconds: float
    true: float
    found: float
    half_width: float | None  # of the found speed's 95 % interval


def speed_pairs(run, clip):
    """Of found vehicles that truly drive faster than 10 km/h, and are fairly visible."""
    boxes = {}
    for line in clip.with_suffix(".gt.txt").read_text().splitlines():
        frame, vehicle, x, y, w, h, counts, *_ = line.split(",")
        if counts == "1":
            boxes[int(frame), vehicle] = tuple(map(float, (x, y, w, h)))
    truth = rows_by_frame(clip.with_suffix(".ground.csv"), "frame")
    for frame, found in rows_by_frame(run / "frames.csv", "frame").items():
        wanted = [(boxes[frame, row["id"]], row) for row in truth.get(frame, ())
                  if (frame, row["id"]) in boxes and float(row["speed_mps"]) > SLOWEST]
        for row in found:
            if not row.get("speed_mps"):
                continue
            box = tuple(float(row[name]) for name in ("x", "y", "w", "h"))
            best, of = max(wanted, key=lambda each: overlap(each[0], box), default=(None, None))
            if best and overlap(best, box) >= 0.5:
                yield SpeedPair(of["id"], float(row["seconds"]), float(of["speed_mps"]), float(row["speed_mps"]),
                                float(row["speed_95"]) if row["speed_95"] else None)


def speed_errors(run, clip):
    """Relative errors of these speeds."""
    return [abs(pair.found - pair.true) / pair.true for pair in speed_pairs(run, clip)]


def flown(clip, *words):
    """The run's folder beside the clip, made anew, and what the program printed."""
    run = clip.with_name("run")
    shutil.rmtree(run, ignore_errors=True)
    return run, data.drone("run", MODEL, clip, "--log", clip.with_suffix(".srt"), "--run", run, *words)


def scores_of(run, clip, frames=FRAMES):
    """Of the run's tracks against the clip's truth, as `eval` names them."""
    tracks = clip.with_name("tracks.txt")
    data.drone("export", run, "--format", "mot", "-o", tracks)
    return json.loads(data.drone("eval", clip.with_suffix(".gt.txt"), tracks, "--frames", frames, "--ignore",
                                 clip.with_suffix(".ignore.txt"), "--json"))["combined"]


def measured(clip):
    """mota, idf1, hota, speed_err of one clip."""
    run, _ = flown(clip, "--workers", 2)
    scores = scores_of(run, clip)
    errors = speed_errors(run, clip)
    return {"mota": scores["MOTA"], "idf1": scores["IDF1"], "hota": scores["HOTA"], "speed_err": statistics.median(errors) if errors else None}


def run(options, say):
    sources, seed, found = sources_hash(), UNSEEN_SEEDS + options.seed, {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        clips = dict(zip(NAMES, pool.map(lambda name: rendered(name, seed, sources), NAMES)))
    for name, clip in clips.items():
        try:
            found[name] = measured(pathlib.Path(clip))
        except site.BenchError as error:  # the other scenes' figures stay
            found[name] = dict.fromkeys(("mota", "idf1", "hota", "speed_err"))
            say(f"  {name:20} {error}")
            continue
        say(f"  {name:20} " + ", ".join(f"{key} {'-' if value is None else f'{value:.3f}'}" for key, value in found[name].items()))
    return {"scenes": found}
