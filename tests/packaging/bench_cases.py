"""What tools/bench package makes of what programs print: cases of packaging_test.py that run no program."""
import contextlib
import importlib
import importlib.util
import io
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import package  # noqa: E402
from lab import parts, site  # noqa: E402
from package_parts import bare, boxes, cost, debs, frigate_times, lifecycle, lintian, packages, sanitized, systemd, v2  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
from emulation import comparing, rooms  # noqa: E402


class WhatProgramsPrint(unittest.TestCase):
    def test_only_lintians_errors_are_errors(self):
        said = ("E: shingle: embedded-library usr/bin/shingle: libfoo\nW: libshingle0: no-manual-page usr/bin/x\n"
                "N: 3 hints overridden\nE: shingle source: bad-distribution-in-changes-file unstable\nI: shingle: spelling-error-in-binary\n")
        tags = lintian.tags_of(said)
        self.assertEqual([tag[:3] for tag in tags if tag[0] == "E"],
                         [("E", "shingle", "embedded-library"), ("E", "shingle", "bad-distribution-in-changes-file")])
        self.assertEqual(len(tags), 4)
        self.assertEqual(lintian.tags_of(""), [])

    def test_a_services_score_is_the_overall_one(self):
        said = "✗ PrivateNetwork=  0.5\n\n→ Overall exposure level for shingle-node.service: 1.4 OK 🙂\n"
        self.assertEqual(systemd.score_of(said), 1.4)
        self.assertIsNone(systemd.score_of("Failed to load unit"))

    def test_the_checks_of_a_clean_root_are_counted(self):
        said = "        shingle-node with all that it needs: 17 MB installed\nok      a\nFAILED  the node starts\nok      b\n"
        self.assertEqual(lifecycle.checks_of(said), (2, ["the node starts"], 17))
        self.assertEqual(lifecycle.checks_of("E: no network"), (0, [], None))

    def test_a_test_program_that_ends_before_its_summary_has_no_counts(self):
        said = "[doctest] test cases:   54 |   53 passed |  1 failed | 7 skipped\n"
        self.assertEqual(rooms.counts_of(said), (53, 1))
        self.assertIsNone(rooms.counts_of("qemu: uncaught target signal 11"))

    def test_digests_and_the_arithmetic_class_are_read(self):
        said = ("x.cpp:118: MESSAGE: digest native/0a1b2c\n\nx.cpp:118: MESSAGE: digest xnnpack/3d4e\nx.cpp:120: MESSAGE: class fma/1\n")
        self.assertEqual(comparing.bits_of(said), {"digest native": "0a1b2c", "digest xnnpack": "3d4e", "class": "fma/1"})
        self.assertEqual(comparing.bits_of("qemu: uncaught target signal 11"), {})

    def test_names_of_left_out_tests_are_escaped_for_doctest(self):
        word = next(each for each in rooms.test_words("devices") if each.startswith("--test-case-exclude="))
        self.assertIn(r"computes\, wherever that goes", word)
        self.assertFalse(any(each.startswith("--test-case-exclude=") for each in rooms.test_words("partition")))

    def test_every_left_out_test_is_there(self):
        for room, names in rooms.LEFT_OUT.items():
            sources = "".join(path.read_text() for path in (ROOT / "tests" / room).rglob("*_test.cpp"))
            for name in names:
                self.assertIn(f'TEST_CASE("{name}"', sources)

    def test_counts_of_all_rooms_are_added_and_a_crashed_room_is_one_failure(self):
        class Tree:
            log = types.SimpleNamespace(name="tree.log")

            def emulate(self, program, *_):
                if program == "tests/sim_tests":
                    return "qemu: uncaught target signal 11", 139
                return "[doctest] test cases:   9 |   7 passed |  2 failed | 0 skipped\n", 1

        lines = []
        others = len(rooms.ROOMS) - 1
        self.assertEqual(rooms.test(Tree(), lines.append), (7 * others, 2 * others + 1))
        self.assertIn("139", next(line for line in lines if line.startswith("sim: ")))

    def test_resident_memory_is_read_in_bytes(self):
        self.assertEqual(bare.resident_bytes("VmHWM:\t  9000 kB\nVmRSS:\t   16224 kB\nRssAnon:\t 1 kB\n"), 16224 * 1024)


