"""Training crops: rendered stills and aerial photographs, turned, scaled and disturbed. Every crop is a function of the
generator's state only.

A picture has boxes (x, y, w, h in pixels, top left) and per box its class and whether it counts: boxes that do not count
(mostly hidden, cut off or tiny) are neither wanted nor punished. Boxes of photographs have no class.

Stills of flights bring their camera with them. Each crop is brought to the ground scale at which shingle-drone shows slices to the
detector: far places of a slanting view are shrunk less than near ones. What is drawn is a factor around it, mostly a small one, so that
a truck can be told from a van by its size. The scale of other pictures is taken as it is."""
import csv
import dataclasses
import math
import pathlib

import cv2
import numpy as np

CLASSES = ("car", "van", "truck", "bus")
UNKNOWN = -1        # class of a box in a photograph
MIN_VISIBLE = 0.45  # of a rendered vehicle, for its box to count
MIN_SIDE = 8        # pixels of a crop: the longer side of a box that counts
GROUND_SCALE = 0.12  # metres of the ground in a pixel of a crop, before a factor is drawn
SCALES = (0.6, 1.5)  # where the scale of the ground is not known well: photographs, and flights without a log
NEAR_SCALES, NEAR_SHARE = (0.87, 1.15), 0.75  # so many of the crops of stills
RARE_SHARE = 0.4    # of crops with a vehicle: they are drawn for one that is no car, where the picture has one
STEEP = 75.0        # degrees below the horizon; from there on a picture has no upper side
BORDER = 14         # pixels at a photograph's border where vehicles stand that nobody labelled


@dataclasses.dataclass
class Picture:
    pixels: np.ndarray
    boxes: np.ndarray   # n x 4
    counts: np.ndarray  # n, bool
    classes: np.ndarray  # n, into CLASSES, or UNKNOWN
    photograph: bool = False
    metres_per_pixel: float = GROUND_SCALE  # in the middle of the whole picture
    slanting: bool = False                  # what is above stays above
    slope: float = 0.0  # how much more pixels show a metre a row further down, of what they do in the middle

    def scale_at(self, y):
        """Metres of the ground in a pixel of that row. The inverse depth of flat ground is linear."""
        rows = y - self.pixels.shape[0] / 2
        return self.metres_per_pixel / max(0.2, 1 + self.slope * rows)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def view(path):
    """(metres_per_pixel, slanting, slope) of a still, by its camera if it has one: the distance of what is in the middle, in focal
    lengths, and how that changes."""
    if not path.exists():
        return GROUND_SCALE, False, 0.0
    camera = {key: float(value) for key, value in rows_of(path)[0].items()}
    pitch = abs(camera["pitch_deg"])
    down = math.radians(pitch)
    return camera["height_m"] / math.sin(down) / camera["focal_px"], pitch < STEEP, 1 / math.tan(down) / camera["focal_px"]


def read_stills(folder):
    """NAME.png with NAME.csv, and NAME.camera.csv of flights; NAME.road.png is no still."""
    pictures = []
    for path in sorted(each for each in pathlib.Path(folder).glob("*.png") if each.with_suffix(".csv").exists()):
        rows = rows_of(path.with_suffix(".csv"))
        boxes = np.array([[float(row[key]) for key in "xywh"] for row in rows], np.float32).reshape(-1, 4)
        counts = np.array([float(row["visible"]) >= MIN_VISIBLE for row in rows], bool)
        classes = np.array([CLASSES.index(row["class"]) for row in rows], np.int64)
        pictures.append(Picture(cv2.imread(str(path)), boxes, counts, classes, False, *view(path.with_suffix(".camera.csv"))))
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


def vehicle_to_show(picture, random):
    """The box of one that counts; None: none is needed, or there is none."""
    if random.random() >= 0.85 or not picture.counts.any():
        return None
    rare = picture.counts & (picture.classes > CLASSES.index("car"))
    wanted = picture.boxes[rare if rare.any() and random.random() < RARE_SHARE else picture.counts]
    return wanted[random.integers(len(wanted))]


def crop(picture, size, random):
    """A square of `size` pixels out of the picture at a random scale, with its boxes."""
    height, width = picture.pixels.shape[:2]
    vehicle = vehicle_to_show(picture, random)
    if vehicle is not None:
        x, y, w, h = vehicle
        middle = np.array([x + w / 2, y + h / 2])
    else:
        middle = random.uniform(0, 1, 2) * (width, height)
    is_near = not picture.photograph and random.random() < NEAR_SHARE
    scale = picture.scale_at(middle[1]) / GROUND_SCALE * np.exp(random.uniform(*np.log(NEAR_SCALES if is_near else SCALES)))
    reach = size / scale
    if vehicle is not None:  # somewhere in it
        middle = middle + random.uniform(-0.45, 0.45, 2) * reach
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
    counts = picture.counts & (share >= 0.5) & (cut[:, 2:].max(1, initial=0) >= MIN_SIDE)
    return dataclasses.replace(picture, boxes=cut[seen], counts=counts[seen], classes=picture.classes[seen])


def turn(picture, random):
    """The square in one of its eight orientations; if the camera looked slantwise, in one of two."""
    pixels, boxes = picture.pixels, picture.boxes.copy()
    size = pixels.shape[0]
    if random.random() < 0.5:
        pixels = pixels[:, ::-1]
        boxes[:, 0] = size - boxes[:, 0] - boxes[:, 2]
    if random.random() < 0.5 and not picture.slanting:
        pixels = pixels[::-1]
        boxes[:, 1] = size - boxes[:, 1] - boxes[:, 3]
    if random.random() < 0.5 and not picture.slanting:
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
