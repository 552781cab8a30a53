#!/usr/bin/python3
"""Writes the trained detector as ONNX: normalisation folded, pictures of 0 to 255 in BGR, one list of rows out.

    export.py WEIGHTS.pt OUT.onnx [--height 384 --width 640]"""
import argparse

import onnx
import torch

from network import Detector, Exported, fused

OPSET = 13


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights")
    parser.add_argument("out")
    parser.add_argument("--height", type=int, default=384)
    parser.add_argument("--width", type=int, default=640)
    options = parser.parse_args()
    detector = Detector()
    detector.load_state_dict(torch.load(options.weights))
    pictures = torch.zeros(1, 3, options.height, options.width)
    torch.onnx.export(Exported(fused(detector.eval())), pictures, options.out, opset_version=OPSET, input_names=["pictures"],
                      output_names=["rows"])
    model = onnx.load(options.out)
    model.producer_name, model.producer_version = "shingle tools/train", ""
    model.doc_string = "Vehicles seen from above; YOLOX rows. See models/README.md."
    onnx.helper.set_model_props(model, {"names": "{0: 'vehicle'}"})
    for node in model.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(model)
    onnx.save(model, options.out)


if __name__ == "__main__":
    main()
