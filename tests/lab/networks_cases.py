"""What the bench of exported networks makes of its parts: cases of lab_test.py that need no lab."""
import contextlib
import io
import types
import unittest
from unittest import mock

import places  # noqa: F401  finds the benches' modules
import networks
from lab import exported, site


def planned(*nodes):
    return types.SimpleNamespace(told={"explained": {"nodes": [{"sent_bytes": sent, "received_bytes": received} for sent, received in nodes]}})


class PartsOfTheNetworksBench(unittest.TestCase):
    def test_the_bound_is_that_of_compute_or_of_the_busiest_way_of_a_port(self):
        self.assertAlmostEqual(exported.bound(8.0, planned((10, 20), (30, 40))), exported.NODES)
        second = int(exported.PORT_BYTES_S)
        self.assertAlmostEqual(exported.bound(8.0, planned((second, 4 * second), (2 * second, 0))), 2.0, places=4)

    def test_targets_follow_the_kind_of_network(self):
        self.assertEqual(exported.aim("unet", 12.0, 3.9), ("least", 2.0))
        self.assertIsNone(exported.aim("mobilenetv3", 0.2, 3.9))
        self.assertIsNone(exported.aim("segformer_b0", 8.4, 3.9))
        self.assertEqual(exported.aim("deit_small", 4.6, 3.0), ("least", 0.8 * 3.0))

    def test_chosen_networks_run_and_unknown_names_are_refused(self):
        with mock.patch.object(site, "call", return_value="unet 256\ncrnn 320\nespcn 224\n"):
            self.assertEqual(exported.networks(""), [("unet", 256), ("crnn", 320), ("espcn", 224)])
            self.assertEqual(exported.networks("crnn,espcn"), [("crnn", 320), ("espcn", 224)])
            with self.assertRaisesRegex(site.BenchError, "no network 'yolo12'"):
                exported.networks("unet,yolo12")

    def test_a_table_is_shown_and_the_object_behind_it_is_read(self):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            told = networks.last_object(["sh", "-c", "echo row; echo '{\"missed\": 1}'; exit 1"])
        self.assertEqual((shown.getvalue(), told), ("row\n", ({"missed": 1}, False)))
        with self.assertRaisesRegex(site.BenchError, "ended with 2: usage"):
            networks.last_object(["sh", "-c", "echo usage; exit 2"])

    def test_a_program_without_test_cases_has_passed_nothing(self):
        self.assertEqual(networks.cases_in("[doctest] test cases:  97 |  97 passed | 0 failed\n"), 97)
        self.assertEqual(networks.cases_in("killed"), 0)

    def test_parts_and_their_misspellings(self):
        self.assertEqual(site.chosen("lab,heads", networks.PARTS), ["lab", "heads"])
        with self.assertRaisesRegex(site.BenchError, "'head' is no part"):
            site.chosen("head", networks.PARTS)
