"""The life of the packages that every board has, for Arm's 64 bits: in emulated roots of both releases, by tools/try-packages."""
from lab import site
from package_parts import lifecycle, packages

ARCHITECTURE, OF_BOARDS = "arm64", "shingle-node,libshingle0"  # few: qemu runs their maintainer scripts, dpkg and apt


def run(_, say):
    around = (site.ROOT / "tools/foreign", ARCHITECTURE)
    results = [lifecycle.try_packages(say, release, ARCHITECTURE, "--only", OF_BOARDS, around=around)
               for release in packages.RELEASES]
    return {"arm64_installs": all(ok for ok, _ in results)}
