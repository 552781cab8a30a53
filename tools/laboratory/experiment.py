"""An experiment of `shingle simulate` as a lab can run it: the same file, read by Python, after the program has checked it.

What an experiment may have and the lab has not is refused with one sentence that says what is missing."""
import dataclasses
import pathlib
import re
import tomllib

from .shell import LabError

SUBNET, FIRST_HOST, PORT = "10.78.0", 10, 7000
SIMULATED_ONLY = {  # keys of a node
    "board": "a board's power, heat and packets", "fan": "a board's fan", "up_mbps": "ports with two rates",
    "down_mbps": "ports with two rates", "loss": "losses on all ways of a node", "rate_trace": "rates over time",
    "at": "several switches"}
FAULTS = ("crash", "restart", "hang", "wake", "slow")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


@dataclasses.dataclass
class Source:
    owner: int
    model: pathlib.Path
    head: str  # what its outputs mean, as `--head` says it
    plan: pathlib.Path | None
    open_frames: int
    goal: str
    deadline_s: float | None


@dataclasses.dataclass
class Fault:
    at_s: float
    kind: str
    node: int
    factor: float


@dataclasses.dataclass
class Experiment:
    path: pathlib.Path
    cluster: str  # the text of a cluster file with an address and a port for each node
    sources: list
    faults: list
    duration_s: float
    warm_up_s: float
    replans: bool
    audit_share: float


def seconds(text):
    match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*([a-z]+)\s*", text)
    return float(match.group(1)) * UNITS[match.group(2)]


def read(path):
    path = pathlib.Path(path).resolve()
    try:
        return as_told(path, tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}", 3)
    except (ValueError, KeyError, StopIteration, AttributeError, TypeError):
        raise LabError(f"{path.name} is no experiment; 'shingle simulate {path.name}' says what is wrong with it", 3)


def as_told(path, told):
    where = path.name
    if not told.get("source"):
        raise LabError(f"{where} has no [[source]]: the lab has nothing to run", 3)
    if told.get("flow"):
        raise LabError(f"{where}: the lab carries frames only; a [[flow]] is simulated, never measured here", 3)
    policy = told.get("policy", {})
    if not policy.get("steal", True):
        raise LabError(f"{where}: nodes always steal tiles; the lab has no 'steal = false'", 3)
    models = {each.get("name", f"model{number + 1}"): each for number, each in enumerate(told.get("model", []))}
    sources = [source(where, path.parent, each, models) for each in told.get("source", [])]
    if len({each.owner for each in sources}) < len(sources):
        raise LabError(f"{where}: the lab runs one source for each owner", 3)
    return Experiment(path, cluster_text(where, path.parent, told), sources, [fault(where, each) for each in told.get("fault", [])],
                      seconds(told["duration"]), seconds(told.get("warm_up", "2 s")), policy.get("replan", True), policy.get("audit", 0.0))


def source(where, folder, told, models):
    model = models[told.get("model", next(iter(models)))]
    if "file" not in model:
        raise LabError(f"{where}: a model that is described by its layers has no weights, which nodes of the lab need: write a 'file'", 3)
    if model.get("plan", "").startswith("ftp:"):
        raise LabError(f"{where}: DeepThings' scheme runs in 'tools/bench cluster --only ftp', not here", 3)
    if told.get("arrivals") != "back_to_back":
        raise LabError(f"{where}: the lab's sources have the next frame always at hand: write arrivals = \"back_to_back\"", 3)
    if not told.get("computes", True):
        raise LabError(f"{where}: the lab's owners compute; it has no 'computes = false'", 3)
    deadline = seconds(told["deadline"]) if "deadline" in told else None
    plan = folder / model["plan"] if model.get("plan") else None
    return Source(told["owner"], folder / model["file"], model.get("head", "auto"), plan, told.get("open_frames", 2),
                  told.get("goal", "latency"), deadline)


def fault(where, told):
    if told["kind"] not in FAULTS:
        raise LabError(f"{where}: the lab cannot do the fault '{told['kind']}'; it can {', '.join(FAULTS)}", 3)
    return Fault(seconds(told["at"]), told["kind"], told["node"], told.get("factor", 1.0))


def cluster_text(where, folder, told):
    """The tables of the cluster, with addresses and ports where there are none: one host for each node."""
    if "cluster" in told:
        told = tomllib.loads((folder / told["cluster"]).read_text(encoding="utf-8"))
    if told.get("cell"):
        raise LabError(f"{where}: the lab has no Wi-Fi: a cell is simulated, and no radio was ever measured", 3)
    if told.get("switch") or told.get("trunk"):
        raise LabError(f"{where}: the lab has one switch or one medium", 3)
    tables = [table("[network]", told.get("network", {}))]
    for number, node in enumerate(told.get("node", [])):
        for key, what in SIMULATED_ONLY.items():
            if key in node:
                raise LabError(f"{where}: node {node['id']}: the lab has no {what}; '{key}' is for the simulation only", 3)
        placed = {**node, "address": f"{SUBNET}.{FIRST_HOST + number}", "port": PORT}
        if "profile" in node and (folder / node["profile"]).exists():
            placed["profile"] = str(folder / node["profile"])
        tables.append(table("[[node]]", placed))
    return "\n".join(tables)


def table(head, values):
    return head + "\n" + "".join(f"{key} = {literal(value)}\n" for key, value in values.items())


def literal(value):
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)
