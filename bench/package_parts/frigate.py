"""A client as Frigate's ZMQ detector is one: REQ, a header in JSON and the tensor; 20 rows of 6 float32 come back."""
import json
import pathlib
import tempfile

from lab import site
from package_parts import boxes, frames, running, served

COUNT = 100
SIZE = 416  # of the model, both sides
LOAD_S = 60


class Detector:
    """A connection; as a context it waits for the model."""

    def __init__(self, endpoint):
        try:
            import zmq
        except ImportError:
            raise site.BenchError("python3-zmq is missing; run tools/deps --packages") from None
        self.socket = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, LOAD_S * 1000)
        self.socket.connect(endpoint)
        self.again = zmq.Again

    def ask(self, header, *more):
        try:
            self.socket.send_multipart([json.dumps(header).encode(), *more])
            answer, *rest = self.socket.recv_multipart()
        except self.again:
            raise site.BenchError(f"shingle serve did not answer Frigate's detector within {LOAD_S} s") from None
        return json.loads(answer), rest

    def wait_for_model(self):
        answer, _ = self.ask({"model_request": True, "model_name": served.NAME})
        if not answer.get("model_loaded"):
            raise site.BenchError(f"shingle serve did not load the model: {answer}")

    @staticmethod
    def tensor(picture):
        """The header and the bytes of a picture, red first."""
        return {"shape": [1, *picture.shape], "dtype": "uint8", "model_type": "yolo-generic"}, picture.tobytes()

    def detect(self, picture):
        """The rows of a picture, red first."""
        answer, rest = self.ask(*self.tensor(picture))
        return answer, rest[0] if rest else b""

    def __enter__(self):
        self.wait_for_model()
        return self

    def __exit__(self, *_):
        self.socket.close()


def reference(pictures, folder):
    """The boxes of the C client, with all digits, which are those of `shingle run --json`."""
    from package_parts import clients
    program = clients.BUILT / "bench-package-c"
    running.must_be_built(program)
    client = frames.asked([program, frames.model(), frames.WORKERS], frames.write_stream(pictures, folder / "sized.ppm"), len(pictures))
    found = frames.found_by_run(frames.write_pictures(pictures, folder / "sized"), len(pictures))
    if wrong := boxes.differing(found, client, SIZE, SIZE):
        raise site.BenchError(f"the C client differs from shingle run in frame {wrong[0]} of the scaled pictures")
    return [each["boxes"] for each in client]


def compared(_):
    """None, or the sentence that says what differs."""
    pictures = frames.decoded(frames.clip(), COUNT, size=(SIZE, SIZE))
    with served.serving_frigate("--answer-in", 30_000) as (_server, endpoint), Detector(endpoint) as detector:
        answers = [detector.detect(picture[:, :, ::-1]) for picture in pictures]
    with tempfile.TemporaryDirectory() as folder:
        for number, (found, (header, rows)) in enumerate(zip(reference(pictures, pathlib.Path(folder)), answers)):
            if rows != boxes.frigate_rows(found, SIZE, SIZE).tobytes():
                return f"frame {number} has other rows: {header}"
    return None
