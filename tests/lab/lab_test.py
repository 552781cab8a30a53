#!/usr/bin/python3
"""The promises of the lab: real namespaces, real wires, real control groups, and nothing is left afterwards.

Traffic stays inside the namespaces that a lab made; the relay, which needs none, is tested on loopback.
Ends with "N passed, N failed, N skipped". Usage: lab_test.py [unittest's names of tests]"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from chaos_cases import DrawnFaults, JudgedStreams  # noqa: F401
from checking_cases import Checks  # noqa: F401
from drone_cases import ClassesOfTheDroneBench, CountsOfTheDroneBench, PairsOfTheDroneBench, SlicesOfTheDroneBench  # noqa: F401
from drone_flight_cases import FlightsOfTheDroneBench  # noqa: F401
from figures_cases import FiguresOfRuns  # noqa: F401
from networks_cases import PartsOfTheNetworksBench  # noqa: F401
from places import LAB, MAKE_NETWORK, PROGRAM, ROOT
from programs_cases import WhatProgramsTake  # noqa: F401
from relay_cases import Relayed  # noqa: F401  its cases run with these
from laboratory import limits
from lab import ftp, site

NAME = f"test{os.getpid()}"


# 200 kB to the first address, then one packet to each; prints when these were sent.
BURST = """
import socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(200):
    out.sendto(bytes(1000), (sys.argv[1], 9000))
print(time.monotonic())
for address in sys.argv[1:]:
    out.sendto(b"last", (address, 9000))
"""
LAST_PACKET = """
import socket, time
port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
port.bind(("", 9000))
port.settimeout(20)
print("ready", flush=True)
while port.recv(2000) != b"last":
    pass
print(time.monotonic())
"""


def why_not_here():
    if os.geteuid() != 0:
        return "the lab needs root"
    if not shutil.which("ip") or not shutil.which("nft"):
        return "iproute2 or nftables is not installed"
    if not PROGRAM.exists():
        return f"{PROGRAM} is not built"
    probe = f"slab-{NAME}-probe"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode != 0:
        return "network namespaces cannot be made here"
    subprocess.run(["ip", "netns", "delete", probe], check=True)
    return None


def lab(*words, timeout=120):
    return subprocess.run([LAB, *map(str, words)], capture_output=True, text=True, timeout=timeout, check=False)


def left_over():
    """Everything that a lab with this test's name may have left behind."""
    spaces = [line.split()[0] for line in subprocess.check_output(["ip", "netns", "list"], text=True).splitlines()]
    return ([space for space in spaces if space.startswith(f"slab-{NAME}-")] + limits.left(f"shingle-lab-{NAME}-")
            + [str(path) for path in [pathlib.Path("/run/shingle-lab") / NAME] if path.exists()])


def cluster_text(nodes=2, network='mbps = 50.0', more=""):
    boards = (ftp.BOARD.format(id=i, last=10 + i) + more + "\n" for i in range(nodes))
    return f"[network]\n{network}\n" + "".join(boards)


