"""`tools/lab check`: what it reads, refuses and counts, and one experiment that real programs run."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from places import LAB, MAKE_NETWORK
from laboratory import checking
from laboratory import experiment as experiments
from laboratory.shell import LabError
from laboratory.together import Frame

HEAD = 'duration = "6 s"\nwarm_up = "1 s"\n[policy]\nreplan = false\n'
NODES = "".join(f"[[node]]\nid = {node}\ngflops = 2.0\npace = true\n" for node in (1, 2, 3))
MODEL = '[[model]]\nfile = "net.onnx"\n'
SOURCE = '[[source]]\nowner = {}\narrivals = "back_to_back"\nopen_frames = 1\n'


def experiment(duration_s=10.0, warm_up_s=2.0, faults=()):
    return experiments.Experiment(pathlib.Path("x"), "", [], list(faults), duration_s, warm_up_s, False, 0.0)


class Checks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def written(self, text):
        path = self.folder / "try.toml"
        path.write_text(text)
        return path

    def refusal(self, text):
        with self.assertRaises(LabError) as refused:
            experiments.read(self.written(text))
        return str(refused.exception)

    def test_each_node_without_an_address_gets_one_of_its_own(self):
        read = experiments.read(self.written(HEAD + NODES + MODEL + SOURCE.format(2)))
        self.assertEqual(read.cluster.count('address = "10.78.0.1'), 3)
        self.assertEqual(read.sources[0].owner, 2)
        self.assertEqual((read.duration_s, read.warm_up_s, read.replans), (6.0, 1.0, False))

    def test_what_the_lab_has_not_is_refused_with_its_name(self):
        whole = HEAD + NODES + MODEL
        self.assertIn("Wi-Fi", self.refusal(whole + SOURCE.format(1) + '[[cell]]\nname = "air"\n'))
        self.assertIn("'board'", self.refusal(HEAD + NODES.replace("pace = true", 'board = "pi4"', 1) + MODEL + SOURCE.format(1)))
        self.assertIn("back_to_back", self.refusal(whole + '[[source]]\nowner = 1\nrate = "2 /s"\n'))
        self.assertIn("weights", self.refusal(HEAD + NODES + '[[model]]\ninput = "8x8x3"\nlayers = ["conv1:8"]\n' + SOURCE.format(1)))
        self.assertIn("'clog'", self.refusal(whole + SOURCE.format(1) + '[[fault]]\nat = "1 s"\nkind = "clog"\nnode = 1\nother = 2\n'))
        self.assertIn("flow", self.refusal(whole + SOURCE.format(1) + '[[flow]]\nfrom = 1\nto = 2\nbytes = "1 MB"\n'))

    def test_a_file_that_is_no_experiment_is_refused_in_one_sentence(self):
        self.assertIn("try.toml", self.refusal("duration = "))
        self.assertIn("try.toml", self.refusal(NODES))

    def test_frames_count_from_the_end_of_the_warm_up_to_the_end(self):
        frames = [Frame(captured, 0.5) for captured in (1.5, 2.0, 3.0, 4.0, 5.0, 9.4, 9.6)]
        found = checking.figures_of(frames, experiment())
        self.assertEqual(found.frames, 5)
        self.assertAlmostEqual(found.latency_ms, 500.0)
        self.assertAlmostEqual(found.frames_per_second, 4 / 7.4)

    def test_a_latency_is_the_mean_frames_and_the_median_stands_beside_it(self):
        frames = [Frame(2.0 + number, 0.1) for number in range(6)] + [Frame(8.0, 0.8)]
        found = checking.figures_of(frames, experiment())
        self.assertAlmostEqual(found.latency_ms, 200.0)
        self.assertAlmostEqual(found.median_ms, 100.0)

    def test_an_error_is_a_share_of_what_was_measured(self):
        predicted = checking.Prediction([checking.Figures(110.0, 4.5, 9, 60.0)], [{}], "", [])
        rows = checking.compare(predicted, [[checking.Figures(90.0, 5.0, 9, 50.0)], [checking.Figures(110.0, 5.0, 9, 50.0)]])
        self.assertAlmostEqual(rows[0]["error"], 0.10)
        self.assertAlmostEqual(rows[0]["spread"], 0.20)
        self.assertAlmostEqual(rows[0]["median_error"], 0.20)
        self.assertAlmostEqual(rows[1]["error"], 0.10)

    def test_two_owners_at_once_are_predicted_and_measured_and_nothing_is_left(self):
        if os.geteuid() != 0 or not MAKE_NETWORK.exists():
            self.skipTest("the lab needs root and the built programs")
        subprocess.run([MAKE_NETWORK, "yolov2_front", self.folder / "net.onnx", "--size", "96"], check=True, capture_output=True)
        path = self.written(HEAD + "[network]\nmbps = 30.0\n" + NODES + MODEL + SOURCE.format(1) + SOURCE.format(3))
        name = f"test{os.getpid()}check"
        done = subprocess.run([LAB, "check", path, "--json", "--repeat", "1", "--name", name], capture_output=True, text=True, timeout=120, check=False)
        self.assertTrue(done.stdout, done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual([(row["source"], row["quantity"]) for row in found["rows"]],
                         [(1, "latency_ms"), (1, "frames_per_second"), (2, "latency_ms"), (2, "frames_per_second")])
        self.assertIn(found["hash"], done.stderr)
        self.assertEqual(done.returncode, int(found["worst"] > found["limit"] or found["overruns"] > checking.MOST_OVERRUNS))
        self.assertLess(found["worst"], 0.5, done.stderr)  # this machine may be busy; the bench has the limits
        spaces = subprocess.check_output(["ip", "netns", "list"], text=True)
        self.assertNotIn(name, spaces)
