#!/usr/bin/python3
"""Writes the trained detector as ONNX: normalisation folded, pictures of 0 to 255 in BGR, one list of rows out.

    export.py RUN.state.pt OUT.onnx [--height 384 --width 640] [--shown-at 0.45] [--metres-per-pixel 0.12]"""
import argparse
import math

import onnx
import torch

from loop import trained
from network import Detector, Exported, fused
from pictures import CLASSES

OPSET = 13
SHOWN = 0.3            # the score from which `shingle run` shows boxes of YOLOX rows
USUAL_QUALITY = 0.8    # of a box that fits


def shift_scores(detector, shown_at):
    """Moves objectness so that what scored `shown_at` scores SHOWN. The order of equally good boxes stays."""
    def logit(score):
        return math.log(score / USUAL_QUALITY / (1 - score / USUAL_QUALITY))

    for head in detector.heads:
        head.objectness.bias.data += logit(SHOWN) - logit(shown_at)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights")
    parser.add_argument("out")
    parser.add_argument("--height", type=int, default=384)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--shown-at", type=float, default=SHOWN, help="the score with the best F1, as evaluate.py prints it")
    parser.add_argument("--metres-per-pixel", type=float, default=0.12, help="the ground scale that shingle-drone is to give it")
    options = parser.parse_args()
    detector = trained(options.weights, Detector())
    shift_scores(detector, options.shown_at)
    pictures = torch.zeros(1, 3, options.height, options.width)
    torch.onnx.export(Exported(fused(detector)), pictures, options.out, opset_version=OPSET, input_names=["pictures"],
                      output_names=["rows"])
    model = onnx.load(options.out)
    model.producer_name, model.producer_version = "shingle tools/train", ""
    model.doc_string = "Vehicles seen from above; YOLOX rows. See models/README.md."
    names, scale = str(dict(enumerate(CLASSES))), str(options.metres_per_pixel)
    onnx.helper.set_model_props(model, {"names": names, "metres_per_pixel": scale})
    for node in model.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(model)
    onnx.save(model, options.out)


if __name__ == "__main__":
    main()
