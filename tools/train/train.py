#!/usr/bin/python3
"""Trains the vehicle detector on rendered stills and aerial photographs: see docs/use/training.md.

    train.py STILLS PHOTOGRAPHS OUT.pt [--steps 4000 [--until 2000]] [--seed 1] [--start BEGUN.pt]"""
import argparse
import copy
import pathlib
import time

import cv2
import numpy as np
import torch

import loss as judge
from network import Detector
from pictures import example, read_photograph, read_stills

SIZE, BATCH, PEAK_RATE = 192, 8, 3e-3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stills")
    parser.add_argument("photographs")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--until", type=int, help="stop after so many of the steps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--photograph-share", type=float, default=0.35)
    parser.add_argument("--start", help="weights to begin with")
    parser.add_argument("--peak-rate", type=float, default=PEAK_RATE)
    return parser.parse_args()


def training_photographs(folder):
    """KIT AIS MOS155-179. MOS74-93 are held out, the DJI pictures are for measuring only."""
    return [read_photograph(path) for path in sorted(pathlib.Path(folder).glob("MOS1*.png"))]


def batch(stills, photographs, share, random):
    examples = []
    for _ in range(BATCH):
        pool = photographs if random.random() < share else stills
        examples.append(example(pool[random.integers(len(pool))], SIZE, random))
    pixels, boxes, counts = zip(*examples)
    return torch.from_numpy(np.stack(pixels)), boxes, counts


def follow(average, detector, step):
    """The average of the last few hundred steps' weights does better than any of them."""
    decay = min(0.998, step / (step + 20.0))
    with torch.no_grad():
        for old, new in zip(average.state_dict().values(), detector.state_dict().values()):
            if old.dtype.is_floating_point:
                old.mul_(decay).add_(new, alpha=1 - decay)
            else:
                old.copy_(new)


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    random = np.random.Generator(np.random.PCG64(options.seed))
    stills, photographs = read_stills(options.stills), training_photographs(options.photographs)
    print(f"{len(stills)} stills, {len(photographs)} photographs", flush=True)
    detector = Detector()
    if options.start:
        detector.load_state_dict(torch.load(options.start))
    average = copy.deepcopy(detector)
    optimiser = torch.optim.AdamW(detector.parameters(), lr=options.peak_rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.peak_rate, options.steps, pct_start=0.1)
    started, parts = time.time(), np.zeros(3)
    until = options.until or options.steps
    for step in range(1, until + 1):
        pixels, boxes, counts = batch(stills, photographs, options.photograph_share, random)
        optimiser.zero_grad()
        total, now = judge.loss(detector(pixels), boxes, counts)
        total.backward()
        torch.nn.utils.clip_grad_norm_(detector.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        follow(average, detector, step)
        parts += now
        if step % 50 == 0:
            print(f"step {step}  box {parts[0] / 50:.3f}  quality {parts[1] / 50:.3f}  objectness {parts[2] / 50:.3f}"
                  f"  {(time.time() - started) / step:.3f} s a step", flush=True)
            parts[:] = 0
        if step % 250 == 0 or step == until:
            torch.save(average.state_dict(), options.out)


if __name__ == "__main__":
    main()
