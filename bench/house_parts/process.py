"""What a bare `shingle node` takes: resident memory and libraries, a while after it has come up, before anybody speaks to it."""
import re
import socket
import subprocess
import tempfile
import time

from lab import site

from . import trees

UP_S, SETTLED_S = 20.0, 3.0  # how long it may take to listen; how long it then has for its self-test


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(process, port):
    end = time.monotonic() + UP_S
    while not listens(port):
        if process.poll() is not None:
            raise site.BenchError(f"'shingle node' ended with {process.returncode}")
        if time.monotonic() > end:
            raise site.BenchError(f"'shingle node' did not listen within {UP_S:.0f} s")
        time.sleep(0.05)
    time.sleep(SETTLED_S)


def resident_mib(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


def libraries(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as lines:
        return sorted({match.group(1) for line in lines if (match := re.search(r"/([^/\s]+\.so[.\d]*)$", line.strip()))})


def measure(found, _):
    new = trees.new()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        cluster = f"{folder}/cluster.toml"
        with open(cluster, "w", encoding="utf-8") as out:
            out.write(f"[[node]]\nid = 0\nport = {port}\n")
        words = [str(new.shingle), "node", "--cluster", cluster, "--id", "0", "--insecure", "--models", folder]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                wait_for(process, port)
                resident, loaded = resident_mib(process.pid), libraries(process.pid)
            finally:
                process.terminate()
                process.wait(timeout=10)
    opencv = [name for name in loaded if "opencv" in name]
    print("  libraries: " + ", ".join(loaded[:60]) + (", ..." if len(loaded) > 60 else ""))
    found.put("node_process_rss_mb", resident, ("most", 20), note="resident, in MiB, of a bare 'shingle node' on loopback")
    found.put("libraries_of_node", len(loaded), note="shared libraries that it maps")
    found.put("opencv_libraries_of_node", len(opencv), ("most", 0), note=", ".join(opencv[:4]))
