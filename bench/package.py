# What is installed and what others call: packages, the service, other releases and architectures, clients of every kind.
"""  tools/bench package [--json] [--only KEYS]

KEYS, by commas: keys of the JSON object or names of parts; a part runs if one of its keys is asked for. A part that cannot run says
why and gives null, which counts as missed. As root. Packages are looked at as tools/package made them; it says which to make.
Parts that take long: `lifecycle` and `arm64_installs`, `trixie`, `arm64`, `reproducible` and `sanitized` (they build)."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import parts, site  # noqa: E402

PARTS = {
    "debs": {"debs": ("printed", None), "debs_complete": ("least", True)},
    "lifecycle": {"node_install_mb": ("most", 60), "lifecycle_ok": ("least", True)},
    "bare": {"node_bare_mb": ("most", 20)},
    "lintian": {"lintian_errors": ("most", 0)},
    "systemd": {"systemd_score": ("most", 2.0)},
    "reproducible": {"reproducible": ("least", True)},
    "arm64": {"arm64_tests_passed": ("least", 1), "arm64_tests_failed": ("most", 0), "arm64_bits_equal": ("least", True),
              "arm64_identical": ("least", True)},
    "arm64_installs": {"arm64_installs": ("least", True)},
    "trixie": {"trixie_tests_passed": ("least", 1), "trixie_tests_failed": ("most", 0), "trixie_class_equal": ("least", True)},
    "clients": {"clients_identical": ("each", True)},
    "cost": {"client_cost": ("most", 0.02)},
    "sanitized": {"opens_leak_nothing": ("least", True), "threads_race_nothing": ("least", True)},
    "frigate_times": {"frigate_p99_ms": ("most", 160)},
}

if __name__ == "__main__":
    try:
        sys.exit(parts.Bench("package", PARTS).main(__doc__))
    except site.BenchError as error:
        sys.exit(f"bench package: {error}")
