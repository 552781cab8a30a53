"""How soon a node that died, fell silent or is cut off one way is noticed, and used again: in virtual time, from seeds."""
from . import seeds

SEEDS, FULL = 100, 1000  # three faults each


def measure(found, full):
    told = seeds.simtest("--detection", "--seeds", FULL if full else SEEDS)
    note = "virtual time, of 100 cases 99"
    found.put("virtual_detect_crash_ms", told["detect_crash_ms"], ("most", 100), note=note)
    found.put("virtual_detect_hang_ms", told["detect_hang_ms"], ("most", 500), note=note)
    found.put("virtual_used_again_ms", told["used_again_ms"], ("most", 2000), note=note)
    found.put("virtual_undetected", told["missed"], ("most", 0), note=f"of {told['cases']} cases")
