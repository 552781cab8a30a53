#!/usr/bin/python3
"""Trains the vehicle detector on rendered stills and aerial photographs: see docs/use/training.md.

    train.py STILLS PHOTOGRAPHS RUN.state.pt [--steps 4000] [--minutes 150] [--seed 1]

The same command goes on with a run that was interrupted."""
import pathlib

import cv2
import numpy as np
import torch

import loop
import loss as judge
from network import Detector
from pictures import example, read_photograph, read_stills

SIZE, BATCH, PEAK_RATE, STEPS = 192, 8, 3e-3, 4000


def arguments():
    parser = loop.parser(__doc__)
    parser.add_argument("stills")
    parser.add_argument("photographs")
    parser.add_argument("state", metavar="RUN.state.pt")
    parser.add_argument("--photograph-share", type=float, default=0.35)
    loop.describe(parser, STEPS, PEAK_RATE)
    return parser.parse_args()


def training_photographs(folder):
    """KIT AIS MOS155-179. MOS74-93 are held out, the DJI pictures are for measuring only."""
    return [read_photograph(path) for path in sorted(pathlib.Path(folder).glob("MOS1*.png"))]


def batch(stills, photographs, share, dice):
    examples = []
    for _ in range(BATCH):
        pool = photographs if dice.random() < share else stills
        examples.append(example(pool[dice.integers(len(pool))], SIZE, dice))
    pixels, boxes, counts, classes = zip(*examples)
    return torch.from_numpy(np.stack(pixels)), boxes, counts, classes


def main():
    options = arguments()
    cv2.setNumThreads(1)
    stills, photographs = read_stills(options.stills), training_photographs(options.photographs)
    print(f"{len(stills)} stills, {len(photographs)} photographs", flush=True)
    torch.manual_seed(options.seed)
    run = loop.Run(options.state, Detector(), options)
    run.train(lambda dice: batch(stills, photographs, options.photograph_share, dice),
              lambda model, made: judge.loss(model(made[0].to(options.device)), *made[1:]))


if __name__ == "__main__":
    main()
