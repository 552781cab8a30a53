#!/usr/bin/python3
"""Prints the boxes that a detector finds in a video or in a folder of pictures, one a line:

    PICTURE CLASS SCORE LEFT TOP RIGHT BOTTOM

    detect.py MODEL FOLDER|VIDEO [--workers N] [--min-score S]

Folders need python3-pil, videos python3-opencv. Four pictures are under way at once; results come in their order."""
import argparse
import collections
import pathlib
import sys

import shingle


def pictures_of(path):
    """(name, picture, format), one after the other."""
    if path.is_dir():
        import PIL.Image
        for file in sorted(path.iterdir()):
            if file.suffix.lower() in (".png", ".jpg", ".jpeg"):
                yield file.name, PIL.Image.open(file), None
        return
    import cv2
    video = cv2.VideoCapture(str(path))
    if not video.isOpened():
        sys.exit(f"detect.py: '{path}' is no video that OpenCV can read")
    number = 0
    while True:
        there, picture = video.read()
        if not there:
            return
        yield f"frame {number}", picture, "bgr"
        number += 1


def print_boxes(name, detections):
    for (left, top, right, bottom), score, _, class_name in detections:
        print(f"{name} {class_name} {score:.2f} {left:.0f} {top:.0f} {right:.0f} {bottom:.0f}")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model")
parser.add_argument("media", type=pathlib.Path)
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--min-score", type=float, default=0.3)
wanted = parser.parse_args()

with shingle.InferenceSession(wanted.model, workers=wanted.workers, pictures=True,
                              options={"score": wanted.min_score}) as session:
    under_way = collections.deque()
    for name, picture, format in pictures_of(wanted.media):
        under_way.append((name, session.submit_picture(picture, format=format)))
        if len(under_way) == 4:
            name, future = under_way.popleft()
            print_boxes(name, future.result())
    for name, future in under_way:
        print_boxes(name, future.result())
