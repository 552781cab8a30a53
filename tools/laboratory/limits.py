"""Memory and core limits of one process, by control groups of version 1 or 2, whichever the machine has.

A group lives as long as the process that it holds. It is made inside the group of whoever starts it (version 1), or beside
it, below the nearest group that hands the controller out (version 2): a limit that already holds for us goes on to hold."""
import os
import pathlib
import time

from .shell import LabError

ROOT = pathlib.Path("/sys/fs/cgroup")
PERIOD_US = 10_000  # of a core quota: short, so that interruptions are short


def own_group(controller):
    """(version, folder) of this process for the controller."""
    unified = None
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return 1, ROOT / controller / path.lstrip("/")
        if number == "0":
            unified = path
    for root in (ROOT, ROOT / "unified"):
        if unified is not None and controller in read_words(root / "cgroup.controllers"):
            return 2, handing_out(root, root / unified.lstrip("/"), controller)
    raise LabError(f"this machine has no control group for '{controller}': nodes cannot be limited by it")


def read_words(path):
    return path.read_text().split() if path.exists() else []


def handing_out(root, group, controller):
    while controller not in read_words(group / "cgroup.subtree_control"):
        if group == root:
            raise LabError(f"no control group hands out '{controller}'; write +{controller} to {root}/cgroup.subtree_control")
        group = group.parent
    return group


FILES = {  # (controller, version): the values to write for a limit
    ("memory", 1): lambda bytes_: {"memory.limit_in_bytes": bytes_},
    ("memory", 2): lambda bytes_: {"memory.max": bytes_, "memory.swap.max": 0},
    ("cpu", 1): lambda cores: {"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": round(cores * PERIOD_US)},
    ("cpu", 2): lambda cores: {"cpu.max": f"{round(cores * PERIOD_US)} {PERIOD_US}"},
}


def make(label, memory_bytes=0, cpus=0.0):
    """Groups for one process; it must be put into each of them."""
    groups = []
    for controller, limit in (("memory", memory_bytes), ("cpu", cpus)):
        if not limit:
            continue
        version, parent = own_group(controller)
        group = parent / label
        group.mkdir(exist_ok=True)
        groups.append(group)
        for name, value in FILES[controller, version](limit).items():
            if (group / name).exists():
                (group / name).write_text(str(value))
    return groups


def enter(groups):
    for group in groups:
        (group / "cgroup.procs").write_text(str(os.getpid()))


def peak_bytes(groups):
    """The most memory that the group ever held, if it is one of memory."""
    for group in groups:
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            if (group / name).exists():
                return int((group / name).read_text())
    return None


def remove(groups, patience_s=2.0):
    for group in groups:
        end = time.monotonic() + patience_s
        while group.exists():
            try:
                group.rmdir()
            except OSError:  # the last process is still going
                if time.monotonic() > end:
                    raise LabError(f"the control group {group} cannot be removed: is a process left in it?")
                time.sleep(0.01)


def left(prefix):
    """Groups of that prefix anywhere, the innermost first."""
    found = [pathlib.Path(folder) / name for folder, names, _ in os.walk(ROOT) for name in names if name.startswith(prefix)]
    return sorted(set(path.resolve() for path in found), key=lambda path: -len(path.parts))


def processes(groups):
    return {int(pid) for group in groups for pid in read_words(group / "cgroup.procs")}
