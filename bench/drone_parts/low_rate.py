"""Traffic on a highway, looked at in each sixth of 600 frames by a camera that moves and turns: are true boxes given to the right
vehicles, with nothing known but boxes and times? A car at 28 m/s is more than its length farther from one look to the next."""
import json
import math
import pathlib
import random
import tempfile

from drone_parts import data

WIDTH, HEIGHT, FRAMES, STEP, FPS = 1920, 1080, 600, 6, 30.0
METRES_PER_PIXEL = 0.08
SCENES = 5
LANES = (-17.0, -13.5, -10.0, 10.0, 13.5, 17.0)  # metres beside the middle; three each way
PARKED = (-24.0, 24.0)


def lane(dice, place):
    """Vehicles of a lane, all as fast as each other at any time: (metres at 0 s, length, width)."""
    speed = 0.0 if place in PARKED else math.copysign(dice.uniform(8.0, 28.0), place)
    swing, pulse, phase = (0.0, 0.0, 0.0) if place in PARKED else (dice.uniform(0.0, 6.0), dice.uniform(0.3, 0.8), dice.uniform(0.0, 6.3))
    vehicles, at = [], -800.0
    while at < 800.0:
        length = dice.choice((4.2, 4.6, 4.9, 5.5, 11.0))
        vehicles.append((at, length, 2.5 if length > 10.0 else 1.85))
        at += length + dice.uniform(8.0, 60.0)
    return {"y": place, "vehicles": vehicles, "moved": lambda t: speed * t + swing * (math.cos(phase) - math.cos(pulse * t + phase)) / max(pulse, 1e-9)}


def camera(dice):
    """Where the camera is at t: metres, radians."""
    speed, sway = dice.uniform(2.0, 8.0), dice.uniform(1.0, 6.0)
    pulse, phase, turn = dice.uniform(0.2, 0.6), dice.uniform(0.0, 6.3), math.radians(dice.uniform(5.0, 20.0))
    return lambda t: (speed * t, sway * math.sin(pulse * t + phase), turn * math.sin(0.4 * t + phase))


def box_of(view, x, y, length, width):
    """The upright box around a vehicle along the road; None: less than half of it is in the picture."""
    at_x, at_y, angle = view
    corners = []
    for along in (-length / 2, length / 2):
        for across in (-width / 2, width / 2):
            dx, dy = x + along - at_x, y + across - at_y
            corners.append(((dx * math.cos(angle) - dy * math.sin(angle)) / METRES_PER_PIXEL + WIDTH / 2,
                            (dx * math.sin(angle) + dy * math.cos(angle)) / METRES_PER_PIXEL + HEIGHT / 2))
    left, right = min(c[0] for c in corners), max(c[0] for c in corners)
    top, bottom = min(c[1] for c in corners), max(c[1] for c in corners)
    seen = max(0.0, min(right, WIDTH) - max(left, 0)) * max(0.0, min(bottom, HEIGHT) - max(top, 0))
    return (left, top, right - left, bottom - top) if seen >= (right - left) * (bottom - top) / 2 else None


def scene(seed):
    """MOTChallenge text of the truth, of the same boxes without ids, and the times."""
    dice = random.Random(seed)
    lanes, view_at = [lane(dice, place) for place in LANES + PARKED], camera(dice)
    truth, boxes, times = [], [], []
    for frame in range(0, FRAMES, STEP):
        t = frame / FPS
        times.append(f"{frame + 1},{t:.6f}\n")
        for number, road in enumerate(lanes):
            for index, (at, length, width) in enumerate(road["vehicles"]):
                box = box_of(view_at(t), at + road["moved"](t), road["y"], length, width)
                if box:
                    text = ",".join(f"{value:.3f}" for value in box)
                    truth.append(f"{frame + 1},{number * 1000 + index + 1},{text},1,-1,-1,-1\n")
                    boxes.append(f"{frame + 1},-1,{text},1,-1,-1,-1\n")
    return "".join(truth), "".join(boxes), "".join(times)


def run(options, say):
    worst = 1.0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        names = [folder / name for name in ("truth.txt", "boxes.txt", "times.csv")]
        for number in range(SCENES):
            for path, text in zip(names, scene(options.seed * 1000 + number)):
                path.write_text(text)
            found = {}
            for kind, words in (("steps", ["--motion-from-boxes", "--low-rate"]), ("boxes", ["--motion-from-boxes"]), ("nothing", [])):
                data.drone("track", names[1], "--fps", FPS, "--times", names[2], *words, "-o", folder / "tracks.txt")
                scores = json.loads(data.drone("eval", names[0], folder / "tracks.txt", "--frames", FRAMES, "--json"))
                found[kind] = next(iter(scores["sequences"].values()))["IDF1"]
            say(f"  scene {number}: IDF1 {found['steps']:.3f} with --low-rate and the motion from boxes, {found['boxes']:.3f} with the "
                f"motion from boxes, {found['nothing']:.3f} with neither")
            worst = min(worst, found["steps"])
    return {"low_rate_idf1": worst}
