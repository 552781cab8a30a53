"""Puts the relay between the nodes of a lab: its plan, and a cluster file for each node in which every other node is found at
the relay."""
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys

from . import cluster as clusters
from . import state
from .processes import begin
from .shell import LabError

FIRST_PORT = 20000


def ways(cluster):
    nodes = cluster["nodes"]
    pairs = [(a, b) for a in nodes for b in nodes if a["address"] != b["address"]]
    return [{"from": a["id"], "to": b["id"], "port": FIRST_PORT + number, "address": b["address"], "at": b["port"]}
            for number, (a, b) in enumerate(pairs)]


def plan_path(name):
    return state.folder(name) / "relay.json"


def start(name, cluster):
    delay = cluster["network"]["delay_ms"]
    rules = {f"{way['from']}:{way['to']}": {"delay_ms": delay} for way in ways(cluster)} if delay else {}
    write_plan(name, {"address": str(clusters.gateway(cluster)), "ways": ways(cluster), "rules": rules})
    script = pathlib.Path(__file__).with_name("relay.py")
    with open(state.folder(name) / "relay.err", "w", encoding="utf-8") as errors:
        process = subprocess.Popen(["ip", "netns", "exec", state.namespace(name, "net"), sys.executable, str(script),
                                    str(plan_path(name))], stdout=subprocess.PIPE, stderr=errors, text=True,
                                   start_new_session=True, preexec_fn=begin)
    if process.stdout.readline() != "ready\n":
        raise LabError(f"the relay did not start; see {state.folder(name)}/relay.err")
    for node in cluster["nodes"]:
        file_for(name, node["id"]).write_text(to_toml(seen_by(cluster, node)))
    return process.pid


def write_plan(name, plan):
    half = plan_path(name).with_suffix(".half")
    half.write_text(json.dumps(plan))
    os.replace(half, plan_path(name))


def change(name, change_rules):
    """`change_rules` gets the rules and changes them; the relay then reads them."""
    pid = state.read(name).get("relay")
    if not pid:
        raise LabError("this lab has no relay; tools/lab up CLUSTER.toml --relay puts one between the nodes")
    plan = json.loads(plan_path(name).read_text())
    change_rules(plan["rules"])
    write_plan(name, plan)
    os.kill(pid, signal.SIGHUP)


def file_for(name, node_id):
    return state.folder(name) / f"cluster{node_id}.toml"


def seen_by(cluster, node):
    seen = copy.deepcopy(cluster)
    at = {(way["from"], way["to"]): way["port"] for way in ways(cluster)}
    for other in seen["nodes"]:
        if (node["id"], other["id"]) in at:
            other["address"], other["port"] = str(clusters.gateway(cluster)), at[node["id"], other["id"]]
    return seen


def to_toml(cluster):
    tables = [("[network]", cluster["network"])] + [("[[node]]", dict(node)) for node in cluster["nodes"]]
    for head, table in tables[1:]:
        table["memory"] = table.pop("memory_bytes")
        if not table["cpus"]:
            del table["cpus"]
        if cluster["network"]["kind"] == "shared":
            del table["link_mbps"]
    return "\n".join(f"{head}\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()) for head, table in tables)
