#!/usr/bin/python3
"""Asks `shingle serve` for one inference, by the Open Inference Protocol v2, with Python's standard library alone:

    infer.py http://127.0.0.1:8000 MODEL [--binary]

The inputs are filled with a pattern. A line for each output says its name, shape, number of values and their sum."""
import argparse
import array
import json
import math
import sys
import urllib.error
import urllib.request


def call(url, body=None, headers=None):
    """The answer's body, and how many bytes of it are JSON (none: all)."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers or {}), timeout=60) as answer:
            return answer.read(), answer.headers.get("Inference-Header-Content-Length")
    except urllib.error.HTTPError as refused:
        sys.exit(f"infer.py: {json.load(refused)['error']}")
    except OSError as failure:
        sys.exit(f"infer.py: cannot reach {url}: {failure}")


def pattern(tensor):
    """Values in 0 to 1, or bytes, in the order of the shape."""
    count = math.prod(tensor["shape"])
    if tensor["datatype"] == "UINT8":
        return array.array("B", (i % 256 for i in range(count)))
    return array.array("f", (i % 256 / 255 for i in range(count)))


def request_for(model, binary):
    """A body and its headers. Binary: the values' bytes follow the JSON, which says how many belong to each input."""
    inputs, parts = [], []
    for tensor in model["inputs"]:
        values = pattern(tensor)
        told = {key: tensor[key] for key in ("name", "datatype", "shape")}
        if binary:
            parts.append(values.tobytes())
            told["parameters"] = {"binary_data_size": len(parts[-1])}
        else:
            told["data"] = values.tolist()
        inputs.append(told)
    said = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": binary}}).encode()
    headers = {"Content-Type": "application/json"}
    if binary:
        headers = {"Content-Type": "application/octet-stream", "Inference-Header-Content-Length": str(len(said))}
    return said + b"".join(parts), headers


def outputs_in(body, json_bytes):
    """(name, shape, values) of each output."""
    end = int(json_bytes) if json_bytes else len(body)
    for output in json.loads(body[:end])["outputs"]:
        if "data" in output:
            values = array.array("f", output["data"])
        else:
            size = output["parameters"]["binary_data_size"]
            values = array.array("f", body[end:end + size])
            end += size
        yield output["name"], output["shape"], values


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("server")
    arguments.add_argument("model")
    arguments.add_argument("--binary", action="store_true", help="send and take bytes instead of numbers in JSON")
    said = arguments.parse_args()
    url = f"{said.server}/v2/models/{said.model}"
    model = json.loads(call(url)[0])
    answer = call(f"{url}/infer", *request_for(model, said.binary))
    for name, shape, values in outputs_in(*answer):
        print(f"{name} {shape} {len(values)} values, sum {math.fsum(values):.6g}")


if __name__ == "__main__":
    main()
