"""Rows of a run that show a true vehicle of a rendered clip; their speeds and classes beside the true ones."""
import csv
import typing

SLOWEST = 10 / 3.6  # speeds below are not compared
CLASSES = ("car", "van", "truck", "bus")


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


def counted_boxes(clip):
    """By frame and vehicle, of those that count."""
    boxes = {}
    for line in clip.with_suffix(".gt.txt").read_text().splitlines():
        frame, vehicle, x, y, w, h, counts, *_ = line.split(",")
        if counts == "1":
            boxes[int(frame), vehicle] = tuple(map(float, (x, y, w, h)))
    return boxes


def counted_pairs(run, clip, wanted=lambda vehicle: True):
    """Rows of frames.csv, each with the row of .ground.csv whose vehicle it overlaps most, by half or more. Vehicles count and are
    wanted."""
    boxes, truth = counted_boxes(clip), rows_by_frame(clip.with_suffix(".ground.csv"), "frame")
    for frame, found in rows_by_frame(run / "frames.csv", "frame").items():
        vehicles = [(boxes[frame, row["id"]], row) for row in truth.get(frame, ()) if (frame, row["id"]) in boxes and wanted(row)]
        for row in found:
            box = tuple(float(row[name]) for name in ("x", "y", "w", "h"))
            best, of = max(vehicles, key=lambda each: overlap(each[0], box), default=(None, None))
            if best and overlap(best, box) >= 0.5:
                yield row, of


class SpeedPair(typing.NamedTuple):
    """A vehicle's true and found speed in one frame, m/s."""
    vehicle: str
    seconds: float
    true: float
    found: float
    half_width: float | None  # of the found speed's 95 % interval


def speed_pairs(run, clip):
    """Of found vehicles that truly drive faster than 10 km/h, and are fairly visible."""
    for row, of in counted_pairs(run, clip, lambda vehicle: float(vehicle["speed_mps"]) > SLOWEST):
        if row.get("speed_mps"):
            yield SpeedPair(of["id"], float(row["seconds"]), float(of["speed_mps"]), float(row["speed_mps"]),
                            float(row["speed_95"]) if row["speed_95"] else None)


def speed_errors(run, clip):
    """Relative errors of these speeds."""
    return [abs(pair.found - pair.true) / pair.true for pair in speed_pairs(run, clip)]


def tells_classes(names):
    """Does a model whose classes have these names tell any of the true classes?"""
    return not set(CLASSES).isdisjoint(names)


def class_accuracy(pairs, names):
    """The share of `pairs`, as of counted_pairs, whose classes are the same. `names`: of the classes in frames.csv, by their numbers
    as text. None: these names tell no class, or there are no pairs."""
    right = [names.get(found["class"]) == true["class"] for found, true in pairs]
    return sum(right) / len(right) if right and tells_classes(names.values()) else None
