"""Drops packets from one host at another: a rule at the receiver, by the sender's address. Below TCP, one way."""
import re

from . import cluster as clusters
from . import relaying, state
from .shell import LabError, call, works


def pair(cluster, text):
    """"2:3" as two nodes of different hosts."""
    match = re.fullmatch(r"(\d+):(\d+)", text)
    if not match:
        raise LabError(f"'{text}' names no way; write FROM:TO with two node ids, as 2:3", 2)
    source, target = (int(number) for number in match.groups())
    if clusters.host_of(cluster, source) == clusters.host_of(cluster, target):
        raise LabError(f"nodes {source} and {target} are on one host: no wire is between them", 2)
    return source, target


def drop(name, cluster, text):
    source, target = pair(cluster, text)
    if state.read(name).get("relay"):
        relaying.change(name, lambda rules: rules.setdefault(f"{source}:{target}", {}).update(hold=True))
        return
    address = clusters.node(cluster, source)["address"]
    call("ip", "netns", "exec", state.host_namespace(name, clusters.host_of(cluster, target)), "nft", "-f", "-", text=f"""
table ip lab {{
  chain input {{
    type filter hook input priority 0;
    ip saddr {address} drop
  }}
}}
""")


def heal(name, cluster, text=None):
    """Removes every drop at the target, or every fault of the lab."""
    if state.read(name).get("relay"):
        relaying.change(name, lambda rules: forget(rules, text and f"{pair(cluster, text)[0]}:{pair(cluster, text)[1]}"))
        return
    targets = [clusters.host_of(cluster, pair(cluster, text)[1])] if text else range(len(clusters.hosts(cluster)))
    for host in targets:
        namespace = state.host_namespace(name, host)
        if works("ip", "netns", "exec", namespace, "nft", "list", "table", "ip", "lab"):
            call("ip", "netns", "exec", namespace, "nft", "delete", "table", "ip", "lab")


def forget(rules, way):
    for key in [way] if way else list(rules):
        for fault in ("hold", "cut", "flip_every"):
            rules.get(key, {}).pop(fault, None)
