"""The resident memory of a node that waits for its first plan."""
import pathlib
import re
import tempfile
import time

from lab import site
from package_parts import running

SETTLED_S = 3  # until it has told its peers of itself


def resident_bytes(status):
    """Of /proc/PID/status."""
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1]) * 1024


def run(_, say):
    running.must_be_built(running.NODE)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cluster = folder / "cluster.toml"
        cluster.write_text("".join(f"[[node]]\nid = {number}\nport = {port}\n" for number, port in enumerate(running.free_ports(2))))
        keys = folder / "keys"
        running.printed([running.NODE, "keys", "init", "--cluster", cluster, "--keys", keys])
        notified = running.Notified(folder)
        words = [running.NODE, "--config", "none", "--cluster", cluster, "--id", 1, "--models", folder, "--keys", keys]
        with running.program(*words, env=notified.environment) as node:
            notified.wait(node)
            time.sleep(SETTLED_S)
            if node.poll() is not None:
                raise site.BenchError(f"the node ended with {node.returncode}: {node.said().strip()[-300:]}")
            found = resident_bytes(pathlib.Path(f"/proc/{node.pid}/status").read_text()) / 1e6
    say(f"shingle-node of this build: {found:.1f} MB resident")
    return {"node_bare_mb": found}
