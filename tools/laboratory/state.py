"""What is up: a folder per lab under /run, written before anything is made, removed after all is gone.

Everything a lab makes carries its name behind a prefix, so `down` needs no file to find it:
namespaces slab-NAME-..., control groups shingle-lab-NAME-..."""
import json
import os
import pathlib
import re
import shutil

from .shell import LabError, call

RUN = pathlib.Path("/run/shingle-lab")
NAME = re.compile(r"[a-z0-9_]{1,40}")


def checked(name):
    if not NAME.fullmatch(name):
        raise LabError(f"'{name}' is no name for a lab: write small letters, digits and _", 2)
    return name


def folder(name):
    return RUN / name


def namespace(name, part):
    return f"slab-{name}-{part}"


def host_namespace(name, host):
    return namespace(name, f"h{host}")


def group_prefix(name):
    return f"shingle-lab-{name}-"


def create(name, content):
    RUN.mkdir(exist_ok=True)
    try:
        folder(name).mkdir()
    except FileExistsError:
        raise LabError(f"the lab '{name}' is up already; see tools/lab status, or tools/lab down {name}")
    write(name, content)


def write(name, content):
    """All or nothing, whenever this process is killed."""
    path = folder(name) / "state.json"
    half = path.with_suffix(".half")
    half.write_text(json.dumps(content, indent=1))
    os.replace(half, path)


def read(name):
    try:
        return json.loads((folder(name) / "state.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        raise LabError(f"there is no lab '{name}'; tools/lab up CLUSTER.toml makes one")


def remove(name):
    shutil.rmtree(folder(name), ignore_errors=True)
    try:
        RUN.rmdir()
    except OSError:
        pass  # another lab is up


def namespaces(name):
    """Those that exist, by prefix."""
    lines = call("ip", "netns", "list").splitlines()
    return [words[0] for words in map(str.split, lines) if words and words[0].startswith(namespace(name, ""))]


def names():
    """Every lab of which anything is left."""
    found = {path.name for path in RUN.iterdir()} if RUN.exists() else set()
    for line in call("ip", "netns", "list").splitlines():
        match = re.match(r"slab-([a-z0-9_]+)-", line)
        if match:
            found.add(match.group(1))
    return sorted(found)


def only_one(name):
    """The lab that is meant if none is named."""
    if name:
        return checked(name)
    up = names()
    if len(up) != 1:
        raise LabError("no lab is up" if not up else f"several labs are up ({', '.join(up)}); name one with --name", 2)
    return up[0]
