"""A client of the Open Inference Protocol v2: pictures as tensors over HTTP, whose raw outputs are those of `shingle run --raw-out`."""
import http.client
import json
import tempfile
import pathlib

from lab import site
from package_parts import frames, running, served

COUNT = 100
TYPES = {"FP32": "float32", "UINT8": "uint8"}


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=running.PATIENCE_S)

    def ask(self, method, path, body=None, headers=None):
        """(status, headers, body)."""
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def is_ready(self):
        return self.ask("GET", f"/v2/models/{served.NAME}/ready")[0] == 200

    def inputs(self):
        return json.loads(self.ask("GET", f"/v2/models/{served.NAME}")[2])["inputs"]

    def infer(self, taken, values):
        """The outputs by name, as bytes."""
        head, tail = infer_body(taken, values)
        status, headers, body = self.ask("POST", f"/v2/models/{served.NAME}/infer", head + tail,
                                         {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"})
        if status != 200:
            raise site.BenchError(f"shingle serve answered {status}: {body[:300].decode(errors='replace')}")
        return outputs_of(body, int(headers["Inference-Header-Content-Length"]))


def infer_body(taken, values):
    """(JSON, bytes behind it) of a request with one input."""
    given = {"name": taken["name"], "datatype": taken["datatype"], "shape": taken["shape"], "parameters": {"binary_data_size": len(values)}}
    return json.dumps({"inputs": [given], "parameters": {"binary_data_output": True}}).encode(), values


def outputs_of(body, json_bytes):
    """{name: bytes} of an answer whose outputs all lie behind its JSON."""
    found, at = {}, json_bytes
    for output in json.loads(body[:json_bytes])["outputs"]:
        size = output["parameters"]["binary_data_size"]
        found[output["name"]] = body[at:at + size]
        at += size
    return found


def tensor_of(picture, taken):
    """A picture of the model's size as its input: planes of blue, green and red, 0 to 255, as YOLOX has them."""
    return picture.transpose(2, 0, 1)[None].astype(TYPES[taken["datatype"]]).tobytes()


def only_input(client):
    inputs = client.inputs()
    if len(inputs) != 1 or inputs[0]["datatype"] not in TYPES or len(inputs[0]["shape"]) != 4:
        raise site.BenchError(f"the model takes {inputs}, which is no picture")
    return inputs[0]


def raw_files(folder, number):
    """{name of an output: bytes} of a frame that `shingle run --raw-out` wrote."""
    head = f"frame-{number:06}-"
    return {path.name.removeprefix(head).removesuffix(".f32"): path.read_bytes() for path in folder.glob(f"{head}*.f32")}


def compared(_):
    """None, or the sentence that says what differs."""
    with served.serving("--http", "127.0.0.1:0") as server, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        client = Client(served.port_of(server))
        running.until(client.is_ready, "the model of shingle serve")
        taken = only_input(client)
        pictures = frames.decoded(frames.clip(), COUNT, size=(taken["shape"][3], taken["shape"][2]))
        frames.found_by_run(frames.write_pictures(pictures, folder / "pictures"), COUNT, "--raw-out", folder / "raw")
        for number, picture in enumerate(pictures):
            if client.infer(taken, tensor_of(picture, taken)) != raw_files(folder / "raw", number):
                return f"frame {number} has other bytes than --raw-out"
    return None
