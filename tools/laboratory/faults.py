"""Drops packets from one host at another: a rule at the receiver, by the sender's address. Limits the rate from one host to
another: a class of its own at the sender's port. Both below TCP, one way."""
import re

from . import cluster as clusters
from . import relaying, state, topology
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
    add_rule(name, cluster, source, target, "drop")


def lose(name, cluster, text, percent):
    source, target = pair(cluster, text)
    if not 0.0 < percent <= 50.0:
        raise LabError(f"a way can lose more than 0 and at most 50 % of its packets, not {percent:g} %", 2)
    refuse_relay(name)
    add_rule(name, cluster, source, target, f"numgen random mod 10000 < {round(percent * 100)} drop")


def refuse_relay(name):
    if state.read(name).get("relay"):
        raise LabError("with a relay, packets of different nodes look alike; loss and rate need a lab without one")


def add_rule(name, cluster, source, target, what):
    address = clusters.node(cluster, source)["address"]
    call("ip", "netns", "exec", state.host_namespace(name, clusters.host_of(cluster, target)), "nft", "-f", "-", text=f"""
table ip lab {{
  chain input {{
    type filter hook input priority 0;
    ip saddr {address} {what}
  }}
}}
""")


def limit_rate(name, cluster, text, mbps):
    """Within the port's rate, which all ways share as before. 0: the port alone limits it."""
    source, target = pair(cluster, text)
    host = clusters.host_of(cluster, source)
    port_mbps = clusters.port_mbps(cluster, host)
    if not (mbps == 0 or 0.01 <= mbps <= port_mbps):
        raise LabError(f"a way of a port of {port_mbps:g} Mb/s can be limited to 0.01 to {port_mbps:g}, not {mbps:g}", 2)
    if cluster["network"]["kind"] == "shared":
        raise LabError("only ways of a switched network have rates of their own")
    refuse_relay(name)
    namespace = state.host_namespace(name, host)
    others = clusters.others(cluster, host)
    topology.limit_way(namespace, port_mbps, mbps or port_mbps, others.index(clusters.host_of(cluster, target)), len(others))


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
