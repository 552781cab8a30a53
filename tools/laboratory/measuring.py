"""Runs throughput.py at both ends of a way."""
import json
import pathlib
import subprocess
import sys

from . import cluster as clusters
from .processes import InHost
from .shell import LabError

TOOL = pathlib.Path(__file__).with_name("throughput.py")


def measure(name, cluster, source, target, seconds):
    address = clusters.node(cluster, target)["address"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with InHost(name, cluster, target, [sys.executable, TOOL, "receive", address], **pipes) as receiver:
        port = receiver.process.stdout.readline().strip()
        with InHost(name, cluster, source, [sys.executable, TOOL, "send", address, port, seconds], **pipes) as sender:
            sent, trouble = sender.process.communicate(timeout=seconds + 60)
        if sender.process.returncode != 0:
            raise LabError(f"nothing arrives from node {source} at node {target}: {trouble.strip().splitlines()[-1]}")
        received, _ = receiver.process.communicate(timeout=60)
    return {"from": source, "to": target, **json.loads(sent), **json.loads(received)}
