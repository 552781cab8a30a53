"""Caps on memory: layers 0-15 under caps from 16 to 64 MiB a node, in control groups of so much beside the bare process."""
import re

from . import runs, site

CAPS_MIB = (16, 24, 32, 48, 64)
MUST_RUN_MIB = 24
MIB = 1 << 20


def measure(bench):
    ran = bench.found.values["caps"] = {}
    errors = []
    for cap in CAPS_MIB:
        cluster = site.cluster_of(6, change=lambda _, table, cap=cap: f'{table.rstrip()}\nmemory = "{cap} MiB"\n\n', name=f"cap_{cap}")
        planned = plan_or_refusal(bench.front, cluster)
        if isinstance(planned, str):
            refused(bench, ran, cap, planned)
            continue
        with site.lab(cluster) as lab:
            measured = runs.run(lab, bench.front, bench.pictures, "--open", "1", planned=planned)
        bench.found.count(measured)
        held = held_bytes(measured.nodes)
        told = {node["node"]: node for node in planned.told["explained"]["nodes"]}
        for node, asked in predicted_bytes(planned).items():
            errors.append(abs(asked / held[node] - 1.0))
        worst = max(told, key=lambda node: abs(told[node]["peak_bytes"] / held[node] - 1.0))
        print(parts(told[worst], next(report for report in measured.nodes if report["node"] == worst)))
        fits = max(held.values()) <= cap * MIB
        ran[cap] = fits
        bench.found.put(f"caps.{cap}", fits, ("least", True), note=f"{max(held.values()) / MIB:.1f} MiB at most, said {max(predicted_bytes(planned).values()) / MIB:.1f}; "
                        f"{measured.latency_s():.3f} s, plan {planned.hash[:12]}")
        del bench.found.values[f"caps.{cap}"]
    bench.found.put("predicted_memory_error", max(errors), ("most", 0.05), note=f"the worst of {len(errors)} nodes")


def refused(bench, ran, cap, sentence):
    """A cap below the required ones may be refused, if the sentence names a cap that fits."""
    ran[cap] = False
    smallest = re.search(r"the smallest cap that fits is ([0-9.]+) MiB", sentence)
    good = cap < MUST_RUN_MIB and smallest is not None
    bench.found.put(f"caps.{cap}", good, ("least", True), note=f"refused: the smallest that fits is {smallest[1] if smallest else 'not said'} MiB")
    del bench.found.values[f"caps.{cap}"]


def plan_or_refusal(model, cluster):
    try:
        return runs.plan(model, cluster, "--explain", name=cluster.stem)
    except site.BenchError as error:
        if "smallest cap" not in str(error):
            raise
        return str(error)


def held_bytes(reports):
    """By node: the most that was resident, beside what the process held before it had a plan."""
    return {report["node"]: report["memory"]["most_resident_bytes"] - report["memory"]["bare_bytes"] for report in reports}


def parts(told, report):
    """A node's predicted and measured memory, in MiB."""
    memory = report["memory"]
    measured = {"weights": memory["packed_bytes"], "buffers": memory["executor_peak_bytes"] - memory["packed_bytes"],
                "maps": memory["canvas_peak_bytes"], "all": memory["most_resident_bytes"] - memory["bare_bytes"]}
    measured["rest"] = 2 * measured["all"] - sum(measured.values())
    said = {"weights": told["weight_bytes"], "buffers": told["buffer_bytes"], "rest": told["other_bytes"], "all": told["peak_bytes"]}
    said["maps"] = 2 * said["all"] - sum(said.values())
    return f"  node {told['node']}: " + ", ".join(f"{part} {measured[part] / MIB:.2f} (said {said[part] / MIB:.2f})" for part in ("weights", "buffers", "maps", "rest", "all"))


def predicted_bytes(planned):
    return {node["node"]: node["peak_bytes"] for node in planned.told["explained"]["nodes"]}
