"""Faults where other promises are kept at the same time: with keys on every wire, with a second owner that is killed, with caps on memory.

`encrypted`: the runs from seeds of chaos.py with keys, half of them through a relay that corrupts what the keys encrypted. `owner_killed`: node 1 owns
a stream of its own and is killed over and over; node 0's frames all come. `capped`: homes die while every node keeps a cap on its memory."""
import time

from . import chaos, site
from .boards import OWNER, Boards

OTHER = 1  # the owner that is killed
OTHERS_FRAMES = 10  # that it delivers before it is
STEADY = 800  # frames of the owner that lives: more than come while the other is killed
KILLS = 4
CAP_MIB, CAPPED_FRAMES = 10, 200  # the planner refuses 6: the fullest node needs 8


def encrypted(found, count):
    ran = chaos.many(count, first_seed=1001, encrypted=True)
    found.put("curve_chaos_runs", ran["process_runs"], ("least", count), note=f"{chaos.FRAMES} frames each, with keys")
    found.put("curve_chaos_lost", ran["lost"], ("most", 0))
    found.put("curve_chaos_wrong", ran["wrong"], ("most", 0))


def wait_for(stream, frames):
    if not stream.wait_for(frames):
        raise site.BenchError(f"{len(stream.delivered)} of {frames} frames came: {' '.join(stream.trouble)[-300:]}")


def owner_killed(found, kills=KILLS):
    """The killed owner's frames die with it; those before are correct; when it comes back, a whole stream of its own succeeds."""
    wrong = done = 0
    with chaos.scene(encrypted=True) as scene, site.lab(chaos.CLUSTER) as lab:
        scene.learn(lab)
        plan = scene.planned_for(OTHER)
        own = {"owner": OTHER, "plan": plan}
        with scene.boards(lab, owners=(OWNER, OTHER)) as boards, scene.stream(boards, STEADY, "--models", scene.model) as (steady, raw):
            for _ in range(kills):
                with scene.stream(boards, STEADY, "--models", scene.model, **own) as (other, others_raw):
                    wait_for(other, OTHERS_FRAMES)
                    wait_for(steady, len(steady.delivered) + 1)
                    done += not other.is_over()
                    other.kill()
                    wrong += scene.judge(other, others_raw)[1]
            if steady.is_over():
                raise site.BenchError("node 0's stream ended before the last kill: it needs more frames")
            with scene.stream(boards, chaos.PICTURES, "--models", scene.model, **own) as (back, backs_raw):
                back.wait_for_end(chaos.END_S)
                backs_lost, backs_wrong = scene.judge(back, backs_raw)
            steady.wait_for_end(3 * chaos.END_S)
            lost, steady_wrong = scene.judge(steady, raw)
            if lost:
                print(f"  node 0: {' | '.join(steady.trouble[-3:])}", flush=True)
    found.put("owner_kills", done, ("least", kills), note=f"of node {OTHER}, {OTHERS_FRAMES} frames or more into its stream")
    found.put("owner_kill_others_lost", lost, ("most", 0), note=f"of node 0's {STEADY} frames")
    found.put("owner_kill_back_lost", backs_lost, ("most", 0), note=f"of {chaos.PICTURES} frames of the killed owner's next stream")
    found.put("owner_kill_wrong", wrong + steady_wrong + backs_wrong, ("most", 0), note="of all that was delivered, to either")


def capped(found, frames=CAPPED_FRAMES):
    cluster = site.cluster_of(chaos.NODES, change=lambda _, table: f'{table.rstrip()}\nmemory = "{CAP_MIB} MiB"\n\n', name=f"chaos_cap_{CAP_MIB}")
    broke = []

    def kill(boards, node):
        if not boards.is_running(node):
            broke.append((time.monotonic(), node))  # the kernel killed it first: it held more than its cap
        boards.kill(node)

    with chaos.scene(cluster=cluster, encrypted=True, capped=True) as scene, site.lab(cluster) as lab:
        scene.learn(lab)
        ran = chaos.Disturbed(scene, lab, frames, kill, Boards.start)
    broke += [(ran.end_s, node) for node in ran.left_dead]
    found.put("caps_chaos_kills", len(ran.times), ("least", 2), note=f"each node under {CAP_MIB} MiB; {frames} frames")
    found.put("caps_chaos_lost", ran.lost, ("most", 0))
    found.put("caps_chaos_wrong", ran.wrong, ("most", 0))
    found.put("caps_broken", len(broke), ("most", 0), note="nodes that the kernel killed, as they took more than their cap")


def measure(found, full):
    encrypted(found, 100 if full else 10)
    owner_killed(found, 20 if full else KILLS)
    capped(found)
