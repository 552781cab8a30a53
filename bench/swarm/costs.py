"""What audits and false suspicions cost when no machine is at fault. In virtual time, from seeds."""
from . import seeds

SEEDS, FULL = 100, 1000


def measure(found, full):
    told = seeds.simtest("--costs", "--seeds", FULL if full else SEEDS)
    note = "virtual time, six boards, a steady stream"
    found.put("audited_throughput", told["audited_throughput"], ("least", 0.95), note=f"--audit 2%; 1: as without; the median; worst {told['worst_audited_throughput']}")
    found.put("suspicion_delay_ms", told["suspicion_delay_ms"], note=note + ", of 100 cases 99")
    found.put("silence_delay_ms", told["silence_delay_ms"], note="of 450 ms of silence, 50 more than allowed")
