#!/usr/bin/python3
"""Trains the road network on rendered stills with their road masks: see docs/use/training.md.

    train_road.py STILLS RUN.state.pt [--steps 3000] [--minutes 150] [--seed 1]
    train_road.py --export RUN.state.pt OUT.onnx
    train_road.py --evaluate RUN.state.pt STILLS

The same command goes on with a run that was interrupted."""
import pathlib
import sys

import cv2
import numpy as np
import onnx
import torch
from torch.nn import functional

import loop
from pictures import disturb
from road_network import CLASSES, Roads, fused

SIZE, BATCH, PEAK_RATE, STEPS = 256, 6, 2e-3, 3000
SCALES = (0.75, 1.6)  # of the network's own view: a whole picture, shrunk to its input
WHOLE_WIDTH = 1920    # pixels of the picture of which a flight's still is a part
WIDTH, HEIGHT, OPSET = 640, 384, 13


def read(folder):
    """(pixels, road mask: bool) of each still of a flight: NAME.png with NAME.road.png."""
    paths = sorted(path for path in pathlib.Path(folder).glob("*.png") if path.with_suffix(".road.png").exists())
    if not paths:
        sys.exit(f"{folder} has no NAME.png with its NAME.road.png; 'shingle scene {folder} --stills N' renders them")
    return [(cv2.imread(str(path)), cv2.imread(str(path.with_suffix(".road.png")), cv2.IMREAD_GRAYSCALE) > 127) for path in paths]


def example(still, dice):
    """A square out of the still: at a random place, scale and orientation, with light and lens disturbed."""
    pixels, road = still
    scale = WIDTH / WHOLE_WIDTH * np.exp(dice.uniform(*np.log(SCALES)))
    reach = SIZE / scale
    height, width = road.shape
    middle = dice.uniform(0, 1, 2) * (width, height)
    low = np.minimum(reach / 2, [width / 2, height / 2])
    left, top = np.clip(middle, low, [width, height] - low) - reach / 2
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
    soft = pixels if scale > 0.8 else cv2.GaussianBlur(pixels, (0, 0), 0.4 / scale)
    square = cv2.warpAffine(soft, matrix, (SIZE, SIZE), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    mask = cv2.warpAffine(road.astype(np.uint8), matrix, (SIZE, SIZE), flags=cv2.INTER_NEAREST, borderValue=2)  # 2: not judged
    turns, mirrored = int(dice.integers(4)), dice.random() < 0.5
    square, mask = np.rot90(square, turns), np.rot90(mask, turns)
    if mirrored:
        square, mask = square[:, ::-1], mask[:, ::-1]
    return disturb(np.ascontiguousarray(square), dice).transpose(2, 0, 1).astype(np.float32) / 255, mask.astype(np.int64)


def batch(stills, dice):
    pixels, masks = zip(*(example(stills[dice.integers(len(stills))], dice) for _ in range(BATCH)))
    return torch.from_numpy(np.stack(pixels)), torch.from_numpy(np.stack(masks))


def loss(model, made, device):
    """Cross entropy, and one minus the soft IoU, which counts a small road as much as a wide one."""
    logits, wanted = model(made[0].to(device)), made[1].to(device)
    judged = wanted < 2
    entropy = functional.cross_entropy(logits, wanted.masked_fill(~judged, -1), ignore_index=-1)
    road = logits.softmax(1)[:, 1] * judged
    truth = (wanted == 1).float()
    both, either = (road * truth).sum((1, 2)), (road + truth - road * truth).sum((1, 2))
    overlap = (1 - (both + 1) / (either + 1)).mean()
    return entropy + overlap, {"entropy": float(entropy), "overlap": float(overlap)}


def evaluate(state, folder):
    """At the scale of the network's own view."""
    model, both, either = loop.trained(state, Roads()), 0, 0
    for pixels, road in read(folder):
        pixels = cv2.resize(pixels, None, fx=WIDTH / WHOLE_WIDTH, fy=WIDTH / WHOLE_WIDTH, interpolation=cv2.INTER_AREA)
        road = cv2.resize(road.astype(np.uint8), pixels.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
        height, width = (size // 32 * 32 for size in road.shape)
        picture = torch.from_numpy(pixels[:height, :width].transpose(2, 0, 1)[None].astype(np.float32) / 255)
        with torch.no_grad():
            found = model(picture)[0].argmax(0).numpy() == 1
        both += int((found & road[:height, :width]).sum())
        either += int((found | road[:height, :width]).sum())
    print(f"road IoU {both / max(1, either):.3f}", flush=True)


def export(state, path):
    model = fused(loop.trained(state, Roads()))
    torch.onnx.export(model, torch.zeros(1, 3, HEIGHT, WIDTH), path, opset_version=OPSET, input_names=["pictures"], output_names=["scores"])
    file = onnx.load(path)
    file.producer_name, file.producer_version = "shingle tools/train", ""
    file.doc_string = "Road seen from above; scores of two classes for each pixel. See models/README.md."
    onnx.helper.set_model_props(file, {"names": str(dict(enumerate(CLASSES))), "head": "segmentation"})
    for node in file.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(file)
    onnx.save(file, path)


def main():
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    parser = loop.parser(__doc__)
    parser.add_argument("first", metavar="STILLS|RUN.state.pt")
    parser.add_argument("second", metavar="RUN.state.pt|OUT.onnx|STILLS")
    parser.add_argument("--export", action="store_true")
    parser.add_argument("--evaluate", action="store_true")
    loop.describe(parser, STEPS, PEAK_RATE)
    options = parser.parse_args()
    if options.export or options.evaluate:
        return export(options.first, options.second) if options.export else evaluate(options.first, options.second)
    stills = read(options.first)
    print(f"{len(stills)} stills", flush=True)
    torch.manual_seed(options.seed)
    run = loop.Run(options.second, Roads(), options)
    run.train(lambda dice: batch(stills, dice), lambda model, made: loss(model, made, options.device))
    return None


if __name__ == "__main__":
    main()
