"""What the bench of shingle-drone makes of killed, loaded and paced flights: cases of lab_test.py that need no lab."""
import unittest
from unittest import mock

import places  # noqa: F401  finds the benches' modules
import drone
from drone_parts import crash, lab, scenes, shed
from lab import site


class FlightsOfTheDroneBench(unittest.TestCase):
    def test_a_line_that_a_kill_cut_off_is_no_picture(self):
        lines = ['{"frame":1,"seconds":0.0,"ms":9.0}\n', '{"frame":2,"seconds":0.04,"ms":9.0}\n', '{"frame":3,"seconds":0.0']
        self.assertEqual(crash.times_of(lines), [0.0, 0.04])
        self.assertEqual(crash.times_of(['{"node":0,"tiles":3}\n']), [])

    def test_what_is_missing_counts_from_the_last_picture_that_was_done(self):
        done = [0.0, 0.04, 0.08, 0.12, 0.16]
        table, video = crash.missing_s(done, table_s=0.12, pictures=2)
        self.assertAlmostEqual(table, 0.04)
        self.assertAlmostEqual(video, 0.12)
        self.assertEqual(crash.missing_s(done, 0.16, 5), (0.0, 0.0))

    def test_a_source_is_about_twice_as_fast_rather_more_than_less(self):
        self.assertTrue(shed.is_double(12, 6.0))
        self.assertTrue(shed.is_double(12, 5.4))
        self.assertFalse(shed.is_double(12, 7.0))
        self.assertFalse(shed.is_double(12, 5.0))

    def test_a_cluster_that_became_slower_meanwhile_measures_nothing(self):
        for fps, is_good in ((6.0, True), (4.0, False)):
            with mock.patch.object(scenes, "followed", return_value=(None, [{"frame": 1}, {"fps": fps}])):
                if is_good:
                    shed.check_rate("clip.mp4", 12)
                else:
                    self.assertRaisesRegex(site.BenchError, "other work", shed.check_rate, "clip.mp4", 12)

    def test_tracks_differ_by_bytes_and_by_length(self):
        self.assertEqual(lab.differing(b"1,2,3\n", b"1,2,3\n"), 0)
        self.assertEqual(lab.differing(b"1,2,3\n", b"1,4,3\n5\n"), 3)

    def test_a_rate_leaves_out_the_warm_up(self):
        slow_then_steady = [(10.0 * number, number) for number in range(lab.WARM_UP)]
        begin = slow_then_steady[-1][0]
        steady = [(begin + 0.5 * number, number) for number in range(1, 9)]
        self.assertAlmostEqual(lab.rate(slow_then_steady + steady), 2.0)

    def test_four_boards_must_be_nearly_four_times_as_fast_as_one(self):
        target = drone.PARTS["lab"]["speedup_4"]
        self.assertTrue(drone.BENCH.is_met(target, 3.7))
        self.assertFalse(drone.BENCH.is_met(target, 3.5))
