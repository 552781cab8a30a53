#!/usr/bin/python3
"""tools/drone-demo: a short flight through the real programs with a worker killed, and the parts of its pictures alone.

Prints "N passed, N failed, N skipped"."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from drone_demo import arms, flight, ground_map, svg, truth  # noqa: E402

DEMO = ROOT / "tools/drone-demo"
FRAMES = 20


class TheDemo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "demo"

    def demo(self, *words):
        return subprocess.run([DEMO, "--out", self.out, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)

    def test_a_flight_loses_no_frame_to_a_killed_worker_and_its_figures_and_pictures_are_there(self):
        done = self.demo("--frames", FRAMES, "--scene", "roundabout-100-720p", "--workers", 3, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["frames"], found["frames_lost"]), (FRAMES, 0))
        self.assertEqual((found["killed"]["worker"], found["killed"]["after_frame"]), (2, FRAMES // 3))
        self.assertGreater(found["tracks"], 3)
        self.assertGreater(found["idf1"], 0.5)
        self.assertGreater(found["speed_vehicles"], 0)
        self.assertLess(found["speed_error"], 0.10)
        self.check_pictures(found["files"])
        self.check_undisturbed_run()

    def check_pictures(self, files):
        self.assertEqual(set(files), {"page", "video", "geojson", "run", "tracks", "speeds", "heatmap", "time_space"})
        for name in ("tracks", "speeds", "heatmap", "time_space"):
            drawing = xml.etree.ElementTree.fromstring((self.out / f"{name}.svg").read_text())
            self.assertEqual(drawing.tag, "{http://www.w3.org/2000/svg}svg")
        page = pathlib.Path(files["page"]).read_text()
        loaded = re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page)
        self.assertEqual(loaded, ["tracks.mp4"])
        self.assertGreater(pathlib.Path(files["video"]).stat().st_size, 10_000)

    def check_undisturbed_run(self):
        """One worker that nobody kills finds the same."""
        video, run = self.out / "flight.mp4", self.out / "undisturbed"
        flight.call(flight.DRONE, "run", flight.MODEL, video, "--road", flight.ROAD, "--log", video.with_suffix(".srt"), "--site", self.out / "site.toml",
                    "--run", run, "--workers", 1)
        self.assertEqual((run / "frames.csv").read_bytes(), (self.out / "run/frames.csv").read_bytes())

    def test_what_cannot_be_done_is_refused_with_one_sentence(self):
        for words, code, sentence in ((("--workers", 1), 2, "one is killed"), (("--frames", 2), 2, "give 6 or more"),
                                      (("--scene", "moon-100"), 1, "moon")):
            done = self.demo(*words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(sentence, done.stderr.splitlines()[-1])

    def test_a_folder_that_is_no_run_is_not_removed(self):
        kept = self.out / "run/letters.txt"
        kept.parent.mkdir(parents=True)
        kept.write_text("dear")
        with self.assertRaisesRegex(flight.DemoError, "is no run folder"):
            flight.fresh(kept.parent)
        self.assertTrue(kept.exists())


class Workers(unittest.TestCase):
    def test_only_children_that_are_workers_are_found(self):
        sleep = "import sys, time; print(flush=True); time.sleep(60)"
        words = {"worker": ["node", "--id", "4"], "other": ["--id", "5"]}
        children = {name: subprocess.Popen([sys.executable, "-c", sleep, *more], stdout=subprocess.PIPE) for name, more in words.items()}
        for child in children.values():
            self.addCleanup(child.communicate)
            self.addCleanup(child.kill)
            child.stdout.readline()  # it has its own command line by now
        self.assertEqual(flight.workers_of(os.getpid()), {4: children["worker"].pid})
        with self.assertRaisesRegex(flight.DemoError, "has 1 workers, not 2; none was killed"):
            flight.kill_one(os.getpid(), 2)
        self.assertEqual(flight.kill_one(os.getpid(), 1), (4, children["worker"].pid))
        self.assertEqual(children["worker"].wait(), -9)
        self.assertIsNone(children["other"].poll())

    def test_a_frame_that_is_missing_or_was_late_counts_as_lost(self):
        run = flight.Run()
        run.lines = [{"frame": 1}, {"frame": 2, "missed_deadline": True}, {"frame": 4}]
        self.assertEqual(run.lost(5), [2, 3, 5])


class Places(unittest.TestCase):
    def test_local_metres_are_those_of_wgs84_and_lead_back(self):
        metres = truth.LocalMetres(60.0, 10.0)
        east, north = metres.of(60.0, 10.0 + 1 / 60), metres.of(60.0 + 1 / 3600, 10.0)
        self.assertAlmostEqual(east[0], 930.0, delta=0.5)  # a minute of longitude at 60 degrees: 55.80 km for each degree
        self.assertAlmostEqual(north[1], 30.95, delta=0.02)  # a second of latitude there: 111.41 km for each degree
        self.assertAlmostEqual(metres.degrees(*metres.of(60.001, 10.002))[1], 10.002, delta=1e-12)

    def test_the_lane_in_is_on_the_right_of_who_drives_in(self):
        metres = truth.LocalMetres(48.0, 11.0)
        # An arm east of the ring: "in" is towards the west, the right of which is north.
        line = {"name": "east", "points": [metres.degrees(30, 6), metres.degrees(30, -6)]}
        arm = arms.Arm(line, metres)
        self.assertAlmostEqual(arm.inwards[0], -1.0, places=6)
        along, right = arm.seen_from((50.0, 2.0))
        self.assertAlmostEqual(along, -20.0, places=3)
        self.assertAlmostEqual(right, 2.0, places=3)
        opposite = arms.Arm({"name": "west", "points": [metres.degrees(-30, -6), metres.degrees(-30, 6)]}, metres)
        driving, waiting = [(50.0, 2.0), (40.0, 2.0)], [(-60.0, -2.0)] * 9
        self.assertEqual(arms.busiest([opposite, arm], [driving, waiting, [(70.0, -2.0)]]), (arm, -21))
        self.assertIsNone(arms.busiest([arm], [[(45.0, -2.0)]]))
        for there, back in zip(arm.place(*arm.seen_from((12.0, 34.0))), (12.0, 34.0)):
            self.assertAlmostEqual(there, back, places=6)

    def test_the_map_of_a_picture_is_found_and_a_slanting_view_has_none(self):
        def place(x, y):  # turned by 30 degrees, 0.1 m a pixel
            return 7 + 0.1 * (x * math.cos(0.5) - y * math.sin(0.5)), -3 - 0.1 * (x * math.sin(0.5) + y * math.cos(0.5))

        pixels = [(x, y) for x in range(0, 1900, 300) for y in range(0, 1000, 200)]
        fits = ground_map.picture_to_metres([(pixel, place(*pixel)) for pixel in pixels])
        for (a, b, c), axis in zip(fits, (0, 1)):
            self.assertAlmostEqual(a + b * 500 + c * 400, place(500, 400)[axis], places=6)
        slanting = [((x, y), (0.1 * x / (1 + y / 1000), 100 / (1 + y / 1000))) for x, y in pixels]
        self.assertIsNone(ground_map.picture_to_metres(slanting))
        self.assertIsNone(ground_map.picture_to_metres([]))

    def test_ticks_are_round_and_within(self):
        self.assertEqual(svg.ticks(0, 60, 8), [0, 10, 20, 30, 40, 50, 60])
        self.assertEqual(svg.ticks(-1, 1, 4), [-1.0, -0.5, 0.0, 0.5, 1.0])


if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    bad, skipped = len(outcome.failures) + len(outcome.errors), len(outcome.skipped)
    print(f"{max(0, outcome.testsRun - bad - skipped)} passed, {bad} failed, {skipped} skipped")
    sys.exit(1 if bad else 0)
