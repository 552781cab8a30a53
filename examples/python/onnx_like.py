#!/usr/bin/python3
"""A session as in ONNX Runtime: tensors in, tensors out, on several machines.

    onnx_like.py MODEL [--workers N | --cluster FILE --id N [--insecure]] [--frames N]

Computes frames of random numbers, all under way at once, and prints their outputs and how long they took."""
import argparse
import time

import numpy as np
import shingle

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model")
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--cluster")
parser.add_argument("--id", type=int)
parser.add_argument("--insecure", action="store_true")
parser.add_argument("--frames", type=int, default=8)
wanted = parser.parse_args()

options = {"insecure": True} if wanted.insecure else {}
with shingle.InferenceSession(wanted.model, workers=wanted.workers, cluster=wanted.cluster, node_id=wanted.id,
                              options=options) as session:
    dice = np.random.default_rng(1)
    feed = {}
    for info in session.get_inputs():
        print(f"input   {info.name:20} {info.shape} {info.type}")
        values = dice.random(info.shape, np.float32)
        feed[info.name] = values if info.type == "tensor(float)" else (values * 255).astype(np.uint8)

    begun = time.monotonic()
    futures = [session.submit(None, feed) for _ in range(wanted.frames)]
    results = [future.result() for future in futures]
    seconds = time.monotonic() - begun

    for info, output in zip(session.get_outputs(), results[0]):
        print(f"output  {info.name:20} {output.shape} from {output.min():.3f} to {output.max():.3f}")
    print(f"{wanted.frames} frames in {seconds:.2f} s on {session.counters()['nodes']} nodes")
