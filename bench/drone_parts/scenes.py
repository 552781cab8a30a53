"""Rendered flights with known truth, two at a time: what shingle-drone finds in them with the models of this repository.

Clips are kept in build/scenes by a hash of the scene's sources and options, so that they are drawn once. `class_accuracy` is over
all rows of all frames: a long track counts as often as it is seen. It is null where the model tells none of car, van, truck, bus."""
import concurrent.futures
import hashlib
import json
import shutil
import statistics
import subprocess

from drone_parts import data, matched
from lab import site

PLACES = ("local", "rural", "highway", "roundabout")
NAMES = (*(f"{place}-{altitude}" for place in PLACES for altitude in (50, 100, 150)), "highway-100-720p", "highway-100-4k",
         *(f"{place}-100-45deg" for place in PLACES))
FRAMES, FPS = 60, 25
MODEL, ROAD = site.ROOT / "models/flights.onnx", site.ROOT / "models/road.onnx"
KEPT = site.ROOT / "build/scenes"
UNSEEN_SEEDS = 500_000  # training draws from lower ones
FIGURES = ("mota", "idf1", "hota", "speed_err", "class_accuracy")


def sources_hash():
    """Of all that a clip's pictures depend on in this repository."""
    digest = hashlib.sha256()
    for folder in ("apps/scene", "apps/drone/ground"):
        for path in sorted((site.ROOT / folder).rglob("*.[ch]pp")):
            digest.update(path.relative_to(site.ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def rendered(name, seed, sources, frames=FRAMES, fps=FPS):
    """The clip's video; it is complete if the last file that is written is there."""
    folder = KEPT / f"{name}-{seed}-{frames}-{fps}-{sources}"
    if (folder / "clip.counts.json").exists():
        return folder / "clip.mp4"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run([site.PROGRAM, "scene", folder / "clip.mp4", "--scene", name, "--seed", str(seed), "--frames", str(frames),
                           "--fps", str(fps)], capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode != 0:
        raise site.BenchError(f"shingle scene {name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return folder / "clip.mp4"


def clips_of(names, options):
    """The videos by these names, of the seed that the options ask for."""
    sources, seed = sources_hash(), UNSEEN_SEEDS + options.seed
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(lambda name: rendered(name, seed, sources), names)))


def followed(clip, folder, *words):
    """The run folder of this name beside the clip, made anew, and the objects that the program told: pictures, then its summary."""
    run = clip.with_name(folder)
    shutil.rmtree(run, ignore_errors=True)
    told = data.drone("run", MODEL, clip, "--log", clip.with_suffix(".srt"), "--run", run, "--workers", 2, *words, "--json", timeout=1800)
    return run, [json.loads(line) for line in told.splitlines()]


def tracks_of(run):
    """The run's tracks as a file of MOTChallenge's."""
    path = run.with_suffix(".txt")
    data.drone("export", run, "--format", "mot", "-o", path)
    return path


def scored(truth, tracks, *words, frames=FRAMES):
    """What `shingle-drone eval` says of the tracks of a clip."""
    return json.loads(data.drone("eval", truth, tracks, "--frames", frames, *words, "--json"))["combined"]


def scored_by_truth(clip, tracks, frames=FRAMES):
    return scored(clip.with_suffix(".gt.txt"), tracks, "--ignore", clip.with_suffix(".ignore.txt"), frames=frames)


def class_names(told):
    """Of the classes that were followed, by their numbers as frames.csv writes them."""
    return {str(track["class"]): track["name"] for each in told for track in each.get("tracks", ())}


def measured(clip):
    """The figures of one clip, and the names of the classes that were followed; by the detector and the road's mask."""
    run, told = followed(clip, "run", "--road", ROAD)
    scores, names, errors = scored_by_truth(clip, tracks_of(run)), class_names(told), matched.speed_errors(run, clip)
    values = (scores["MOTA"], scores["IDF1"], scores["HOTA"], statistics.median(errors) if errors else None,
              matched.class_accuracy(matched.counted_pairs(run, clip), names))
    return dict(zip(FIGURES, values)), set(names.values())


def run(options, say):
    found, classes = {}, set()
    for name, clip in clips_of(NAMES, options).items():
        try:
            found[name], told = measured(clip)
        except site.BenchError as error:  # the other scenes' figures stay
            found[name] = dict.fromkeys(FIGURES)
            say(f"  {name:20} {error}")
            continue
        classes |= told
        say(f"  {name:20} " + ", ".join(f"{key} {'-' if value is None else f'{value:.3f}'}" for key, value in found[name].items()))
    if classes and not matched.tells_classes(classes):
        say(f"  class_accuracy is null: the classes of {MODEL.name} are {', '.join(sorted(classes))}, none of {', '.join(matched.CLASSES)}")
    return {"scenes": found}