class InALab(unittest.TestCase):
    def setUp(self):
        reason = why_not_here()
        if reason:
            self.skipTest(reason)
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(lab, "down", NAME)

    def cluster(self, **words):
        path = self.folder / "cluster.toml"
        path.write_text(cluster_text(**words))
        return path

    def up(self, *options, **words):
        done = lab("up", self.cluster(**words), "--name", NAME, *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def best_mbps(self, way, least, tries=8):
        """The best of a few tries counts: on a loaded machine timers are late, which makes a wire slower and never faster."""
        best = 0.0
        for _ in range(tries):
            done = lab("measure", way, "--name", NAME, "--seconds", 2)
            self.assertEqual(done.returncode, 0, done.stderr)
            best = max(best, json.loads(done.stdout)["mbps"])
            if best >= least:
                break
        return best

    def test_a_port_of_50_carries_between_45_and_48_each_way_and_down_leaves_nothing(self):
        self.up()
        for way in ("0:1", "1:0"):
            mbps = self.best_mbps(way, 45.0)
            self.assertGreaterEqual(mbps, 45.0, way)
            self.assertLessEqual(mbps, 48.0, way)
        self.assertEqual(lab("down", NAME).returncode, 0)
        self.assertEqual(left_over(), [])

    def test_a_shared_medium_is_one_budget_for_all_and_each_packet_takes_it_once(self):
        self.up(nodes=4, network='kind = "shared"\nmbps = 12.5')
        alone = self.best_mbps("0:1", 11.3)
        self.assertTrue(11.3 <= alone <= 12.5, alone)
        pairs = [subprocess.Popen([LAB, "measure", way, "--name", NAME, "--seconds", "6"], stdout=subprocess.PIPE, text=True)
                 for way in ("0:1", "2:3")]
        both = [json.loads(each.communicate(timeout=90)[0])["mbps"] for each in pairs]
        # They may begin and end at different times, so each may be alone on the wire for a while.
        self.assertLess(sum(both), 12.5 * 1.45, both)

    def test_packets_dropped_one_way_do_not_arrive_until_it_is_healed(self):
        self.up(nodes=3)
        self.assertEqual(lab("drop", "0:1", "--name", NAME).returncode, 0)
        ping = ["ping", "-c", "1", "-W", "1"] if shutil.which("ping") else None
        self.assertNotEqual(lab("measure", "0:1", "--name", NAME, "--seconds", 1).returncode, 0)
        self.assertEqual(lab("measure", "0:2", "--name", NAME, "--seconds", 1).returncode, 0)
        if ping:
            self.assertNotEqual(lab("exec", "--name", NAME, 0, *ping, "10.77.0.11").returncode, 0)
        self.assertEqual(lab("heal", "--name", NAME).returncode, 0)
        self.assertEqual(lab("measure", "0:1", "--name", NAME, "--seconds", 1).returncode, 0)

    def test_one_way_of_a_port_may_have_a_lower_rate_and_the_others_keep_theirs(self):
        self.up(nodes=3)
        self.assertEqual(lab("rate", "0:1", 10, "--name", NAME).returncode, 0)
        self.assertLess(self.best_mbps("0:1", 9.0), 10.0)
        self.assertGreater(self.best_mbps("0:2", 45.0), 45.0)
        self.assertGreater(self.best_mbps("1:0", 45.0), 45.0)
        self.assertEqual(lab("rate", "0:1", 0, "--name", NAME).returncode, 0)
        self.assertGreater(self.best_mbps("0:1", 45.0), 45.0)

    def test_what_goes_to_one_host_does_not_wait_for_what_lies_before_it_for_another(self):
        self.up(nodes=3)
        receivers = {node: subprocess.Popen([LAB, "exec", "--name", NAME, str(node), sys.executable, "-c", LAST_PACKET],
                                            stdout=subprocess.PIPE, text=True) for node in (1, 2)}
        for receiver in receivers.values():
            self.assertEqual(receiver.stdout.readline(), "ready\n")
        sent = lab("exec", "--name", NAME, 0, sys.executable, "-c", BURST, "10.77.0.11", "10.77.0.12")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        took = {node: json.loads(receiver.communicate(timeout=30)[0]) - json.loads(sent.stdout) for node, receiver in receivers.items()}
        self.assertGreater(took[1], 0.005, took)  # behind what is left of 200 kB
        self.assertLess(took[2], took[1] / 2, took)

    def test_a_way_that_loses_packets_carries_less_until_it_is_healed(self):
        self.up()
        self.assertEqual(lab("loss", "0:1", 20, "--name", NAME).returncode, 0)
        measured = lab("measure", "0:1", "--name", NAME, "--seconds", 2)
        self.assertTrue(measured.returncode != 0 or json.loads(measured.stdout)["mbps"] < 20.0, measured.stdout)
        self.assertEqual(lab("heal", "--name", NAME).returncode, 0)
        self.assertGreater(self.best_mbps("0:1", 45.0), 45.0)

    def test_a_nodes_memory_limit_ends_what_takes_more(self):
        self.up(more='memory = "64 MiB"')
        take = "import sys; held = bytearray(int(sys.argv[1]) << 20); print(len(held))"
        self.assertEqual(lab("exec", "--name", NAME, 0, sys.executable, "-c", take, 20).returncode, 0)
        self.assertNotEqual(lab("exec", "--name", NAME, 0, sys.executable, "-c", take, 200).returncode, 0)
        self.assertEqual(limits.left(f"shingle-lab-{NAME}-"), [])

    def test_a_core_quota_slows_a_node(self):
        self.up_with_quota()
        burn = ("import time\nend = time.process_time() + 0.3\nbegin = time.monotonic()\n"
                "while time.process_time() < end: pass\nprint(time.monotonic() - begin)")
        took = float(lab("exec", "--name", NAME, 0, sys.executable, "-c", burn).stdout)
        self.assertGreater(took, 0.3 / 0.2 * 0.8)

    def up_with_quota(self):
        path = self.cluster(more="cpus = 0.2")
        path.write_text(path.read_text().replace("pace = true", "pace = false"))
        done = lab("up", path, "--name", NAME)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_killed_at_any_moment_it_can_be_cleaned_up(self):
        path = self.cluster(nodes=6)
        for spaces in (1, 2, 4, 6):
            with self.subTest(namespaces=spaces):
                up = subprocess.Popen([LAB, "up", path, "--name", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.wait_for_namespaces(spaces, up)
                up.send_signal(signal.SIGKILL)
                up.wait()
                self.assertNotEqual(left_over(), [])
                done = lab("down", NAME)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(left_over(), [])

    def wait_for_namespaces(self, count, up):
        while up.poll() is None and len([left for left in left_over() if str(left).startswith("slab-")]) < count:
            pass

    def test_a_killed_command_leaves_processes_that_down_ends(self):
        self.up(more='memory = "64 MiB"')
        held = subprocess.Popen([LAB, "exec", "--name", NAME, "0", "sleep", "1000"])
        while not limits.processes(limits.left(f"shingle-lab-{NAME}-")):
            pass
        held.kill()
        held.wait()
        self.assertEqual(lab("down", NAME).returncode, 0)
        self.assertEqual(left_over(), [])

    def test_bad_usage_is_one_sentence(self):
        self.up()
        cases = [(["up", self.folder / "cluster.toml", "--name", NAME], "is up already"),
                 (["measure", "0:7", "--name", NAME], "no node 7"), (["measure", "0", "--name", NAME], "FROM:TO"),
                 (["drop", "1:1", "--name", NAME], "no wire is between"), (["cut", "0:1", "--name", NAME], "--relay"),
                 (["loss", "0:1", "60", "--name", NAME], "at most 50 %"), (["rate", "0:1", "70", "--name", NAME], "0.01 to 50"),
                 (["exec", "--name", NAME, "0"], "needs a command"), (["slow", "--name", NAME, "0", "0.5"], "1 to 1000 times"),
                 (["slow", "--name", NAME, "7", "2"], "no node 7"), (["down", "no-name"], "no name for a lab"),
                 (["up", ROOT / "devices/clusters/four_local.toml"], "loopback"), (["up", "/nowhere.toml"], "/nowhere.toml")]
        for words, expected in cases:
            with self.subTest(words=words):
                done = lab(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(expected, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_without_root_it_says_so(self):
        may_read = [f"--{kind}-caps=+dac_read_search" for kind in ("inh", "ambient")]  # the checkout may lie in a private folder
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", *may_read, sys.executable, LAB, "status"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("must run as root", done.stderr)

    def test_a_model_runs_across_the_namespaces_bit_for_bit(self):
        self.run_a_model()

    def test_and_through_a_relay_that_delays(self):
        self.run_a_model("--relay", network="mbps = 50.0\ndelay_ms = 2")

    def run_a_model(self, *options, **words):
        if not MAKE_NETWORK.exists():
            self.skipTest("make-network is not built")
        model, image = self.folder / "tiny.onnx", self.folder / "image.ppm"
        subprocess.run([MAKE_NETWORK, "tiny", model, "--size", "64"], check=True, stdout=subprocess.DEVNULL)
        image.write_bytes(b"P6 64 64 255\n" + bytes(range(256)) * 48)
        self.up(*options, nodes=3, **words)
        done = lab("run", "--name", NAME, model, image, "--json", "--verify", timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(next(line for line in lines if "identical" in line)["identical"])
        self.assertEqual(len(lines[-1]["lab_nodes"]), 2)
        self.assertFalse([node for node in lines[-1]["lab_nodes"] if "failed" in node])


    def test_deepthings_scheme_runs_across_the_namespaces_bit_for_bit(self):
        if not MAKE_NETWORK.exists() or not ftp.PROGRAM.exists():
            self.skipTest("make-network or bench-ftp is not built")
        model = self.folder / "front.onnx"
        subprocess.run([MAKE_NETWORK, "yolov2_front", model, "--size", "96"], check=True, stdout=subprocess.DEVNULL)
        self.up(nodes=4)
        up = site.Lab(self.folder / "cluster.toml")
        up.name = NAME
        ran = ftp.run(up, model, nodes=3, frames=2, scheme="ftp:3x3:16+reuse")
        self.assertEqual(ran.outputs, ftp.alone(model, 2))
        self.assertEqual(ran.paced_tiles, 2 * 9)

    def network(self, name, size):
        if not MAKE_NETWORK.exists():
            self.skipTest("make-network is not built")
        path = self.folder / f"{name}.onnx"
        subprocess.run([MAKE_NETWORK, name, path, "--size", str(size)], check=True, stdout=subprocess.DEVNULL)
        return path

    def pictures(self, side, count):
        folder = self.folder / f"pictures{side}"
        folder.mkdir()
        for number in range(count):
            (folder / f"{number:03}.ppm").write_bytes(b"P6 %d %d 255\n" % (side, side) + bytes((number + i * i) % 251 for i in range(side)) * side * 3)
        return folder

    def test_a_node_slowed_in_mid_run_is_planned_around_bit_for_bit(self):
        model, pictures = self.network("yolov2_front", 112), self.pictures(112, 240)
        self.up(nodes=3)
        words = [LAB, "run", "--name", NAME, model, pictures, "--json", "--head", "raw", "--goal", "throughput", "--verify"]
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            lines = []
            for line in run.stdout:
                lines.append(json.loads(line))
                if len(lines) == 20:
                    self.assertEqual(lab("slow", "--name", NAME, 1, 5).returncode, 0)
        self.assertEqual(run.returncode, 0)
        summary = next(line for line in lines if "new_plans" in line)
        self.assertTrue(summary["identical"])
        self.assertGreaterEqual(summary["new_plans"], 1)

    def test_two_owners_with_two_models_share_nodes_and_each_is_exact(self):
        models = [self.network("yolov3_tiny", 96), self.network("unet", 48)]
        pictures = self.pictures(96, 6)
        self.up(nodes=4)
        common = ["--cluster", self.folder / "cluster.toml", "--insecure", "--patience", 20]

        def begin(node, *words):
            command = [LAB, "exec", "--name", NAME, node, PROGRAM, *words, *common, "--id", node]
            return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        homes = [begin(node, "node", "--models", self.folder) for node in (0, 1)]
        owners = []
        for node, model in zip((2, 3), models):
            plan = self.folder / f"{node}.plan"
            subprocess.run([PROGRAM, "plan", model, "--nodes", "2", "--grid", "2x2", "--head", "raw", "--out", plan], check=True, capture_output=True)
            owners.append(begin(node, "run", model, pictures, "--plan", plan, "--head", "raw", "--json", "--verify"))
        for owner in owners:
            told, _ = owner.communicate(timeout=200)
            self.assertEqual(owner.returncode, 0)
            summary = json.loads(told.splitlines()[-1])
            self.assertTrue(summary["identical"])
            self.assertEqual(summary["frames"], 6)
        self.assertEqual(lab("down", NAME).returncode, 0)
        for home in homes:
            home.communicate(timeout=60)


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.write(f"\nskipped: {test._testMethodName}: {reason}\n")


if __name__ == "__main__":
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    outcome = unittest.main(testRunner=runner, exit=False).result
    bad, skipped = len(outcome.failures) + len(outcome.errors), len(outcome.skipped)
    print(f"{max(0, outcome.testsRun - bad - skipped)} passed, {bad} failed, {skipped} skipped")
    sys.exit(1 if bad else 0)