class Made(unittest.TestCase):
    """What tools/bench package says of packages in build/packages*: here of files with the head of a package and nothing else."""
    HEAD = 1_700_000_000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for release in packages.RELEASES:
            (self.folder / release).mkdir()
            for architecture in packages.ARCHITECTURES:
                for name in packages.NAMES:
                    self.make(release, architecture, name, self.HEAD)
        for name, stand_in in (("folder", lambda release, name="packages": self.folder / release), ("head_time", lambda: self.HEAD),
                               ("here", lambda: "amd64")):
            replaced = mock.patch.object(packages, name, stand_in)
            replaced.start()
            self.addCleanup(replaced.stop)

    def path(self, release, architecture, name):
        return self.folder / release / f"{name}_0.1.0_{architecture}.deb"

    def make(self, release, architecture, name, time):
        self.path(release, architecture, name).write_bytes(b"!<arch>\n" + b"debian-binary   %-12d" % time + b" " * 40)

    def found(self):
        said = []
        return debs.run(None, said.append), "\n".join(said)

    def test_all_packages_of_head_are_complete(self):
        found, said = self.found()
        self.assertIs(found["debs_complete"], True)
        self.assertEqual(found["debs"], {release: {"amd64": 6, "arm64": 6} for release in packages.RELEASES})
        self.assertNotIn("commit", said)

    def test_a_package_that_is_missing_is_named(self):
        self.path("trixie", "arm64", "libshingle0").unlink()
        found, said = self.found()
        self.assertIs(found["debs_complete"], False)
        self.assertIn("trixie arm64: libshingle0 missing", said)

    def test_an_architecture_without_packages_is_missed(self):
        for name in packages.NAMES:
            self.path("bookworm", "arm64", name).unlink()
        found, said = self.found()
        self.assertIs(found["debs_complete"], False)
        self.assertIn("bookworm arm64: none", said)

    def test_packages_of_another_commit_are_missed(self):
        self.make("bookworm", "amd64", "shingle", self.HEAD - 1)
        found, said = self.found()
        self.assertIs(found["debs_complete"], False)
        self.assertIn("bookworm amd64: 1 of 6 packages are of another commit than HEAD", said)

    def test_no_packages_at_all_are_no_figure(self):
        for release in packages.RELEASES:
            for path in (self.folder / release).iterdir():
                path.unlink()
        with self.assertRaisesRegex(site.BenchError, "there are no packages"):
            self.found()


class Boxes(unittest.TestCase):
    PRINTED = {"class": 2, "name": "car", "score": 0.8124, "x": 10.25, "y": 20.5, "w": 30.0, "h": 40.0}
    BOX = [10.2512, 20.4988, 40.2501, 60.5, 0.81243, 2]

    def frame(self, box=None, printed=None):
        return {"boxes": [box or self.BOX], "findings": {"frame": 0, "boxes": [printed or self.PRINTED]}}

    def differing(self, frame):
        return boxes.differing([[self.PRINTED]], [frame], 768, 432)

    def test_boxes_that_are_printed_alike_are_equal(self):
        self.assertEqual(self.differing(self.frame()), [])

    def test_another_place_score_class_number_or_text_is_a_difference(self):
        for place, value in ((0, 10.27), (3, 60.52), (4, 0.8126), (5, 3)):
            box = list(self.BOX)
            box[place] = value
            self.assertEqual(self.differing(self.frame(box)), [0], place)
        self.assertEqual(self.differing({**self.frame(), "boxes": []}), [0])
        self.assertEqual(self.differing(self.frame(printed={**self.PRINTED, "x": 10.26})), [0])

    def test_what_lies_outside_of_the_picture_does_not_count(self):
        printed = {**self.PRINTED, "x": -5.0, "w": 45.25}
        box = [0.0, *self.BOX[1:]]
        self.assertEqual(boxes.differing([[printed]], [self.frame(box, printed)], 768, 432), [])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "skipped: no NumPy; tools/deps installs it")
    def test_frigate_gets_the_best_twenty_in_shares_of_the_sides(self):
        many = [[0, 0, 208, 104, score / 100, 1] for score in range(30)]
        rows = boxes.frigate_rows(many, 416, 416)
        self.assertEqual(rows.shape, (20, 6))
        self.assertEqual([round(float(row[1]), 2) for row in rows[:2]], [0.29, 0.28])
        self.assertEqual(list(rows[0][2:]), [0, 0, 0.25, 0.5])
        self.assertFalse(boxes.frigate_rows([], 416, 416).any())


