"""What benches make of a run's figures: cases of lab_test.py that need no lab."""
import contextlib
import io
import unittest

import places  # noqa: F401  finds the benches' modules
from lab import figures, runs, site


def ran(delivered_s=(), tiles=0, overruns=0):
    return runs.Ran([], list(delivered_s), [], 0, None, tiles, overruns)


class FiguresOfRuns(unittest.TestCase):
    def test_a_period_is_taken_over_whole_rounds_of_a_rotation(self):
        # Plans in turn: every third frame comes 4 s after the one before, the others after 1 s.
        times = [0.0]
        for frame in range(1, 12):
            times.append(times[-1] + (4.0 if frame % 3 == 0 else 1.0))
        self.assertAlmostEqual(ran(times).period_s(0, 0, turn=3), 2.0)
        self.assertNotAlmostEqual(ran(times).period_s(0, 0), 2.0)

    def test_fewer_steady_frames_than_a_round_are_refused(self):
        with self.assertRaises(site.BenchError):
            ran([0.0, 1.0, 2.0, 3.0]).period_s(1, 1, turn=6)

    def test_one_run_that_could_not_pace_its_boards_fails_the_bench_however_calm_the_others_were(self):
        found = figures.Figures()
        for overruns in (0, 0, 30):
            found.count(ran(tiles=1000, overruns=overruns))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(found.conclude(False, {}), 1)
        self.assertEqual(found.values["overruns"], 0.03)

    def test_calm_runs_pass(self):
        found = figures.Figures()
        found.count(ran(tiles=1000, overruns=9))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(found.conclude(False, {}), 0)
