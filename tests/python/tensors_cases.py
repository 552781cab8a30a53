"""What sessions take and give: the bytes of `shingle run`, layouts in memory, sentences about what is wrong."""
import concurrent.futures
import gc
import threading
import time

from places import MAKE_NETWORK, WithPackage, network, shingle as program

try:
    import numpy as np

    import shingle
except ImportError:  # the tests are skipped
    pass


def picture(size, seed=1):
    """Rows x columns x channels, blue first."""
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), np.uint8)


def planes(pixels):
    """What a model takes whose input is channels x rows x columns."""
    return pixels.transpose(2, 0, 1)[None].astype(np.float32)


def write_ppm(path, pixels):
    height, width, _ = pixels.shape
    path.write_bytes(f"P6 {width} {height} 255\n".encode() + pixels[:, :, ::-1].tobytes())


class Tensors(WithPackage):
    SIZE = 64

    @classmethod
    def setUpClass(cls):
        cls.model = network("tiny", cls.SIZE)
        cls.session = shingle.InferenceSession(cls.model, workers=2)
        cls.addClassCleanup(cls.session.close)
        cls.input = cls.session.get_inputs()[0].name
        cls.output = cls.session.get_outputs()[0].name
        cls.frame = planes(picture(cls.SIZE))
        cls.wanted = cls.session.run(None, {cls.input: cls.frame})[0]

    def test_a_session_describes_its_model(self):
        (taken,), (given,) = self.session.get_inputs(), self.session.get_outputs()
        self.assertEqual((taken.shape, taken.type), ([1, 3, 64, 64], "tensor(float)"))
        self.assertEqual((given.shape, given.type), ([1, 8, 32, 32], "tensor(float)"))

    def test_outputs_are_the_bytes_of_the_program(self):
        pixels = picture(self.SIZE, seed=7)
        write_ppm(self.folder / "in.ppm", pixels)
        program("run", self.model, self.folder / "in.ppm", "--workers", 2, "--head", "raw", "--mean", 0, "--std", 1,
                "--raw-out", self.folder / "raw")
        (file,) = (self.folder / "raw").iterdir()
        (found,) = self.session.run([self.output], {self.input: planes(pixels)})
        self.assertEqual(found.tobytes(), file.read_bytes())
        self.assertNotEqual(found.tobytes(), self.wanted.tobytes())

    def test_a_model_may_be_given_as_bytes(self):
        with shingle.InferenceSession(self.model.read_bytes(), workers=1) as session:
            self.assertEqual(session.run(None, {self.input: self.frame})[0].tobytes(), self.wanted.tobytes())

    def test_every_layout_in_memory_gives_the_same(self):
        frame = self.frame
        wide = np.zeros((1, 3, 64, 128), np.float32)
        wide[:, :, :, ::2] = frame
        packed = np.zeros(64 * 64 * 3, np.dtype([("tag", np.uint8), ("value", np.float32)]))
        packed["value"] = frame.ravel()
        layouts = {
            "channels last": np.ascontiguousarray(frame.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2),
            "columns first": np.asfortranarray(frame),
            "every second column": wide[:, :, :, ::2],
            "reversed rows": np.ascontiguousarray(frame[:, :, ::-1])[:, :, ::-1],
            "not aligned": packed["value"].reshape(frame.shape),
            "three dimensions": frame[0],
            "read-only": frame.copy(),
        }
        layouts["read-only"].setflags(write=False)
        for name, array in layouts.items():
            with self.subTest(name):
                self.assertTrue(np.array_equal(array.reshape(frame.shape), frame))
                self.assertEqual(self.session.run(None, {self.input: array})[0].tobytes(), self.wanted.tobytes())

    def test_repeated_elements_count_as_elements(self):
        row = self.frame[:, :, :1]
        repeated = np.broadcast_to(row, self.frame.shape)
        self.assertEqual(repeated.strides[2], 0)
        self.assertEqual(self.session.run(None, {self.input: repeated})[0].tobytes(),
                         self.session.run(None, {self.input: repeated.copy()})[0].tobytes())

    def test_outputs_belong_to_the_caller(self):
        first = self.session.run(None, {self.input: self.frame})[0]
        first[:] = 0  # as code for ONNX Runtime does
        self.assertEqual(self.session.run(None, {self.input: self.frame})[0].tobytes(), self.wanted.tobytes())

    def test_views_stay_valid_without_their_session(self):
        session = shingle.InferenceSession(self.model, workers=1, copy_outputs=False)
        views = [session.run(None, {self.input: self.frame})[0] for _ in range(3)]
        session.close()
        del session
        gc.collect()
        for view in views:
            self.assertFalse(view.flags.owndata)
            with self.assertRaisesRegex(ValueError, "read-only"):
                view[:] = 0
            self.assertEqual(view.tobytes(), self.wanted.tobytes())

    def test_wrong_inputs_are_named(self):
        name = self.input
        for feed, error, sentence in (
                ({name: self.frame.astype(np.float64)}, TypeError, f"'{name}' is float64, and the model takes float32: convert"),
                ({name: self.frame.astype(">f4")}, TypeError, f"'{name}' is >f4, and the model takes float32: convert"),
                ({name: picture(64)}, TypeError, f"'{name}' is uint8, and the model takes float32: convert"),
                ({name: "text"}, TypeError, f"'{name}' is <U4, and the model takes float32: convert"),
                ({name: self.frame[:, :, :32]}, ValueError, f"'{name}': its dims are 1 x 3 x 32 x 64, and the model takes 1 x 3 x 64 x 64"),
                ({name: self.frame[:, :, :, :0]}, ValueError, f"'{name}': its dims are 1 x 3 x 64 x 0"),
                ({name: self.frame.reshape((1,) * 6 + (3, 64, 64))}, ValueError, f"'{name}' has 9 dimensions; at most 8"),
                ({name: self.frame, "mask": self.frame}, ValueError, "2 inputs were given, and the model takes 1"),
                ({}, ValueError, f"not all there: {name}")):
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                self.session.run(None, feed)

    def test_wrong_outputs_are_named(self):
        with self.assertRaisesRegex(shingle.UsageError, f"no output 'boxes'; its outputs are {self.output}"):
            self.session.run(["boxes"], {self.input: self.frame})
        with self.assertRaisesRegex(TypeError, "output names are a list"):
            self.session.run(self.output, {self.input: self.frame})

    def test_wrong_options_are_named(self):
        for words, error, sentence in (
                ({"options": {"speed": "high"}}, shingle.UsageError, "speed"),
                ({"goal": "speed"}, shingle.UsageError, "'speed' is not latency, throughput, energy or memory"),
                ({"options": {"providers": ["CPU"]}}, TypeError, "the option 'providers' is a text, a number"),
                ({"cluster": self.folder / "none.toml", "node_id": 1}, shingle.BadInputError, "none.toml")):
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                shingle.InferenceSession(self.model, **words)
        with self.assertRaisesRegex(shingle.BadInputError, "none.onnx"):
            shingle.InferenceSession(self.folder / "none.onnx")
        with self.assertRaisesRegex(shingle.UsageError, "deadline=0 is no number of seconds above 0"):
            self.session.run(None, {self.input: self.frame}, deadline=0)

    def test_eight_threads_share_a_session(self):
        frames = [planes(picture(self.SIZE, seed)) for seed in range(8)]
        wanted = [self.session.run(None, {self.input: frame})[0].tobytes() for frame in frames]
        together = threading.Barrier(8)

        def work(mine):
            together.wait()
            order = [(mine + step) % 8 for step in range(8)]
            return all(self.session.run(None, {self.input: frames[i]})[0].tobytes() == wanted[i] for i in order)

        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            self.assertEqual(list(threads.map(work, range(8))), [True] * 8)

    def test_a_session_counts(self):
        before = self.session.counters()
        self.session.run(None, {self.input: self.frame})
        ends = time.monotonic() + 20
        # The count may come a little after the frame.
        while (after := self.session.counters())["tiles"] <= before["tiles"] and time.monotonic() < ends:
            time.sleep(0.05)
        self.assertEqual(after["computed"] - before["computed"], 1)
        self.assertGreater(after["tiles"], before["tiles"])
        self.assertEqual(after["nodes"], 2)
        path = self.folder / "plan"
        path.write_text(self.session.plan())
        with shingle.InferenceSession(self.model, workers=2, options={"plan": path}) as planned:
            self.assertEqual(planned.plan(), self.session.plan())
            self.assertEqual(planned.run(None, {self.input: self.frame})[0].tobytes(), self.wanted.tobytes())
