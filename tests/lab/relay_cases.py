"""Cases of the relay on loopback: bytes, delays, cuts and flipped bits. lab_test.py runs them."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import signal
import unittest

from places import PROGRAM, ROOT
from laboratory import relaying


class Relayed(unittest.TestCase):
    """The relay on loopback between a client and a server that keeps all bytes it receives."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)

    def relay(self, rules):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.plan = {"address": "127.0.0.1", "rules": rules, "ways": [
            {"from": 1, "to": 2, "port": self.port, "address": "127.0.0.1", "at": self.server.getsockname()[1]}]}
        self.file = self.folder / "relay.json"
        self.file.write_text(json.dumps(self.plan))
        self.process = subprocess.Popen([sys.executable, ROOT / "tools/laboratory/relay.py", self.file],
                                        stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def change(self, rules):
        self.file.write_text(json.dumps({**self.plan, "rules": rules}))
        self.process.send_signal(signal.SIGHUP)

    def connect(self):
        near = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        far, _ = self.server.accept()
        far.settimeout(20)
        for each in (near, far):
            self.addCleanup(each.close)
        return near, far

    @staticmethod
    def read(connection, count):
        got = b""
        while len(got) < count and (more := connection.recv(count - len(got))):
            got += more
        return got

    def test_bytes_pass_unchanged_both_ways_and_the_end_of_them_too(self):
        self.relay({})
        near, far = self.connect()
        data = os.urandom(3_000_000)
        sender = threading.Thread(target=lambda: (near.sendall(data), near.shutdown(socket.SHUT_WR)))
        sender.start()
        self.assertEqual(self.read(far, len(data) + 1), data)
        sender.join()
        far.sendall(b"back")
        self.assertEqual(self.read(near, 4), b"back")

    def test_a_delay_holds_for_its_direction_only(self):
        self.relay({"1:2": {"delay_ms": 300}})
        near, far = self.connect()
        begin = time.monotonic()
        far.sendall(b"b")
        self.read(near, 1)
        there = time.monotonic()
        near.sendall(b"a")
        self.read(far, 1)
        self.assertGreaterEqual(time.monotonic() - there, 0.3)
        self.assertLess(there - begin, 0.3)

    def test_what_is_held_arrives_once_it_is_not(self):
        self.relay({"1:2": {"hold": True}})
        near, far = self.connect()
        near.sendall(b"late")
        far.sendall(b"now")
        self.assertEqual(self.read(near, 3), b"now")
        far.setblocking(False)
        with self.assertRaises(BlockingIOError):
            far.recv(1)
        far.setblocking(True)
        self.change({})
        self.assertEqual(self.read(far, 4), b"late")

    def test_a_cut_ends_connections_and_lets_none_begin(self):
        self.relay({})
        near, _ = self.connect()
        near.sendall(b"x")
        self.change({"2:1": {"cut": True}})
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(near.recv(1), b"")
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as refused:
            with contextlib.suppress(ConnectionResetError):
                self.assertEqual(refused.recv(1), b"")

    def test_about_as_many_bits_are_flipped_as_was_said(self):
        self.relay({"1:2": {"flip_every": 100_000}})
        near, far = self.connect()
        data = bytes(4_000_000)
        sender = threading.Thread(target=lambda: (near.sendall(data), near.shutdown(socket.SHUT_WR)))
        sender.start()
        got = self.read(far, len(data) + 1)
        sender.join()
        self.assertEqual(len(got), len(data))
        flipped = sum(bin(byte).count("1") for byte in got)
        self.assertTrue(15 <= flipped <= 80, flipped)  # 40 expected

    def test_a_cluster_file_behind_the_relay_finds_every_other_node_there(self):
        cluster = {"network": {"kind": "switched", "mbps": 50.0, "delay_ms": 0.0}, "nodes": [
            {"id": i, "name": f"n{i}", "address": f"10.0.0.{10 + i}", "port": 7000, "gflops": 4.0, "cores": 1, "link_mbps": 50.0,
             "memory_bytes": 1 << 20, "pace": True, "cpus": 0.0} for i in range(3)]}
        seen = relaying.seen_by(cluster, cluster["nodes"][1])
        ports = {node["id"]: node["port"] for node in seen["nodes"] if node["address"] == "10.0.0.1"}
        self.assertEqual(sorted(ports), [0, 2])
        ways = {way["port"]: (way["from"], way["to"], way["address"]) for way in relaying.ways(cluster)}
        self.assertEqual(ways[ports[2]], (1, 2, "10.0.0.12"))
        if PROGRAM.exists():
            path = self.folder / "seen.toml"
            path.write_text(relaying.to_toml(seen))
            done = subprocess.run([PROGRAM, "cluster", path, "--json"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["nodes"][2]["port"], ports[2])
