#!/usr/bin/python3
"""Average precision at IoU 0.5, whatever the class, on photographs; the same, recall, precision and the share of right classes on a
rendered clip. For a look while training.

    evaluate.py RUN.state.pt PHOTOGRAPHS [CLIP.mp4]"""
import csv
import pathlib
import sys

import cv2
import numpy as np
import torch

from loop import trained
from measure import at_score, average_precision, detect, iou, matches
from network import Detector
from pictures import CLASSES, read_photograph

EACH = 5         # of a clip's frames one is looked at
SURE = 0.3       # score from which the class of a box is compared


def photographs(detector, paths, width=None):
    results, total = [], 0
    for path in paths:
        picture = read_photograph(path)
        pixels, boxes, counts = picture.pixels, picture.boxes[:-4], picture.counts[:-4]  # the last four: its border
        if width:
            scale = width / pixels.shape[1]
            pixels = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            boxes = boxes * scale
        found, scores, _ = detect(detector, pixels)
        one, count = matches(found, scores, boxes, counts)
        results += one
        total += count
    return results, total


def right_classes(found, scores, classes, rows):
    """(right, compared) of sure boxes that lie on a vehicle that is at least half visible."""
    truth = np.array([[float(row["x"]), float(row["y"]), float(row["x"]) + float(row["w"]), float(row["y"]) + float(row["h"])]
                      for row in rows if float(row["visible"]) >= 0.5])
    names = [row["class"] for row in rows if float(row["visible"]) >= 0.5]
    right = compared = 0
    for box, kind in zip(found[scores >= SURE], classes[scores >= SURE]):
        overlap = iou(box, truth) if len(truth) else np.zeros(1)
        if overlap.max() >= 0.5:
            compared += 1
            right += CLASSES[kind] == names[overlap.argmax()]
    return np.array([right, compared])


def clip(detector, path):
    with open(pathlib.Path(path).with_suffix(".truth.csv")) as file:
        rows = list(csv.DictReader(file))
    video, frame, results, total, classes = cv2.VideoCapture(path), 0, [], 0, np.zeros(2)
    while True:
        ok, pixels = video.read()
        if not ok:
            return results, total, classes
        if frame % EACH == 0:
            here = [row for row in rows if int(row["frame"]) == frame]
            boxes = np.array([[float(row[key]) for key in "xywh"] for row in here], np.float32)
            counts = np.array([float(row["visible"]) >= 0.5 for row in here], bool)
            found = detect(detector, pixels)
            one, count = matches(*found[:2], boxes, counts)
            results += one
            total += count
            classes += right_classes(*found, here)
        frame += 1


def report(name, results, total):
    print(f"{name:9} vehicles {total:5}  AP50 {average_precision(results, total):.3f}", end="")
    best = max(np.arange(0.1, 0.9, 0.01), key=lambda score: f1(*at_score(results, total, score)))
    recall, precision = at_score(results, total, best)
    print(f"  best F1 at score {best:.2f}: recall {recall:.3f}, precision {precision:.3f}", flush=True)


def f1(recall, precision):
    return 2 * recall * precision / max(recall + precision, 1e-9)


def main():
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    detector = trained(sys.argv[1], Detector())
    folder = pathlib.Path(sys.argv[2])
    if len(sys.argv) > 3:
        results, total, (right, compared) = clip(detector, sys.argv[3])
        report("clip", results, total)
        print(f"          right classes {right / max(1, compared):.3f} of {compared:.0f}", flush=True)
    report("held out", *photographs(detector, sorted(set(folder.glob("MOS*.png")) - set(folder.glob("MOS1*.png")))))
    report("DJI", *photographs(detector, sorted([*folder.glob("DJI*.jpg"), *folder.glob("DJI*.JPG")]), 640))


if __name__ == "__main__":
    main()
