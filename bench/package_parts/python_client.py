"""A client of the package shingle for tools/bench package: prints what a model finds in pictures, one JSON object a line.

    python_client.py MODEL WORKERS <pictures       binary PPM pictures, one behind the other
"""
import collections
import json
import sys

import numpy
import shingle

UNDER_WAY = 8


def pictures(stream):
    while head := stream.readline():
        mark, width, height, most = head.split()
        assert (mark, most) == (b"P6", b"255")
        pixels = stream.read(int(width) * int(height) * 3)
        yield numpy.frombuffer(pixels, numpy.uint8).reshape(int(height), int(width), 3)


def show(future):
    found = future.result()
    boxes = [[*each.box, each.score, each.class_id] for each in found]
    print(json.dumps({"boxes": boxes, "findings": found.findings}))


def main():
    model, workers = sys.argv[1:]
    results = collections.deque()
    with shingle.InferenceSession(model, workers=int(workers), pictures=True) as session:
        for picture in pictures(sys.stdin.buffer):
            results.append(session.submit_picture(picture, format="rgb"))
            if len(results) == UNDER_WAY:
                show(results.popleft())
        while results:
            show(results.popleft())


main()
