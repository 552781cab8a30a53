"""Processes in a host's namespace, under a node's limits, and their end."""
import os
import pathlib
import signal
import subprocess
import time

from . import cluster as clusters
from . import limits, state
from .shell import LabError, call


class InHost:
    """A process of a node: in its host's namespace, in its limits. A context: leaving it ends the process.

    A cap on memory is for what is held beside `bare_bytes`."""

    def __init__(self, name, cluster, node_id, words, bare_bytes=0, **streams):
        node = clusters.node(cluster, node_id)
        label = f"{state.group_prefix(name)}{node_id}-{os.getpid()}"
        self.groups = limits.make(label, node["memory_bytes"] and node["memory_bytes"] + bare_bytes, node["cpus"])
        self.peak_bytes = None
        namespace = state.host_namespace(name, clusters.host_of(cluster, node_id))
        self.process = subprocess.Popen(["ip", "netns", "exec", namespace, *map(str, words)],
                                        preexec_fn=lambda: begin(self.groups), **streams)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def ask_to_stop(self):
        if self.process.poll() is None:
            self.process.terminate()

    def end(self, patience_s=10.0):
        self.ask_to_stop()
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.peak_bytes = limits.peak_bytes(self.groups)
        limits.remove(self.groups)


def begin(groups=()):
    """Runs in the new process. Boards do not wait for other work of this machine: real-time priority, or the best available."""
    limits.enter(groups)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        os.nice(-10)


def in_namespaces(namespaces):
    return {int(pid) for namespace in namespaces for pid in call("ip", "netns", "pids", namespace).split()}


def alive(pid):
    stat = pathlib.Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def end_all(pids, patience_s=3.0):
    """Asks, waits, then kills. REQUIRES: all of them were started by a lab."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        for pid in filter(alive, pids):
            try:
                os.kill(pid, sent)
            except ProcessLookupError:
                pass
        end = time.monotonic() + patience_s
        while any(map(alive, pids)) and time.monotonic() < end:
            time.sleep(0.02)
    if any(map(alive, pids)):
        raise LabError(f"processes {sorted(filter(alive, pids))} do not end")
