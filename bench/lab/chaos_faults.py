"""Faults of real processes and wires, drawn from a seed. Each knows how it begins and how it is mended."""
import dataclasses
import pathlib
import signal
import subprocess

from . import boards as _  # noqa: F401  it puts tools/laboratory on the path
from laboratory import cluster as clusters  # noqa: E402
from laboratory import faults, relaying, state  # noqa: E402


@dataclasses.dataclass
class Fault:
    kind: str
    node: int
    other: int  # the far end, where the kind is of a way
    at_s: float
    for_s: float
    amount: int = 0

    def __str__(self):
        return f"{self.kind} {self.node}{f':{self.other}' if self.kind in OF_A_WAY else ''} at {self.at_s:.2f} s for {self.for_s:.2f} s"


OF_A_WAY = {"drop", "delay", "cut", "flip"}
PLAIN = ["kill", "kill", "stop", "link", "drop", "memory"]
TOO_LITTLE = 24 << 20  # bytes: enough to begin, too little for the network
RELAYED = ["kill", "stop", "drop", "delay", "cut", "flip"]


def draw(dice, workers, kinds, seconds, with_broker, first=None):
    """Two to five faults in so many seconds, one of them of the kind `first`. The owner itself is spared: a frame dies with its owner; its wires are not."""
    found = []
    for number in range(dice.randint(2, 5)):
        kind = dice.choice(kinds + (["broker"] if with_broker else []))
        kind = first if first and number == 0 else kind
        node = dice.choice(workers)
        other = dice.choice([each for each in [0, *workers] if each != node])
        if dice.random() < 0.5 and kind in OF_A_WAY:
            node, other = other, node
        at_s = dice.uniform(0.3, seconds)
        found.append(Fault(kind, node, other, at_s, dice.uniform(0.1, 2.0), dice.randint(20, 200)))
    return sorted(found, key=lambda fault: fault.at_s)


class Hand:
    """Begins and mends faults in a lab."""

    def __init__(self, boards, broker=None):
        self.boards, self.broker = boards, broker
        self.name, self.cluster = boards.lab.name, boards.cluster

    def begin(self, fault):
        getattr(self, f"begin_{fault.kind}")(fault)

    def mend(self, fault):
        getattr(self, f"mend_{fault.kind}")(fault)

    def begin_kill(self, fault):
        self.boards.kill(fault.node)

    def mend_kill(self, fault):
        if not self.boards.is_running(fault.node):
            self.boards.start(fault.node)

    def begin_stop(self, fault):
        if self.boards.is_running(fault.node):
            self.boards.signal(fault.node, signal.SIGSTOP)

    def mend_stop(self, fault):
        if self.boards.is_running(fault.node):
            self.boards.signal(fault.node, signal.SIGCONT)

    def begin_memory(self, fault):
        """Started again where less memory is left than it needs: the kernel kills it without a word, sooner or later."""
        self.boards.kill(fault.node)
        self.boards.start(fault.node, memory_bytes=TOO_LITTLE)

    def mend_memory(self, fault):
        self.boards.kill(fault.node)
        self.boards.start(fault.node)

    def begin_link(self, fault):
        self.link(fault.node, "down")

    def mend_link(self, fault):
        self.link(fault.node, "up")

    def link(self, node, way):
        namespace = state.host_namespace(self.name, clusters.host_of(self.cluster, node))
        subprocess.run(["ip", "-n", namespace, "link", "set", "eth0", way], check=True)

    def begin_drop(self, fault):
        faults.drop(self.name, self.cluster, f"{fault.node}:{fault.other}")

    def mend_drop(self, fault):
        faults.heal(self.name, self.cluster, f"{fault.node}:{fault.other}")

    def relay(self, fault, **rule):
        relaying.change(self.name, lambda rules: rules.setdefault(f"{fault.node}:{fault.other}", {}).update(rule))

    def begin_delay(self, fault):
        self.relay(fault, delay_ms=fault.amount)

    def mend_delay(self, fault):
        self.relay(fault, delay_ms=0)

    def begin_cut(self, fault):
        self.relay(fault, cut=True)

    def mend_cut(self, fault):
        self.relay(fault, cut=False)

    def begin_flip(self, fault):
        self.relay(fault, flip_every=1000 * fault.amount)

    def mend_flip(self, fault):
        self.relay(fault, flip_every=0)

    def begin_broker(self, _):
        self.broker.kill()

    def mend_broker(self, _):
        self.broker.start()


class Broker:
    """mosquitto at the lab's bridge, where all nodes reach it."""

    def __init__(self, lab, cluster, folder):
        self.lab, self.address = lab, str(clusters.gateway(cluster))
        self.rules = pathlib.Path(folder) / "mosquitto.conf"
        self.rules.write_text(f"listener 1883 {self.address}\nallow_anonymous true\npersistence false\nuser root\n", encoding="ascii")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        if self.process is None:
            self.process = subprocess.Popen(["ip", "netns", "exec", state.namespace(self.lab.name, "net"), "/usr/sbin/mosquitto", "-c", str(self.rules)],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def words(self):
        return ["--broker", f"mqtt://{self.address}:1883"]
