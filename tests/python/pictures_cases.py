"""Pictures in, detections out: what `shingle run --json` prints of the same picture."""
import asyncio
import json
import unittest

from places import PIL_IS_HERE, ROOT, SHARED, WithPackage, network, shingle as program

try:
    import numpy as np

    import shingle
    if PIL_IS_HERE:
        import PIL.Image
except ImportError:  # the tests are skipped
    pass

STREET = ROOT / "docs/pictures/frame-000000.png"


@unittest.skipIf(not PIL_IS_HERE, "skipped: python3-pil is not installed (tools/deps)")
class Pictures(WithPackage):
    @classmethod
    def setUpClass(cls):
        cls.rgb = np.asarray(PIL.Image.open(STREET).convert("RGB"))
        cls.session = shingle.InferenceSession(ROOT / "models/vehicles.onnx", workers=2, pictures=True)
        cls.addClassCleanup(cls.session.close)
        cls.found = cls.session.detect(cls.rgb, format="rgb")

    def test_detections_are_those_of_the_program(self):
        lines = program("run", ROOT / "models/vehicles.onnx", STREET, "--workers", 2, "--json").splitlines()
        wanted = json.loads(lines[0])["boxes"]
        self.assertGreater(len(wanted), 5)
        self.assertEqual(self.found.findings["boxes"], wanted)
        self.assertEqual(len(self.found), len(wanted))
        for detection, box in zip(self.found, wanted):
            self.assertEqual((detection.class_id, detection.class_name), (box["class"], box["name"]))
            self.assertAlmostEqual(detection.score, box["score"], 3)
            corners = (box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"])
            for mine, other in zip(detection.box, corners):
                self.assertAlmostEqual(mine, other, delta=0.11)
        self.assertEqual([each.score for each in self.found], sorted((each.score for each in self.found), reverse=True))

    def test_every_kind_of_picture_gives_the_same(self):
        bgr = np.ascontiguousarray(self.rgb[:, :, ::-1])
        padded = np.zeros((bgr.shape[0], bgr.shape[1] + 5, 3), np.uint8)
        padded[:, 2:-3] = bgr
        kinds = {
            "bgr": bgr, "a view of reversed colours": self.rgb[:, :, ::-1], "a part of a picture": padded[:, 2:-3],
            "PIL": PIL.Image.fromarray(self.rgb), "PIL with alpha": PIL.Image.fromarray(self.rgb).convert("RGBA"),
            "columns first": np.asfortranarray(bgr)}
        for name, picture in kinds.items():
            with self.subTest(name):
                self.assertEqual(self.session.detect(picture), self.found)
        self.assertNotEqual(self.session.detect(self.rgb), self.found)  # red for blue

    def test_grey_pictures_are_taken(self):
        grey = self.rgb[:, :, 1]
        wanted = self.session.detect(np.repeat(grey[:, :, None], 3, 2))
        self.assertGreater(len(wanted), 3)
        for picture in (grey, np.ascontiguousarray(grey), PIL.Image.fromarray(grey)):
            self.assertEqual(self.session.detect(picture), wanted)
        self.assertEqual(self.session.detect(grey[:, :, None], format="grey"), wanted)

    def test_futures_and_asyncio(self):
        self.assertEqual(self.session.submit_picture(self.rgb, format="rgb").result(60), self.found)
        self.assertEqual(asyncio.run(self.session.adetect(self.rgb, format="rgb")), self.found)

    def test_wrong_pictures_are_named(self):
        for picture, words, error, sentence in (
                (self.rgb.astype(np.float32), {}, TypeError, "the picture is float32; pictures are uint8"),
                (np.dstack([self.rgb, self.rgb[:, :, 0]]), {}, ValueError, "x4; it has to be height x width x 3"),
                (self.rgb[0, 0], {}, ValueError, "the picture's shape is 3;"),
                (self.rgb[:0], {}, ValueError, "0"),
                (self.rgb, {"format": "yuv"}, ValueError, "no format 'yuv'; there are bgr, rgb, grey"),
                (PIL.Image.fromarray(self.rgb), {"format": "rgb"}, ValueError, "knows its colours itself"),
                (str(STREET), {}, TypeError, "a NumPy array or a picture of PIL, not str")):
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                self.session.detect(picture, **words)

    def test_a_session_of_tensors_takes_no_pictures(self):
        with shingle.InferenceSession(network("tiny", 64), workers=1) as session:
            with self.assertRaisesRegex(shingle.UsageError, "pictures=True"):
                session.detect(self.rgb)

    def test_real_weights(self):
        model = SHARED / "models/yolox_nano.onnx"
        if not model.exists():
            self.skipTest("skipped: no shared data")
        with shingle.InferenceSession(model, workers=2, pictures=True) as session:
            picture = PIL.Image.open(SHARED / "images/small-vehicles1.jpeg")
            found = session.detect(picture)
        self.assertIn("car", {each.class_name for each in found})
