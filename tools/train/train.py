#!/usr/bin/python3
"""Trains the vehicle detector on rendered stills and aerial photographs: see docs/use/training.md.

    train.py STILLS PHOTOGRAPHS RUN.state.pt [--steps 4000] [--minutes 150] [--seed 1] [--crop 192] [--batch 8]

The same command goes on with a run that was interrupted."""
import pathlib

import cv2
import numpy as np
import torch

import loop
import loss as judge
from network import Detector
from pictures import example, read_photograph, read_stills

PEAK_RATE, STEPS = 3e-3, 4000


def arguments():
    parser = loop.parser(__doc__)
    parser.add_argument("stills")
    parser.add_argument("photographs")
    parser.add_argument("state", metavar="RUN.state.pt")
    parser.add_argument("--photograph-share", type=float, default=0.35)
    parser.add_argument("--crop", type=int, default=192, help="side of a crop in pixels, a multiple of 32; a bus at 0.12 m a pixel has 100")
    parser.add_argument("--batch", type=int, default=8, help="crops of a step")
    loop.describe(parser, STEPS, PEAK_RATE)
    options = parser.parse_args()
    if options.crop < 96 or options.crop % 32:
        parser.error(f"--crop {options.crop}: give a multiple of 32 from 96 on")
    return options


def training_photographs(folder):
    """KIT AIS MOS155-179. MOS74-93 are held out, the DJI pictures are for measuring only."""
    return [read_photograph(path) for path in sorted(pathlib.Path(folder).glob("MOS1*.png"))]


def batch(stills, photographs, options, dice):
    examples = []
    for _ in range(options.batch):
        pool = photographs if dice.random() < options.photograph_share else stills
        examples.append(example(pool[dice.integers(len(pool))], options.crop, dice))
    pixels, boxes, counts, classes = zip(*examples)
    return torch.from_numpy(np.stack(pixels)), boxes, counts, classes


def main():
    options = arguments()
    cv2.setNumThreads(1)
    stills, photographs = read_stills(options.stills), training_photographs(options.photographs)
    print(f"{len(stills)} stills, {len(photographs)} photographs", flush=True)
    torch.manual_seed(options.seed)
    run = loop.Run(options.state, Detector(), options)
    run.train(lambda dice: batch(stills, photographs, options, dice),
              lambda model, made: judge.loss(model(made[0].to(options.device)), *made[1:]))


if __name__ == "__main__":
    main()
