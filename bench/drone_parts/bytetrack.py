"""Tracks of `shingle-drone track` against those of ByteTrack's authors: a row counts if the id is equal and the box within 0.01 px."""
from drone_parts import data

SETTINGS = {"fuse_t0.5": (), "nofuse_t0.5": ("--no-fuse",), "fuse_t0.6": ("--high", "0.6")}
NEAR = 0.01


def rows(text, first_frame):
    """Boxes by frame (from 0 on) and id."""
    made = {}
    for line in text.splitlines():
        fields = line.split(",")
        made[int(fields[0]) - first_frame, int(fields[1])] = tuple(map(float, fields[2:6]))
    return made


def run(_, say):
    folder = data.shared("bytetrack")
    equal = 0
    for name, words in SETTINGS.items():
        wanted = rows((folder / f"palace_official_{name}.csv").read_text().split("\n", 1)[1], 0)
        made = rows(data.drone("track", folder / "detection_results.json", "--fps", "30", *words), 1)
        good = sum(key in made and all(abs(a - b) <= NEAR for a, b in zip(made[key], box)) for key, box in wanted.items())
        say(f"  {name:12} {good:6} of {len(wanted)} rows, {len(made.keys() - wanted.keys())} more")
        equal += good - len(made.keys() - wanted.keys())
    return {"bytetrack_rows_ok": equal}