class Figures(unittest.TestCase):
    def test_a_percentile_is_one_of_the_values(self):
        self.assertEqual(frigate_times.percentile(range(1, 101), 0.99), 99)
        self.assertEqual(frigate_times.percentile([5.0], 0.99), 5.0)
        self.assertEqual(frigate_times.percentile([3, 1, 2], 0.5), 2)

    def test_the_cost_of_a_client_is_the_median_of_its_pairs(self):
        self.assertAlmostEqual(cost.extra_of([(1.01, 1.0), (2.0, 1.0), (0.5, 1.0)]), 0.01)

    def test_binary_tensors_follow_the_json(self):
        head, tail = v2.infer_body({"name": "images", "datatype": "FP32", "shape": [1, 1]}, b"abcd")
        self.assertIn(b'"binary_data_size": 4', head)
        self.assertEqual(tail, b"abcd")
        json = b'{"outputs":[{"name":"a","parameters":{"binary_data_size":2}},{"name":"b","parameters":{"binary_data_size":1}}]}'
        self.assertEqual(v2.outputs_of(json + b"xyz", len(json)), {"a": b"xy", "b": b"z"})

    def test_a_sanitized_program_is_clean_if_every_test_ran_and_nothing_was_reported(self):
        said = "[doctest] test cases:  2 |  2 passed | 0 failed | 39 skipped\n"
        self.assertTrue(sanitized.is_clean(said, 0, ["one", "two"]))
        self.assertFalse(sanitized.is_clean(said, 0, ["one", "two", "a name that no test has"]))
        self.assertFalse(sanitized.is_clean(said.replace("0 failed", "1 failed"), 1, ["one", "two"]))
        self.assertFalse(sanitized.is_clean("ERROR: LeakSanitizer: detected memory leaks\n" + said, 0, ["one", "two"]))
        self.assertFalse(sanitized.is_clean("", 0, []))

    def test_every_part_of_the_bench_is_a_module(self):
        for name in package.PARTS:
            self.assertTrue(callable(importlib.import_module(f"package_parts.{name}").run), name)

    def test_a_null_and_a_client_that_differs_are_missed(self):
        bench = parts.Bench("package", {"clients": {"same": ("each", True), "size": ("most", 3)}})
        for found, status in (({"same": {"c": True}, "size": 3}, 0), ({"same": {"c": True, "v2": None}, "size": 3}, 1),
                              ({"same": {"c": False}, "size": 3}, 1), ({"same": None, "size": 3}, 1), ({"same": {"c": True}, "size": 4}, 1)):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(bench.conclude(found, 1.0, False), status, found)

    def test_parts_are_asked_for_by_name_or_key(self):
        bench = parts.Bench("package", package.PARTS)
        self.assertEqual(bench.asked("client_cost,systemd"), ["systemd", "cost"])
        self.assertEqual(bench.asked(""), list(package.PARTS))
        with self.assertRaisesRegex(site.BenchError, "no part or key 'cots'"):
            bench.asked("cots")
