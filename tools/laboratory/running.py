"""`tools/lab run`: a daemon in each node's namespace, the program that owns the frames in the owner's, and what all of them
counted."""
import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from . import cluster as clusters
from . import relaying, state
from .processes import InHost
from .shell import LabError

PATIENCE_S = "10"  # two cores serve all nodes: a short silence does not mean that a node died


def cluster_file(name, content, node_id):
    return relaying.file_for(name, node_id) if content.get("relay") else state.folder(name) / "cluster.toml"


@dataclasses.dataclass
class NodeOptions:
    """What nodes get beside their cluster file; by node id. `traces`: a folder for a trace of each node, or None."""
    pace: dict = dataclasses.field(default_factory=dict)
    credit: dict = dataclasses.field(default_factory=dict)
    traces: str = None


def by_node(texts, what):
    """"3:1.5" as {3: "1.5"}. `what`: how the number is called in an error."""
    result = {}
    for text in texts:
        node, colon, number = text.partition(":")
        if not colon or not node.isdigit():
            raise LabError(f"'{text}' says nothing about a node; write NODE:{what}, as 3:1.5", 2)
        result[int(node)] = number
    return result


def slow_file(name, node_id):
    """The file that a node reads for each tile: how many times longer it takes than its pace says."""
    return state.folder(name) / f"slow{node_id}"


def slow(name, node_id, factor):
    clusters.node(state.read(name)["cluster"], node_id)
    if not 1.0 <= factor <= 1000.0:
        raise LabError(f"a node can be slowed 1 to 1000 times, not {factor:g} times", 2)
    path = slow_file(name, node_id)
    half = path.with_suffix(".half")
    half.write_text(f"{factor:.4f}\n", encoding="ascii")
    os.replace(half, path)


def bare_bytes(name, content):
    """What a node holds before it has a plan: caps do not count it. 0 where there are no caps."""
    if not any(node["memory_bytes"] for node in content["cluster"]["nodes"]):
        return 0
    node_id = content["cluster"]["nodes"][0]["id"]
    words = [content["program"], "node", "--cluster", cluster_file(name, content, node_id), "--id", node_id, "--insecure"]
    free = {"nodes": [{**node, "memory_bytes": 0} for node in content["cluster"]["nodes"]]}
    with InHost(name, {**content["cluster"], **free}, node_id, words, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True) as node:
        while node.process.poll() is None and not heeds_termination(node.process.pid):
            time.sleep(0.01)
        node.ask_to_stop()
        told = node.process.stdout.read()
    if not told:
        raise LabError("a node that only begins and ends says nothing: is the program older than this lab?")
    return json.loads(told)["memory"]["bare_bytes"]


def heeds_termination(pid):
    """Has the process got far enough to end in its own way? Until it is the program it is a copy of this one, which catches
    the signal and then forgets it. A thread that waits for signals does not count as one that blocks them, but others of
    the program do."""
    try:
        if os.path.samefile(f"/proc/{pid}/exe", "/proc/self/exe"):
            return False
        lines = [line for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status") for line in status.read_text().splitlines()]
    except OSError:
        return False  # it has ended
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("SigBlk:", "SigCgt:"))]
    return any(mask >> (signal.SIGTERM - 1) & 1 for mask in masks)


def traced(folder, node_id):
    return ["--trace", pathlib.Path(folder) / f"node{node_id}.json"] if folder else []


def start_node(name, content, node_id, model, options, bare):
    pace, credit = options.pace.get(node_id), options.credit.get(node_id)
    words = [content["program"], "node", "--cluster", cluster_file(name, content, node_id), "--id", node_id, "--models", model,
             "--insecure", "--patience", PATIENCE_S, "--slow-file", slow_file(name, node_id), *(["--pace", pace] if pace else []),
             *(["--credit", credit] if credit else []), *traced(options.traces, node_id)]
    with open(state.folder(name) / f"node{node_id}.err", "w", encoding="utf-8") as errors:
        return InHost(name, content["cluster"], node_id, words, bare, stdout=subprocess.PIPE, stderr=errors, text=True)


def run(name, owner, model, arguments, options=NodeOptions(), say=print):
    """The exit code of `shingle run`."""
    content = state.read(name)
    cluster = content["cluster"]
    owner = cluster["nodes"][0]["id"] if owner is None else clusters.node(cluster, owner)["id"]
    for node_id in (*options.pace, *options.credit):
        clusters.node(cluster, node_id)
    if owner in options.credit:
        raise LabError(f"node {owner} owns the frames; --credit is for the others", 2)
    bare = bare_bytes(name, content)
    with contextlib.ExitStack() as ended:
        nodes = {node["id"]: ended.enter_context(start_node(name, content, node["id"], model, options, bare))
                 for node in cluster["nodes"] if node["id"] != owner}
        words = [content["program"], "run", model, *arguments, "--cluster", cluster_file(name, content, owner),
                 "--id", owner, "--compute", "--insecure", "--patience", PATIENCE_S,
                 "--slow-file", slow_file(name, owner), *traced(options.traces, owner)]
        sys.stdout.flush()
        with InHost(name, cluster, owner, words, bare) as program:
            code = program.process.wait()
        for node in nodes.values():
            node.ask_to_stop()
        reports = [report_of(name, node_id, node) for node_id, node in nodes.items()]
    if code == 0:
        conclude(reports, {**{i: n.peak_bytes for i, n in nodes.items()}, owner: program.peak_bytes}, "--json" in arguments, say)
    return code


def report_of(name, node_id, node):
    last = (node.process.stdout.read().splitlines() or [""])[-1]
    node.end()
    try:
        return json.loads(last)
    except json.JSONDecodeError:
        with open(state.folder(name) / f"node{node_id}.err", encoding="utf-8") as errors:
            said = (errors.read().splitlines() or ["nothing"])[-1]
        return {"node": node_id, "failed": said}


def conclude(reports, peaks, as_json, say):
    for report in reports:
        if peaks.get(report["node"]):
            report["peak_bytes"] = peaks[report["node"]]
    paced = [report["pace"] for report in reports if "pace" in report]
    tiles, overruns = (sum(pace[key] for pace in paced) for key in ("tiles", "overruns"))
    failed = [report for report in reports if "failed" in report]
    if as_json:
        say(json.dumps({"lab_nodes": reports, "paced_tiles": tiles, "overruns": overruns}))
        return
    for report in failed:
        say(f"node {report['node']} did not end well, saying: {report['failed']}")
    if tiles:
        say(f"{tiles} paced tiles at the {len(paced)} other nodes, {overruns} of them overrun (this machine too slow for them)")
