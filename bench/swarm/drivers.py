"""Whole processes in virtual time: drivers, inboxes, outboxes, slots, loaders and owners, with faults, one cluster from each seed."""
import concurrent.futures
import os

from . import seeds

SEEDS, FULL = 1000, 10_000
PER_CALL = 50


def measure(found, full):
    """In as many processes as there are cores: one run is one thread."""
    count = FULL if full else SEEDS
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = list(pool.map(lambda first: seeds.simtest("--drivers", "--seeds", PER_CALL, "--seed", first), range(1, count, PER_CALL)))
    def total(key):
        return sum(each[key] for each in told)
    found.put("driver_seeds", total("driver_seeds"), ("least", 1000))
    found.put("driver_violations", total("violations"), ("most", 0),
              note=f"{total('strikes')} strikes, {total('captured')} frames, {total('switches')} changes of plans, "
                   f"{total('lost_connections')} connections lost, {total('with_core')} clusters left with a core")
    found.put("driver_longest_delay_s", max(each["longest_delay_s"] for each in told), ("most", 8.0), note="of a frame, once all was mended")
