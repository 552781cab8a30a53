"""Training crops: rendered stills and aerial photographs, turned, scaled and disturbed. Every crop is a function of the
generator's state only.

A picture has boxes (x, y, w, h in pixels, top left) and per box its class and whether it counts: boxes that do not count
(mostly hidden or cut off) are neither wanted nor punished. Boxes of photographs have no class."""
import csv
import dataclasses
import pathlib

import cv2
import numpy as np

CLASSES = ("car", "van", "truck", "bus")
UNKNOWN = -1        # class of a box in a photograph
MIN_VISIBLE = 0.45  # of a rendered vehicle, for its box to count
BORDER = 14         # pixels at a photograph's border where vehicles stand that nobody labelled


@dataclasses.dataclass
class Picture:
    pixels: np.ndarray
    boxes: np.ndarray   # n x 4
    counts: np.ndarray  # n, bool
    classes: np.ndarray  # n, into CLASSES, or UNKNOWN
    photograph: bool = False


def read_stills(folder):
    pictures = []
    for path in sorted(pathlib.Path(folder).glob("*.png")):
        with open(path.with_suffix(".csv")) as file:
            rows = list(csv.DictReader(file))
        boxes = np.array([[float(row[key]) for key in "xywh"] for row in rows], np.float32).reshape(-1, 4)
        counts = np.array([float(row["visible"]) >= MIN_VISIBLE for row in rows], bool)
        classes = np.array([CLASSES.index(row["class"]) for row in rows], np.int64)
        pictures.append(Picture(cv2.imread(str(path)), boxes, counts, classes))
    return pictures


def read_photograph(path):
    """A picture with labels beside it, as YOLO writes them: class, centre and size relative to the picture."""
    pixels = cv2.imread(str(path))
    height, width = pixels.shape[:2]
    boxes = []
    for line in path.with_suffix(".txt").read_text().splitlines():
        x, y, w, h = (float(word) for word in line.split()[1:5])
        boxes.append(((x - w / 2) * width, (y - h / 2) * height, w * width, h * height))
    strips = [(0, 0, width, BORDER), (0, height - BORDER, width, BORDER), (0, 0, BORDER, height), (width - BORDER, 0, BORDER, height)]
    counts = np.array([True] * len(boxes) + [False] * 4, bool)
    classes = np.full(len(counts), UNKNOWN, np.int64)
    return Picture(pixels, np.array(boxes + strips, np.float32), counts, classes, True)


def crop(picture, size, random):
    """A square of `size` pixels out of the picture at a random scale, with its boxes."""
    scale = np.exp(random.uniform(np.log(0.6), np.log(1.5)))
    reach = size / scale
    height, width = picture.pixels.shape[:2]
    wanted = picture.boxes[picture.counts]
    if len(wanted) and random.random() < 0.85:  # a vehicle somewhere in it
        x, y, w, h = wanted[random.integers(len(wanted))]
        middle = np.array([x + w / 2, y + h / 2]) + random.uniform(-0.45, 0.45, 2) * reach
    else:
        middle = random.uniform(0, 1, 2) * (width, height)
    low = np.minimum(reach / 2, [width / 2, height / 2])
    middle = np.clip(middle, low, [width, height] - low)
    left, top = middle - reach / 2
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
    # A smaller picture is averaged, not picked: blur by what falls into a pixel.
    source = picture.pixels
    pixels = cv2.warpAffine(source if scale > 0.8 else cv2.GaussianBlur(source, (0, 0), 0.4 / scale), matrix, (size, size),
                            flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    boxes = picture.boxes * scale - np.array([left * scale, top * scale, 0, 0], np.float32)
    return clip(dataclasses.replace(picture, pixels=pixels, boxes=boxes), size)


def clip(picture, size):
    boxes = picture.boxes
    low = np.clip(boxes[:, :2], 0, size)
    high = np.clip(boxes[:, :2] + boxes[:, 2:], 0, size)
    cut = np.concatenate([low, high - low], 1)
    share = cut[:, 2] * cut[:, 3] / np.maximum(boxes[:, 2] * boxes[:, 3], 1e-6)
    seen = (cut[:, 2] > 1) & (cut[:, 3] > 1)
    return Picture(picture.pixels, cut[seen], (picture.counts & (share >= 0.5))[seen], picture.classes[seen], picture.photograph)


def turn(picture, random):
    """The square in one of its eight orientations."""
    pixels, boxes = picture.pixels, picture.boxes.copy()
    size = pixels.shape[0]
    if random.random() < 0.5:
        pixels = pixels[:, ::-1]
        boxes[:, 0] = size - boxes[:, 0] - boxes[:, 2]
    if random.random() < 0.5:
        pixels = pixels[::-1]
        boxes[:, 1] = size - boxes[:, 1] - boxes[:, 3]
    if random.random() < 0.5:
        pixels = pixels.transpose(1, 0, 2)
        boxes = boxes[:, [1, 0, 3, 2]]
    return dataclasses.replace(picture, pixels=np.ascontiguousarray(pixels), boxes=boxes)


def disturb(pixels, random):
    """Light, lens and sensor."""
    image = pixels.astype(np.float32)
    size = image.shape[0]
    if random.random() < 0.35:  # a shadow's edge across the crop
        angle, place = random.uniform(0, 2 * np.pi), random.uniform(-0.4, 0.4) * size
        y, x = np.mgrid[:size, :size] - size / 2
        edge = np.clip((x * np.cos(angle) + y * np.sin(angle) - place) / random.uniform(1, 5) + 0.5, 0, 1)
        image *= 1 - random.uniform(0.2, 0.6) * edge[..., None].astype(np.float32)
    if random.random() < 0.4:
        image = cv2.GaussianBlur(image, (0, 0), random.uniform(0.3, 1.3))
    grey = image.mean(2, keepdims=True)
    image = grey + (image - grey) * random.uniform(0.4, 1.4)
    image = (image - 118) * random.uniform(0.6, 1.4) + 118 + random.uniform(-35, 35)
    image *= random.uniform(0.92, 1.08, 3).astype(np.float32)
    if random.random() < 0.5:
        image += random.normal(0, random.uniform(1, 8), image.shape).astype(np.float32)
    return np.clip(image, 0, 255)


def example(picture, size, random):
    """(3 x size x size in 0 to 1, boxes, counts, classes)"""
    piece = turn(crop(picture, size, random), random)
    pixels = disturb(piece.pixels, random).transpose(2, 0, 1) / 255
    return pixels.astype(np.float32), piece.boxes, piece.counts, piece.classes
