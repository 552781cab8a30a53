"""DeepThings' scheme run for real in a lab: the six boards and a seventh host like them, which is the gateway."""
import contextlib
import dataclasses
import json
import statistics
import subprocess
import time

from . import runs, site

PROGRAM = site.ROOT / "build/release/bench/bench-ftp"
SCHEME = "ftp:5x5:16+reuse"
BOARD = """
[[node]]
id = {id}
address = "10.77.0.{last}"
port = 7000
gflops = 4.0
pace = true
"""


@dataclasses.dataclass
class Ran:
    """By frame, in seconds; the first one warms caches up."""
    whole_s: list
    block_s: list  # until the gateway has the block's output
    rolled_back: list
    outputs: list  # hashes
    wire_bytes_per_frame: int
    paced_tiles: int
    overruns: int

    def whole_median_s(self):
        return statistics.median(self.whole_s[1:])

    def block_median_s(self):
        return statistics.median(self.block_s[1:])


def cluster_with_gateway(nodes):
    """The first nodes of pi3x6 and a gateway."""
    path = site.FOLDER / f"pi3x{nodes}_gateway.toml"
    path.write_text(site.cluster_of(nodes).read_text() + BOARD.format(id=nodes, last=10 + nodes))
    return path


def roles(nodes):
    return {nodes: "gateway", 0: "source", **{node: "thief" for node in range(1, nodes)}}


def run(lab, model, nodes, frames, scheme=SCHEME, patience_s=300):
    with contextlib.ExitStack() as ended:
        processes = {}
        for node, role in roles(nodes).items():
            words = lab.command("exec", node, PROGRAM, role, "--cluster", lab.cluster, "--model", model, "--scheme", scheme, "--id", node,
                                *(("--frames", frames) if role == "source" else ()))
            processes[node] = ended.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        try:
            wait_for_all(processes, nodes, patience_s)
        except BaseException:
            for process in processes.values():
                process.terminate()
            raise
        told = {node: [json.loads(line) for line in process.stdout] for node, process in processes.items()}
    return of_lines(told[0][:-1], told[nodes][:-1], [lines[-1] for lines in told.values()])


def wait_for_all(processes, nodes, patience_s):
    """Until all have ended well; one that does not leaves the others waiting for it."""
    end = time.monotonic() + patience_s
    while any(process.poll() is None for process in processes.values()):
        failed_process(processes, nodes)
        if time.monotonic() > end:
            raise site.BenchError(f"DeepThings' scheme is not done after {patience_s} s")
        time.sleep(0.1)
    failed_process(processes, nodes)


def failed_process(processes, nodes):
    for node, process in processes.items():
        if process.poll():
            raise site.BenchError(f"the {roles(nodes)[node]} at node {node} ended with {process.returncode}: {process.stderr.read().strip()[-300:]}")


def of_lines(source, gateway, reports):
    rest = {line["frame"]: line for line in gateway}
    whole = [line["ms"] * 1e-3 for line in source]
    block = [line["ms"] * 1e-3 - rest[line["frame"]]["rest_ms"] * 1e-3 for line in source]
    return Ran(whole, block, [line["rolled_back"] for line in source], [rest[line["frame"]]["output"] for line in source],
               sum(report["payload_bytes_sent"] for report in reports) // len(source), sum(report["pace"]["tiles"] for report in reports),
               sum(report["pace"]["overruns"] for report in reports))


def alone(model, frames):
    """The outputs of one machine, by frame."""
    return [json.loads(line)["output"] for line in site.call(PROGRAM, "alone", "--model", model, "--frames", frames).splitlines()]


def check(bench):
    """Compares the simulation with the paper, at the speed of its boards and of its Wi-Fi."""
    told = json.loads(site.call(PROGRAM, "check"))["ftp_check"]
    bench.found.put("ftp_check", told["seconds"], note=f"the paper's 7.0 s; {100 * told['redundancy']:.1f} % redundant (27.6), {told['mib']:.2f} MiB (12.6)")
    bench.found.put("ftp_check_error", abs(told["seconds"] / 7.0 - 1.0), ("most", 0.15))
    bench.found.put("ftp_check_redundancy_error", abs(told["redundancy"] - 0.276), ("most", 0.01), note="of the paper's 27.6 %, in shares")
    bench.found.put("ftp_check_mib_error", abs(told["mib"] / 12.6 - 1.0), ("most", 0.05), note="of the paper's 12.6 MiB a frame")


def part(bench, nodes=6):
    check(bench)
    frames = bench.runs + 1
    with site.lab(cluster_with_gateway(nodes)) as lab:
        theirs = run(lab, bench.whole, nodes, frames)
    bench.found.count(theirs)
    bench.found.put("ftp_identical", theirs.outputs == alone(bench.whole, frames), ("least", True), note="to one machine, bit for bit")
    with site.lab(site.CLUSTERS / "pi3x6.toml") as lab:
        for name, model, their_s, most in (("front", bench.front, theirs.block_median_s(), 0.45), ("whole", bench.whole, theirs.whole_median_s(), 0.3)):
            ours = bench.single(lab, model, runs.plan(model, lab.cluster, name=name), frames=frames)
            bench.found.put(f"vs_ftp_{name}", ours.latency_s() / their_s, ("most", most), bench.least_s(name) / their_s,
                            note=f"{ours.latency_s():.3f} s against {their_s:.3f} s, {theirs.wire_bytes_per_frame / (1 << 20):.2f} MiB, "
                                 f"rolled back by frame: {', '.join(map(str, theirs.rolled_back[1:]))}")
