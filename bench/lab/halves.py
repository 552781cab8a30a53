"""A half-precision export of YOLO11n finds what its twin finds, whose rounded weights are stored as float32: through the program, box by box."""
import json

from . import site

NETWORK, SIDE, PICTURES = "yolo11n", 640, 2


def boxes_of(model, pictures):
    """By picture. The head must be named: random weights have no metadata."""
    lines = site.call(site.PROGRAM, "run", model, pictures, "--workers", 1, "--head", "yolov8", "--json").splitlines()
    return [line["boxes"] for line in map(json.loads, lines) if "boxes" in line]


def measure(found, _):
    pictures = site.pictures(SIDE, PICTURES)
    half, twin = (boxes_of(site.exported(NETWORK, 18, stored), pictures) for stored in ("float16", "float16-twin"))
    count = sum(map(len, half))
    equal = half == twin and len(half) == PICTURES and count > 0
    found.put("f16_boxes_equal", equal, ("least", True), note=f"{count} boxes in {PICTURES} pictures")
