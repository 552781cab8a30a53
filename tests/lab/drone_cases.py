"""What the bench of shingle-drone makes of counts, classes and speeds: cases of lab_test.py that need no lab."""
import pathlib
import tempfile
import types
import unittest
from unittest import mock

import places  # noqa: F401  finds the benches' modules
import drone
from drone_parts import counts, matched, road, scenes, slices

MET = {"mota": 0.9, "idf1": 0.95, "hota": 0.8, "speed_err": 0.01, "class_accuracy": 0.95}


def pair(found, true):
    return {"class": found}, {"class": true}


class CountsOfTheDroneBench(unittest.TestCase):
    def test_an_error_is_a_share_of_what_was_true(self):
        true = {("east", "in"): 6, ("east", "out"): 4}
        self.assertEqual(counts.error(true, true), 0.0)
        self.assertAlmostEqual(counts.error({("east", "in"): 5, ("east", "out"): 4}, true), 0.1)

    def test_a_vehicle_on_a_wrong_way_counts_twice_also_where_nobody_truly_was(self):
        true = {("east", "west"): 4}
        self.assertAlmostEqual(counts.error({("east", "west"): 3, ("east", "north"): 1}, true), 0.5)

    def test_without_a_true_vehicle_there_is_no_error(self):
        self.assertIsNone(counts.error({("east", "in"): 1}, {("east", "in"): 0}))

    def test_truth_and_counts_come_to_the_same_form(self):
        true = counts.true_counts({"lines": [{"name": "east", "in": {"all": 2, "car": 2}, "out": {"all": 1, "car": 1}}],
                                   "turns": [{"from": "east", "to": "west", "vehicles": 2}]})
        found = counts.found_counts({"lines": [{"name": "east", "directions": {"in": {"vehicles": 2}, "out": {"vehicles": 1}}}],
                                     "turns": {"gates": ["east", "west"], "matrix": [[0, 2], [0, 0]]}})
        self.assertEqual([counts.wrong(*each) for each in zip(found, true)], [[], []])

    def test_the_worse_error_is_the_figure_and_what_differs_is_said(self):
        told = []
        shares = [counts.told_error("lines", {("east", "in"): 1}, {("east", "in"): 2}, told.append),
                  counts.told_error("turns", {}, {}, told.append)]
        self.assertEqual(shares, [0.5, None])
        self.assertIn("    east in: 1 found, 2 true", told)


class ClassesOfTheDroneBench(unittest.TestCase):
    def test_the_share_of_pairs_whose_class_is_right(self):
        names = {"0": "car", "1": "van"}
        pairs = [pair("0", "car"), pair("1", "van"), pair("0", "truck"), pair("", "car")]
        self.assertEqual(matched.class_accuracy(pairs, names), 0.5)

    def test_a_model_that_tells_no_class_apart_has_no_accuracy_and_neither_has_a_clip_without_pairs(self):
        self.assertIsNone(matched.class_accuracy([pair("0", "car")], {"0": "vehicle"}))
        self.assertIsNone(matched.class_accuracy([], {"0": "car"}))

    def test_names_of_classes_are_those_of_the_pictures_tracks(self):
        told = [{"tracks": [{"class": 0, "name": "car"}, {"class": 3, "name": "bus"}]}, {"tracks": []}, {"frames": 2}]
        self.assertEqual(scenes.class_names(told), {"0": "car", "3": "bus"})

    def test_a_scene_without_class_accuracy_is_missed(self):
        _, wanted = drone.PARTS["scenes"]["scenes"]
        self.assertTrue(drone.scenes_met(wanted, {"local-50": MET, "local-100-45deg": MET}))
        for name in ("local-50", "local-100-45deg"):
            self.assertFalse(drone.scenes_met(wanted, {name: {**MET, "class_accuracy": None}}))


class PairsOfTheDroneBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run, self.clip = pathlib.Path(folder.name), pathlib.Path(folder.name) / "clip.mp4"
        self.clip.with_suffix(".gt.txt").write_text("1,7,0,0,10,10,1,1,1.0\n1,8,100,0,10,10,0,4,0.2\n1,9,200,0,10,10,1,3,1.0\n")
        self.clip.with_suffix(".ground.csv").write_text("frame,id,class,speed_mps\n1,7,car,10.0\n1,8,bus,10.0\n1,9,truck,1.0\n")

    def found(self, *boxes):
        rows = "".join(f"1,0.04,{number},0,{box},11.0,0.5\n" for number, box in enumerate(boxes))
        (self.run / "frames.csv").write_text("frame,seconds,track,class,x,y,w,h,speed_mps,speed_95\n" + rows)

    def test_a_box_is_paired_with_a_vehicle_that_counts_and_that_it_overlaps_by_half(self):
        self.found("1,0,10,10", "100,0,10,10", "200,0,10,10", "206,0,10,10")
        pairs = [(found["track"], true["id"]) for found, true in matched.counted_pairs(self.run, self.clip)]
        self.assertEqual(pairs, [("0", "7"), ("2", "9")])

    def test_speeds_are_compared_of_vehicles_that_drive(self):
        self.found("1,0,10,10", "200,0,10,10")
        self.assertEqual(list(matched.speed_pairs(self.run, self.clip)), [matched.SpeedPair("7", 0.04, 10.0, 11.0, 0.5)])


class SlicesOfTheDroneBench(unittest.TestCase):
    def test_figures_are_those_of_the_worst_place(self):
        each = {"a": (0.99, 0.2, []), "b": (0.96, 0.3, []), "c": (0.97, 0.5, [(0.9, 0.5), (0.9, 1.0)])}
        with mock.patch.object(scenes, "clips_of", return_value={name: name for name in each}), \
                mock.patch.object(slices, "compared", side_effect=each.get):
            found = slices.run(types.SimpleNamespace(seed=1), lambda text: None)
        self.assertEqual(found, {"slice_recall": 0.96, "slice_share": 0.5})


class RoadOfTheDroneBench(unittest.TestCase):
    def test_counts_of_all_places_are_added(self):
        each = [{"vehicles": 100, "found": 90, "found_kept": 90, "false": 10, "false_kept": 10},
                {"vehicles": 300, "found": 200, "found_kept": 196, "false": 30, "false_kept": 0}]
        self.assertEqual(road.figures(each, 0.9), {"road_iou": 0.9, "road_fp_drop": 0.75, "road_recall_loss": 0.01})

    def test_without_a_false_box_nothing_is_known_of_what_is_left_out(self):
        self.assertIsNone(road.figures([{"vehicles": 1, "found": 1, "found_kept": 1, "false": 0, "false_kept": 0}], 0.9)["road_fp_drop"])
