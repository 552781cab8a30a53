"""Exported networks on four paced boards, one frame at a time by the planner's plan: beside one board, beside what compute and bytes allow."""
from . import figures, runs, site

LISTS = site.ROOT / "build/release/bench/bench-networks"
GFLOPS, NODES, OPSET = 4.0, 4, 18
PORT_BYTES_S = 50e6 / 8 * 0.942  # what TCP carries of a port's 50 Mb/s
LARGE_GMAC, LARGE_SPEEDUP = 3.0, 2.0  # of convolutional networks
BY_BOUND, SHARE_OF_BOUND = ("deit_small", "convnext_tiny", "mobilevit_s"), 0.8
SHOWN = ("vit_tiny", "segformer_b0", "crnn")  # neither convolutional nor judged by their bound


def networks(only):
    """Name and size of the networks: all, or those that the user chose."""
    lines = [line.split() for line in site.call(LISTS, "--list").splitlines()]
    wanted = only.split(",") if only else [name for name, _ in lines]
    unknown = set(wanted) - {name for name, _ in lines}
    if unknown:
        raise site.BenchError(f"there is no network '{min(unknown)}'; there are {', '.join(name for name, _ in lines)}")
    return [(name, int(side)) for name, side in lines if name in wanted]


def bound(one_s, planned):
    """No board waits: all of them compute all the time, or the busiest way of a port carries the plan's bytes all the time."""
    nodes = planned.told["explained"]["nodes"]
    busiest = max(max(node["sent_bytes"], node["received_bytes"]) for node in nodes)
    return one_s / max(one_s / NODES, busiest / PORT_BYTES_S)


def aim(name, gmac, limit):
    if name in BY_BOUND:
        return ("least", SHARE_OF_BOUND * limit)
    if name not in SHOWN and gmac >= LARGE_GMAC:
        return ("least", LARGE_SPEEDUP)
    return None


def measure(found, options):
    identical = True
    with site.lab(site.CLUSTERS / "four.toml") as lab:
        for name, side in networks(options.only):
            model = site.exported(name, OPSET)
            gmac = runs.plan(model, site.cluster_of(1), name="alone").macs * 1e-9
            planned = runs.plan(model, lab.cluster, "--explain", name=name)
            ran = runs.run(lab, model, site.pictures(side, options.runs + 1), "--open", "1", "--verify", planned=planned)
            found.count(ran, name)
            found.predicted_latency(planned.latency_s, ran.latency_s())
            one_s = 2 * gmac / GFLOPS
            limit = bound(one_s, planned)
            found.put_of(name, "speedup_4", one_s / ran.latency_s(), aim(name, gmac, limit), limit, figures.said(planned, ran))
            found.of_network(name)["bound_4"] = limit
            identical = identical and ran.identical is True
    found.put("lab_identical", identical, ("least", True), note="every byte of every output to one machine's")
