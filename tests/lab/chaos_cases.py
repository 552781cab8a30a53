"""Cases of the chaos bench: it finds lost frames, and it draws the same faults again from the same seed. lab_test.py runs them."""
import pathlib
import random
import shutil
import tempfile
import types
import unittest

import places  # noqa: F401  it puts the bench on the path
from lab import chaos, chaos_faults, site
from lab.boards import percentile, raw_outputs, repeated


class JudgedStreams(unittest.TestCase):
    """Ten frames of five pictures, whose outputs are their pictures' numbers."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.chaos = chaos.Chaos.__new__(chaos.Chaos)
        self.chaos.expected = self.hashes({frame: frame for frame in range(chaos.PICTURES)}, "expected")

    def write(self, outputs, name):
        folder = self.folder / name
        folder.mkdir()
        for frame, content in outputs.items():
            (folder / f"frame-{frame:06}-out.f32").write_bytes(bytes([content]))
        return folder

    def hashes(self, outputs, name):
        return raw_outputs(self.write(outputs, name))

    def judge(self, frames, outputs):
        stream = types.SimpleNamespace(frames=10, delivered=[(0.0, {"frame": frame}) for frame in frames])
        return self.chaos.judge(stream, self.write(outputs, "outputs"))

    def test_all_frames_once_and_right_are_neither_lost_nor_wrong(self):
        self.assertEqual(self.judge(range(10), {frame: frame for frame in range(10)}), (0, 0))

    def test_a_frame_that_never_came_is_lost(self):
        self.assertEqual(self.judge(range(9), {frame: frame for frame in range(9)}), (1, 0))

    def test_another_byte_is_wrong(self):
        self.assertEqual(self.judge(range(10), {frame: frame if frame != 7 else 8 for frame in range(10)}), (0, 1))

    def test_outputs_that_were_not_written_are_wrong(self):
        self.assertEqual(self.judge(range(10), {frame: frame for frame in range(9)}), (0, 1))

    def test_twice_and_out_of_order_is_wrong(self):
        self.assertEqual(self.judge([0, 1, 1, *range(2, 10)], {frame: frame for frame in range(10)}), (0, 1))
        shutil.rmtree(self.folder / "outputs")
        self.assertEqual(self.judge([1, 0, *range(2, 10)], {frame: frame for frame in range(10)}), (0, 1))

    def test_pictures_come_again_in_their_order(self):
        pictures = self.folder / "few"
        pictures.mkdir()
        for number in range(3):
            (pictures / f"{number}.ppm").write_bytes(bytes([number]))
        folder = repeated(pictures, 7, self.folder / "many")
        self.assertEqual([path.read_bytes()[0] for path in sorted(folder.iterdir())], [0, 1, 2, 0, 1, 2, 0])


class JudgedFaults(unittest.TestCase):
    """Twenty frames a second for thirty seconds, with gaps; one fault, at 10 s, on worker 2 of 1, 2 and 3."""

    def disturbed(self, *gaps, losses=None, at=10.0):
        found = chaos.Disturbed.__new__(chaos.Disturbed)
        moments = [0.05 * number for number in range(600)]
        moments = [moment for moment in moments if not any(begin <= moment < end for begin, end in gaps)]
        found.begin_s, found.end_s, found.times = 0.0, moments[-1], [(at, 2)]
        found.stream = types.SimpleNamespace(rate=lambda begin, end: sum(begin <= moment < end for moment in moments) / (end - begin))
        found.boards = types.SimpleNamespace(workers=[1, 2, 3], losses_of=lambda *_: losses)
        return found

    def test_recovery_lasts_from_the_fault_until_frames_come_again(self):
        self.assertAlmostEqual(self.disturbed((10.0, 11.0)).recovery_s(18.0), 1.5, delta=0.1)

    def test_a_fault_that_cost_nothing_needs_no_recovery(self):
        self.assertEqual(self.disturbed().recovery_s(18.0), 0.0)

    def test_a_fault_after_which_frames_never_come_again_counts_to_the_end(self):
        self.assertAlmostEqual(self.disturbed((10.0, 29.9)).recovery_s(18.0), 20.0, delta=0.1)

    def test_faults_in_the_last_seconds_of_a_stream_are_not_judged(self):
        with self.assertRaises(site.BenchError):
            self.disturbed(at=28.5).recovery_s(18.0)

    def test_every_other_worker_should_notice(self):
        self.assertEqual([round(each) for each in self.disturbed(losses={1: 10.1, 3: 10.3}).noticed_ms()], [100, 300])

    def test_a_worker_that_never_noticed_counts_until_the_next_fault(self):
        self.assertEqual([round(each) for each in self.disturbed(losses={1: 10.1}).noticed_ms()], [100, 3000])


class DrawnFaults(unittest.TestCase):
    def draw(self, seed, kinds=chaos_faults.PLAIN):
        return chaos_faults.draw(random.Random(seed), [1, 2, 3, 4, 5], kinds, 5.0, True)

    def test_the_same_seed_draws_the_same_faults(self):
        self.assertEqual(self.draw(7), self.draw(7))
        self.assertNotEqual(self.draw(7), self.draw(8))

    def test_every_kind_is_drawn_and_no_process_of_the_owner_is_harmed(self):
        seen = set()
        for seed in range(200):
            for fault in self.draw(seed) + self.draw(seed, chaos_faults.RELAYED):
                seen.add(fault.kind)
                self.assertNotEqual(fault.node, fault.other)
                self.assertTrue(fault.node != 0 or fault.kind in chaos_faults.OF_A_WAY, fault)
        self.assertEqual(seen, {*chaos_faults.PLAIN, *chaos_faults.RELAYED, "broker"})

    def test_a_kind_that_is_asked_for_is_drawn(self):
        for seed in range(20):
            faults = chaos_faults.draw(random.Random(seed), [1, 2], chaos_faults.RELAYED, 5.0, False, first="delay")
            self.assertIn("delay", [fault.kind for fault in faults])

    def test_every_fault_can_be_begun_and_mended(self):
        for kind in {*chaos_faults.PLAIN, *chaos_faults.RELAYED, "broker"}:
            for does in ("begin", "mend"):
                self.assertTrue(callable(getattr(chaos_faults.Hand, f"{does}_{kind}")), kind)

    def test_a_percentile_of_few_is_the_worst(self):
        self.assertEqual(percentile([3.0, 1.0, 2.0], 0.99), 3.0)
