"""A real clip of a car park: two of its cars drive up, two down. Detected, tracked and counted by the programs."""
import json
import pathlib
import subprocess
import tempfile

from drone_parts import data
from lab import site

SITE = """
coordinates = "pixels"
[[line]]
name = "road"
points = [[0, 140], [768, 140]]
forward = "down"
backward = "up"
"""
WANTED = {"down": 2, "up": 2}


def run(_, say):
    clip, model = data.shared("clips") / "car-detection.mp4", data.shared("models") / "yolox_nano.onnx"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        boxes, site_file, run_folder = folder / "boxes.jsonl", folder / "site.toml", folder / "run"
        site_file.write_text(SITE)
        with boxes.open("w") as out:
            subprocess.run([site.PROGRAM, "run", model, clip, "--json"], stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=900)
        data.drone("track", boxes, "--fps", 12.5, "--size", "768x432", "--run", run_folder)
        counts = json.loads(data.drone("count", run_folder, "--site", site_file, "--json"))
    found = {name: each["vehicles"] for name, each in counts["lines"][0]["directions"].items()}
    say(f"  car-detection.mp4: {found}, wanted {WANTED}")
    return {"clip_counts_ok": found == WANTED}
