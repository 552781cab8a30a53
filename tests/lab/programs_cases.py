"""`tools/lab programs`: what is read from traces, and one measurement of real programs."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from places import LAB, MAKE_NETWORK
from laboratory import programs
from laboratory.shell import LabError


def compute(node, begin, length):
    return {"cat": "compute", "pid": node, "ts": begin, "dur": length}


def queue(node, at, ready):
    return {"name": "queue", "pid": node, "ts": at, "args": {"ready_tiles": ready, "running_tiles": 1}}


class WhatProgramsTake(unittest.TestCase):
    def test_only_tiles_that_were_ready_tell_how_long_a_handover_takes(self):
        events = []
        for frame in range(programs.FRAMES):
            at = 1e5 * frame
            events += [queue(1, at, 1), compute(1, at, 1000.0), queue(1, at + 1150.0, 0), compute(1, at + 1150.0, 500.0)]
        self.assertAlmostEqual(programs.between_tiles_us(events), 150.0)

    def test_a_small_message_is_one_that_carries_nothing(self):
        events = []
        for number in range(programs.FRAMES):
            for name, took in (("Done", 200.0), ("Piece", 9000.0)):
                flow = {"flow": f"{name}{number}"}
                events += [{"cat": "send", "name": name, "ts": 1e4 * number, "args": flow},
                           {"cat": "receive", "name": name, "ts": 1e4 * number + took, "args": flow}]
        self.assertAlmostEqual(programs.small_message_us(events), 200.0)

    def test_too_few_of_them_are_no_measurement(self):
        self.assertRaises(LabError, programs.small_message_us, [])
        self.assertRaises(LabError, programs.between_tiles_us, [])

    def test_what_was_printed_can_be_given_again(self):
        taken = programs.Programs(250.0, 180.5, 1500.0)
        self.assertEqual(programs.parse(taken.text()), taken)
        self.assertEqual(taken.options(), ["--message-latency", "250.0", "--handover", "180.5", "--frame-gap", "1500.0"])
        for text in ("", "1,2", "1,2,3,4", "1,2,x"):
            self.assertRaises(LabError, programs.parse, text)

    def test_real_programs_take_less_than_a_tenth_of_a_second(self):
        if os.geteuid() != 0 or not MAKE_NETWORK.exists():
            self.skipTest("the lab needs root and the built programs")
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run([MAKE_NETWORK, "yolov2_front", folder / "net.onnx", "--size", "160"], check=True, capture_output=True)
        done = subprocess.run([LAB, "programs", folder / "net.onnx", "--json"], capture_output=True, text=True, timeout=180, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        taken = json.loads(done.stdout)
        self.assertEqual(list(taken), ["message_latency", "handover", "frame_gap"])
        for name, microseconds in taken.items():
            self.assertTrue(0.0 <= microseconds < 1e5, (name, microseconds))
        self.assertGreater(taken["message_latency"], 0.0)
