#!/usr/bin/python3
"""Training: a run in pieces gives the bits of one run; what is exported computes what was trained; classes come from drawings only.

Prints "N passed, N failed, N skipped". Skips all where PyTorch is not installed (tools/train/deps)."""
import argparse
import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/train"))
try:
    import numpy as np
    import torch

    import loop
    import loss as judge
    import network
    import road_network
    from pictures import GROUND_SCALE, Picture, UNKNOWN, crop, example, turn, view
    MISSING = ""
except ImportError as error:
    MISSING = str(error)


def options(**more):
    return argparse.Namespace(**{"steps": 6, "minutes": 0.0, "seed": 3, "threads": 1, "peak_rate": 1e-3, "device": "cpu", **more})


def still(dice):
    pixels = dice.integers(0, 255, (80, 96, 3)).astype(np.uint8)
    return Picture(pixels, np.array([[20, 30, 24, 12], [60, 10, 16, 30]], np.float32), np.array([True, True]), np.array([0, 3]))


def run_to(path, stop_after=None, steps=6):
    torch.manual_seed(3)
    run = loop.Run(path, network.Detector(), options(steps=steps))
    picture = still(np.random.default_rng(1))

    def batch(dice):
        if stop_after is not None and run.step == stop_after:
            run.stop()
        pixels, *rest = zip(*(example(picture, 64, dice) for _ in range(2)))
        return torch.from_numpy(np.stack(pixels)), *rest

    done = run.train(batch, lambda model, made: judge.loss(model(made[0]), *made[1:]))
    return run, done


@unittest.skipIf(MISSING, f"skipped: {MISSING}; tools/train/deps installs it")
class Training(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_pieces_give_the_bits_of_one_run(self):
        whole, done = run_to(self.path / "whole.pt")
        self.assertTrue(done)
        first, done = run_to(self.path / "pieces.pt", stop_after=2)
        self.assertFalse(done)
        self.assertEqual(first.step, 2)
        second, done = run_to(self.path / "pieces.pt")
        self.assertTrue(done)
        for name in ("model", "average"):
            one, other = getattr(whole, name).state_dict(), getattr(second, name).state_dict()
            for key in one:
                self.assertTrue(torch.equal(one[key], other[key]), f"{name} {key}")
        self.assertEqual(whole.dice.bit_generator.state, second.dice.bit_generator.state)

    def test_a_run_goes_on_with_its_own_options_only(self):
        run_to(self.path / "run.pt", stop_after=2)
        with self.assertRaisesRegex(SystemExit, "begun with --steps 6, not 8"):
            run_to(self.path / "run.pt", steps=8)

    def test_crops_of_flights_show_the_ground_at_the_detectors_scale(self):
        from_50_m = self.path / "still.camera.csv"
        from_50_m.write_text("frame,height_m,pitch_deg,focal_px\n1,50,-90,1280\n")
        metres, slanting, slope = view(from_50_m)
        self.assertAlmostEqual(metres, 50 / 1280)
        self.assertFalse(slanting)
        self.assertAlmostEqual(slope, 0.0)
        self.assertEqual(view(self.path / "street.camera.csv"), (GROUND_SCALE, False, 0.0))
        car = Picture(np.zeros((900, 900, 3), np.uint8), np.array([[400, 420, 115, 46]], np.float32), np.array([True]), np.array([0]),
                      metres_per_pixel=metres)
        sides = [crop(car, 192, np.random.default_rng(seed)).boxes[:, 2].max(initial=0) for seed in range(60)]
        whole = [side for side in sides if side > 20]
        self.assertGreater(len(whole), 30)
        self.assertTrue(all(115 * metres / GROUND_SCALE * 0.4 < side < 115 * metres / GROUND_SCALE * 1.51 for side in whole), whole)

    def test_far_places_of_a_slanting_still_are_shrunk_less(self):
        slanted = self.path / "still.camera.csv"
        slanted.write_text("frame,height_m,pitch_deg,focal_px\n1,100,-45,1280\n")
        metres, slanting, slope = view(slanted)
        self.assertTrue(slanting)
        still = Picture(np.zeros((1080, 1920, 3), np.uint8), np.zeros((0, 4), np.float32), np.zeros(0, bool), np.zeros(0, int),
                        metres_per_pixel=metres, slanting=slanting, slope=slope)
        # Depths of flat ground 22.9 degrees above and below the axis, which looks 45 degrees down from 100 m.
        self.assertAlmostEqual(still.scale_at(540), math.sqrt(2) * 100 / 1280)
        self.assertAlmostEqual(still.scale_at(0), math.sqrt(2) * 100 / 1280 / (1 - 540 / 1280))
        self.assertAlmostEqual(still.scale_at(1080), math.sqrt(2) * 100 / 1280 / (1 + 540 / 1280))

    def test_what_is_above_stays_above_in_slanting_pictures(self):
        pixels = np.zeros((64, 64, 3), np.uint8)
        pixels[:32] = 200
        for seed in range(20):
            turned = turn(Picture(pixels, np.zeros((0, 4), np.float32), np.zeros(0, bool), np.zeros(0, int), slanting=True),
                          np.random.default_rng(seed))
            self.assertTrue((turned.pixels[:32] == 200).all())

    def test_a_photograph_trains_no_class(self):
        logits = torch.tensor([[2.0, -1.0, 0.5, 0.1], [0.0, 1.0, 0.0, 0.0]], requires_grad=True)
        judge.class_error(logits, torch.tensor([0.7, 0.7]), torch.tensor([UNKNOWN, 2])).backward()
        judged = logits.grad.abs() > 0
        self.assertEqual(judged[0].tolist(), [True, False, False, False])  # its best class says how well the box fits
        self.assertEqual(judged[1].tolist(), [True, True, True, True])
        self.assertLess(float(logits.grad[1, 2]), 0.0)     # pulled up
        self.assertGreater(float(logits.grad[1, 1]), 0.0)  # pushed down

    def test_folded_networks_compute_the_same(self):
        torch.manual_seed(1)
        pictures = torch.rand(1, 3, 64, 96)
        model = network.Detector()
        with torch.no_grad():
            model.train()(pictures)  # moves the normalisations' means
            wanted = model.eval()(pictures)
            found = network.fused(model)(pictures * 255)
        for one, other in zip(wanted, found):
            self.assertLess(float((one - other).abs().max()), 1e-3)

    def test_the_folded_road_network_takes_pictures_as_segmentations_do(self):
        torch.manual_seed(1)
        pictures = torch.rand(1, 3, 64, 96)
        mean, deviation = (torch.tensor(each).view(1, 3, 1, 1) for each in (road_network.MEAN, road_network.DEVIATION))
        model = road_network.Roads()
        with torch.no_grad():
            model.train()(pictures)
            wanted = model.eval().down[0][0](pictures)
            found = road_network.fused(model).down[0][0]((pictures.flip(1) * 255 - mean) / deviation)
        inner = (wanted - found)[:, :, 1:, 1:]  # what the border sees outside of the picture differs
        self.assertLess(float(inner.abs().max()), 1e-4)

    def test_rows_are_as_long_as_a_head_says(self):
        heads = network.Detector().eval()(torch.zeros(1, 3, 64, 64))
        self.assertEqual([tuple(head.shape) for head in heads], [(1, network.ROW, 64 // s, 64 // s) for s in network.STRIDES])
        road = road_network.Roads().eval()(torch.zeros(1, 3, 64, 96))
        self.assertEqual(tuple(road.shape), (1, 2, 64, 96))


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(Training))
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    for _, why in result.skipped[:1]:
        print(why)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
