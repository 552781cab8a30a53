"""Tries an image by runc: the program's version, then a node with keys and a cluster file that computes for 'shingle run' outside."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import oci
from deb import call, PackageError

PATIENCE = 30.0  # seconds, for a node to start and to end


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Container:
    """One 'runc run' of a bundle; its lines of output as they come. Ends with the 'with' block."""

    def __init__(self, bundle):
        self.name = f"shingle-trial-{os.getpid()}"
        self.lines = []  # as the program wrote them
        self.process = subprocess.Popen(["runc", "run", "--bundle", str(bundle), self.name], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            subprocess.run(["runc", "kill", self.name, "KILL"], capture_output=True)
            self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()
        subprocess.run(["runc", "delete", "--force", self.name], capture_output=True)

    def listens(self, port):
        """Waits until something accepts connections there, or the container has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    return True
            time.sleep(0.05)
        return False

    def status(self):
        """Fields of the process's /proc/PID/status."""
        pid = json.loads(call("runc", "state", self.name))["pid"]
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        return {name: value.split() for name, value in (line.split(":", 1) for line in lines)}

    def stop(self):
        """Asks it to stop, as 'docker stop' does; its exit code."""
        call("runc", "kill", self.name, "TERM")
        return self.process.wait(PATIENCE)


class Trial:
    def __init__(self):
        self.failed = 0

    def check(self, what, held, why=""):
        print(f"{'ok     ' if held else 'FAILED '} {what}" + (f": {why}" if why and not held else ""), flush=True)
        self.failed += not held


def write_settings(folder, shingle, model, port):
    """Folders of a board (node 0, in the image) and of the owner outside (node 1), with keys of their own."""
    board, owner = folder / "etc-shingle", folder / "owner"
    (board / "keys").mkdir(parents=True)
    cluster = "".join(f"[[node]]\nid = {id}\nport = {place}\n" for id, place in enumerate((port, free_port())))
    (board / "cluster.toml").write_text(cluster)
    (board / "node.toml").write_text('id = 0\ncluster = "/etc/shingle/cluster.toml"\nmodels = ["/var/lib/shingle/models"]\n')
    call(shingle, "keys", "init", "--cluster", board / "cluster.toml", "--keys", owner)
    for name in ("allowed", "node-0.secret"):
        shutil.copy(owner / name, board / "keys" / name)
        oci.owned(board / "keys" / name, 0o600)
    oci.owned(board / "keys", 0o700)
    (folder / "models").mkdir()
    shutil.copy(model, folder / "models")
    return board, owner


def try_node(trial, layout, tag, folder, root):
    shingle, model = root / "build/release/apps/shingle", root / "models/vehicles.onnx"
    if not shingle.exists():
        raise PackageError(f"there is no '{shingle}' to speak with the node; tools/package builds it")
    port, clip = free_port(), folder / "street.mp4"
    board, owner = write_settings(folder, shingle, model, port)
    call(shingle, "scene", clip, "--frames", "3", "--seed", "7")
    mounts = [(board, "/etc/shingle", "ro"), (folder / "models", "/var/lib/shingle/models", "ro")]
    oci.make_bundle(layout, tag, folder / "node", ["--config", "/etc/shingle/node.toml"], mounts, own_network=False)
    with Container(folder / "node") as node:
        started = node.listens(port)
        trial.check("the node starts with the board's own /etc/shingle", started, "".join(node.lines)[-800:])
        if not started:
            return
        status = node.status()
        trial.check("it is not root", status["Uid"] == [str(oci.USER)] * 4 and status["Gid"] == [str(oci.USER)] * 4, str(status["Uid"]))
        trial.check("it has no capabilities and cannot get any", int(status["CapBnd"][0], 16) == 0 and status["NoNewPrivs"] == ["1"])
        for _ in range(3):  # what Kubernetes' liveness probe does
            socket.create_connection(("127.0.0.1", port), 5).close()
        time.sleep(1.0)  # longer than a node takes to write what it thinks of it
        trial.check("its log has nothing of connections that only knock", not node.lines, "".join(node.lines)[-400:])
        done = subprocess.run([shingle, "run", model, clip, "--cluster", board / "cluster.toml", "--id", "1", "--keys", owner, "--json"],
                              capture_output=True, text=True, timeout=180)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        tiles = sum(line["tiles"] for line in lines if line.get("node") == 0)
        whole = lines[-1] if lines else {}
        trial.check("it computes frames for 'shingle run' outside", done.returncode == 0 and whole.get("frames") == 3 and tiles > 0,
                    (done.stderr or done.stdout)[-800:])
        code = node.stop()
        trial.check("it ends when it is asked to", code == 0, f"exit code {code}: {''.join(node.lines)[-400:]}")


def run(layout, tag, root):
    """Runs the image VERSION-ARCHITECTURE of `layout`; `root` is the checkout, with its release build. The exit code."""
    trial = Trial()
    with tempfile.TemporaryDirectory(prefix="shingle-trial.") as name:
        folder = pathlib.Path(name)
        oci.make_bundle(layout, tag, folder / "version", ["--version"])
        done = subprocess.run(["runc", "run", "--bundle", str(folder / "version"), f"shingle-version-{os.getpid()}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        trial.check("the program says its version", done.returncode == 0 and done.stdout.startswith("shingle "), done.stderr or done.stdout)
        if done.returncode == 0:
            try_node(trial, layout, tag, folder, root)
    sys.stdout.flush()
    return 1 if trial.failed else 0
