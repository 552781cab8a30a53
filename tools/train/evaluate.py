#!/usr/bin/python3
"""Average precision at IoU 0.5 on photographs, recall and precision on a rendered clip, for a look while training.

    evaluate.py WEIGHTS.pt PHOTOGRAPHS [CLIP.mp4]"""
import csv
import pathlib
import sys

import cv2
import numpy as np
import torch

from measure import at_score, average_precision, detect, matches
from network import Detector
from pictures import read_photograph



def photographs(detector, paths, width=None):
    results, total = [], 0
    for path in paths:
        picture = read_photograph(path)
        pixels, boxes, counts = picture.pixels, picture.boxes[:-4], picture.counts[:-4]  # the last four: its border
        if width:
            scale = width / pixels.shape[1]
            pixels = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            boxes = boxes * scale
        one, count = matches(*detect(detector, pixels), boxes, counts)
        results += one
        total += count
    return results, total


def clip(detector, path):
    with open(pathlib.Path(path).with_suffix(".truth.csv")) as file:
        rows = list(csv.DictReader(file))
    video, frame, results, total = cv2.VideoCapture(path), 0, [], 0
    while True:
        ok, pixels = video.read()
        if not ok:
            return results, total
        if frame % 5 == 0:
            here = [row for row in rows if int(row["frame"]) == frame]
            boxes = np.array([[float(row[key]) for key in "xywh"] for row in here], np.float32)
            counts = np.array([float(row["visible"]) >= 0.5 for row in here], bool)
            one, count = matches(*detect(detector, pixels), boxes, counts)
            results += one
            total += count
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
    detector = Detector().eval()
    detector.load_state_dict(torch.load(sys.argv[1]))
    folder = pathlib.Path(sys.argv[2])
    if len(sys.argv) > 3:
        report("clip", *clip(detector, sys.argv[3]))
    report("held out", *photographs(detector, sorted(set(folder.glob("MOS*.png")) - set(folder.glob("MOS1*.png")))))
    report("DJI", *photographs(detector, sorted([*folder.glob("DJI*.jpg"), *folder.glob("DJI*.JPG")]), 640))


if __name__ == "__main__":
    main()
