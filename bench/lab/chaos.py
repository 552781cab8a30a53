"""Real processes under faults: six boards, a stream of frames, and every output held against one machine's.

`many`: runs from seeds, each with a few faults of every kind. `killed`: a worker killed every 3 s for two minutes."""
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import time

from . import runs, site
from .boards import OWNER, Boards, Stream, percentile, raw_outputs, repeated
from .chaos_faults import PLAIN, RELAYED, Broker, Hand, draw

CLUSTER = site.CLUSTERS / "pi3x6.toml"
SIDE, NODES, PICTURES = 112, 6, 50
FRAMES, FAULTS_S, END_S = 200, 5.0, 90.0
WARM_UP = 10  # frames before the first fault
CALM_S, KILLED_S = 20.0, 120.0
EVERY_S, DOWN_S = 3.0, 1.0  # a worker is killed, and so much later started again
TAIL_S = 2.0  # before a stream's end faults are not judged by its rate: that is how long it may take to come back
LOOK_S = 0.5  # frames of so long count as the rate of a moment
ENOUGH = 0.9 * (NODES - 1) / NODES


@contextlib.contextmanager
def full_disk():
    """A folder in which nothing more fits."""
    folder = site.FOLDER / f"full-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True)
    site.call("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder)
    try:
        with contextlib.suppress(OSError):
            (folder / "filler").write_bytes(bytes(1 << 20))
        yield folder
    finally:
        site.call("umount", folder)
        folder.rmdir()


class Chaos:
    """A model, a plan in which every board has tiles, and what one machine computes of the pictures."""

    def __init__(self, scratch, cluster=CLUSTER, encrypted=False, capped=False):
        self.scratch, self.cluster, self.capped = pathlib.Path(scratch), cluster, capped
        self.keys = self.scratch / "keys" if encrypted else None
        if encrypted:
            site.call(site.PROGRAM, "keys", "init", "--keys", self.keys, "--cluster", cluster)
        self.model = site.model("yolov2_front", SIDE)
        self.pictures = site.pictures(SIDE, PICTURES)
        self.plan = self.planned_for(OWNER)
        self.expected = None

    def planned_for(self, owner):
        return runs.plan(self.model, self.cluster, "--open-frames", 4, "--goal", "throughput", name=f"chaos-{self.cluster.stem}-{owner}", owner=owner).path

    def boards(self, lab, **options):
        return Boards(lab, self.model, keys=self.keys, capped=self.capped, **options)

    @contextlib.contextmanager
    def folder(self, name):
        folder = self.scratch / name
        folder.mkdir()
        yield folder
        shutil.rmtree(folder)

    def learn(self, lab):
        """Undisturbed, each frame compared with one machine's by the program itself; then its outputs are what is expected."""
        with self.boards(lab) as boards, self.folder("expected") as raw:
            with Stream(boards, self.pictures, PICTURES, "--plan", self.plan, "--verify", raw=raw) as stream:
                if not stream.wait_for_end(END_S) or not stream.summary or stream.summary["identical"] is not True:
                    raise site.BenchError(f"undisturbed, the stream does not give what one machine computes: {' '.join(stream.trouble)[-300:]}")
            self.expected = raw_outputs(raw)

    @contextlib.contextmanager
    def stream(self, boards, frames, *options, owner=OWNER, plan=None):
        """A stream with the folder of its outputs; over when the context is left, however it was."""
        with self.folder(f"pictures-{owner}") as folder, self.folder(f"outputs-{owner}") as raw:
            with Stream(boards, repeated(self.pictures, frames, folder / "all"), frames, "--plan", plan or self.plan, *options, raw=raw,
                        owner=owner) as stream:
                yield stream, raw

    def judge(self, stream, raw):
        """Lost, and wrong: other bytes, twice, or out of order."""
        frames = [told["frame"] for _, told in stream.delivered]
        outputs = raw_outputs(raw)
        other = sum(outputs.get(frame) != self.expected[frame % PICTURES] for frame in set(frames))
        disorder = sum(later <= earlier for earlier, later in zip(frames, frames[1:]))
        return stream.frames - len(set(frames)), other + disorder

    def one(self, lab, seed, kinds, disk):
        """A seed's run. Says what was done to it where something was lost or wrong."""
        dice = random.Random(seed)
        boards = self.boards(lab)
        with contextlib.ExitStack() as ended:
            broker = ended.enter_context(Broker(lab, boards.cluster, self.scratch)) if dice.random() < 0.3 else None
            words = broker.words() if broker else []
            boards.options = {node: [*words, *(["--packed", disk] if dice.random() < 0.2 else [])] for node in boards.workers}
            ended.enter_context(boards)
            faults = draw(dice, boards.workers, kinds, FAULTS_S, broker is not None, first=kinds[seed % len(kinds)])
            stream, raw = ended.enter_context(self.stream(boards, FRAMES, *words))
            stream.wait_for(WARM_UP)
            disturb(Hand(boards, broker), faults)
            over = stream.wait_for_end(END_S)
            lost, wrong = self.judge(stream, raw)
            if lost or wrong:
                print(f"  seed {seed}: {lost} lost, {wrong} wrong{'' if over else ', it hangs'}; {'; '.join(map(str, faults))}; "
                      f"{' | '.join(stream.trouble[-3:])}", flush=True)
            return lost, wrong, [fault.kind for fault in faults]


def disturb(hand, faults):
    begin = time.monotonic()
    moments = sorted([(fault.at_s, number, hand.begin) for number, fault in enumerate(faults)] +
                     [(fault.at_s + fault.for_s, number, hand.mend) for number, fault in enumerate(faults)], key=lambda each: each[:2])
    for at_s, number, do in moments:
        time.sleep(max(0.0, begin + at_s - time.monotonic()))
        do(faults[number])


@contextlib.contextmanager
def scene(**options):
    scratch = site.FOLDER / f"chaos-{os.getpid()}"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        yield Chaos(scratch, **options)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def many(count, first_seed=1, encrypted=False):
    """Half of the seeds on plain wires, half through the relay; `encrypted`: with keys, so that it corrupts what they encrypted."""
    half = first_seed + (count + 1) // 2
    lost = wrong = done = 0
    kinds_seen = collections.Counter()
    with scene(encrypted=encrypted) as chaos, full_disk() as disk:
        for options, kinds, seeds in (((), PLAIN, range(first_seed, half)), (("--relay",), RELAYED, range(half, first_seed + count))):
            with site.lab(CLUSTER, *options) as lab:
                if chaos.expected is None:
                    chaos.learn(lab)
                for seed in seeds:
                    its_lost, its_wrong, faults = chaos.one(lab, seed, kinds, disk)
                    lost, wrong, done = lost + its_lost, wrong + its_wrong, done + 1
                    kinds_seen.update(faults)
    print("faults:", ", ".join(f"{number} {kind}" for kind, number in kinds_seen.most_common()))
    return {"process_runs": done, "lost": lost, "wrong": wrong}


# --- a worker killed (or stopped) every three seconds --------------------------------------------

def kill(boards, node):
    boards.kill(node)


def stop(boards, node):
    boards.signal(node, signal.SIGSTOP)


def wake(boards, node):
    boards.signal(node, signal.SIGCONT)


class Disturbed:
    """A stream in which something is done to one worker after the other, drawn from a seed; nothing where nothing is to be done."""

    def __init__(self, chaos, lab, frames, begin=None, mend=None):
        dice, self.times = random.Random(1), []
        with chaos.boards(lab) as boards, chaos.stream(boards, frames) as (stream, raw):
            if not stream.wait_for(2 * WARM_UP):
                raise site.BenchError(f"no frames: {' '.join(stream.trouble)[-300:]}")
            self.begin_s = time.monotonic()
            while begin and not stream.is_over():
                node = dice.choice(boards.workers)
                self.times.append((time.monotonic(), node))
                begin(boards, node)
                time.sleep(DOWN_S)
                mend(boards, node)
                stream.wait(lambda: time.monotonic() > self.times[-1][0] + EVERY_S, 2 * EVERY_S)
            stream.wait_for_end(frames / 5.0)
            self.boards, self.stream = boards, stream
            self.left_dead = [node for node in boards.workers if not boards.is_running(node)]
            self.lost, self.wrong = chaos.judge(stream, raw)
            self.end_s = stream.delivered[-1][0]

    def rate(self):
        return self.stream.rate(self.begin_s, self.end_s)

    def p99_ms(self):
        return percentile([told["ms"] for at, told in self.stream.delivered if at >= self.begin_s], 0.99)

    def recovery_s(self, wanted):
        """After each fault, until frames come at this rate; the worst. Those so late that the stream ends anyway are left out."""
        judged = [at for at, _ in self.times if at <= self.end_s - TAIL_S]
        if not judged:
            raise site.BenchError(f"the stream ended before a fault could be judged: it lasted {self.end_s - self.begin_s:.1f} s")
        return max(self.recovered_s(at, wanted) for at in judged)

    def recovered_s(self, at, wanted):
        """At the latest the stream's end, where they never do."""
        look = at
        while self.stream.rate(look, look + LOOK_S) < wanted and look + LOOK_S < self.end_s:
            look += 0.02
        return look + LOOK_S - at if look > at else 0.0

    def noticed_ms(self):
        """How long after each fault each other worker said that it lost that node; all the time until the next one where it did not."""
        return [1e3 * (losses.get(other, at + EVERY_S) - at) for at, node in self.times
                for losses in [self.boards.losses_of(node, at, at + EVERY_S)] for other in self.boards.workers if other != node]


def killed(found, seconds=KILLED_S):
    with scene() as chaos, site.lab(CLUSTER) as lab:
        chaos.learn(lab)
        calm = Disturbed(chaos, lab, int(CALM_S * 24))
        frames = int(0.85 * seconds * calm.rate())
        dead = Disturbed(chaos, lab, frames, kill, Boards.start)
        hung = Disturbed(chaos, lab, frames // 4, stop, wake)
    found.put("stream_fps", calm.rate(), ("least", 20.0), note=f"undisturbed, six nodes; p99 {calm.p99_ms():.0f} ms")
    found.put("p99_ratio", dead.p99_ms() / (calm.p99_ms() + 500.0), ("most", 2.0), note=f"{len(dead.times)} kills in {dead.end_s - dead.begin_s:.0f} s; p99 {dead.p99_ms():.0f} ms")
    found.put("recovery_s", dead.recovery_s(ENOUGH * calm.rate()), ("most", 2.0), note=f"the worst, to {ENOUGH * calm.rate():.1f} frames/s; {dead.rate():.1f} throughout")
    found.put("detect_crash_ms", percentile(dead.noticed_ms(), 0.99), ("most", 100.0), note=f"p99 of {len(dead.noticed_ms())}, by the other nodes' logs")
    found.put("detect_hang_ms", percentile(hung.noticed_ms(), 0.99), ("most", 500.0), note=f"p99 of {len(hung.noticed_ms())}")
    found.put("suspicions", calm.boards.suspicions(), ("most", 0), note=f"of nodes that lived, undisturbed, in {calm.end_s - calm.begin_s:.0f} s")
    return {"lost": dead.lost + hung.lost, "wrong": dead.wrong + hung.wrong}


def measure(found, full):
    wanted = 200 if full else 20
    runs_done = many(wanted)
    kills = killed(found)
    found.put("process_runs", runs_done["process_runs"], ("least", wanted), note=f"{FRAMES} frames each, 2 to 5 faults")
    found.put("frames_lost", runs_done["lost"] + kills["lost"], ("most", 0))
    found.put("frames_wrong", runs_done["wrong"] + kills["wrong"], ("most", 0), note="by the bytes of every output, or twice, or out of order")
