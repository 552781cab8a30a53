"""Install, use, upgrade, downgrade, remove and purge all packages in a clean root of each release, by tools/try-packages."""
import re
import subprocess

from lab import site
from package_parts import packages

GROWTH = re.compile(r"shingle-node with all that it needs: (\d+) MB installed")


def checks_of(text):
    """(passed, the names of those that failed, megabytes or None) of what tools/try-packages printed."""
    growth = GROWTH.search(text)
    return len(re.findall(r"^ok  ", text, re.M)), re.findall(r"^FAILED  (.*)$", text, re.M), int(growth[1]) if growth else None


def try_packages(say, release, architecture, *options, around=(), timeout=2 * 3600):
    """(whether all is well, megabytes). `around`: the command that runs it."""
    now, later = packages.folder(release), packages.folder(release, "packages-next")
    if not packages.made(release, architecture) or not list(later.glob(f"*_{architecture}.deb")):
        raise site.BenchError(f"there are no packages of {release} for {architecture} with a later version; "
                              f"run {packages.command(release, architecture)} --next")
    packages.are_of_head(release, architecture, say)
    ran = subprocess.run([*around, site.ROOT / "tools/try-packages", "--release", release, "--arch", architecture, *options, now, later],
                         cwd=site.ROOT, capture_output=True, text=True, check=False, timeout=timeout)
    passed, failed, megabytes = checks_of(ran.stdout)
    say(f"{release} {architecture}: {passed} checks passed, {len(failed)} failed")
    if megabytes is not None:
        say(f"{release} {architecture}: the node with all that it needs: {megabytes} MB over a bare root")
    for name in failed:
        say(f"  FAILED  {name}")
    if ran.returncode not in (0, 1) or passed == 0:
        raise site.BenchError(f"tools/try-packages ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
    return ran.returncode == 0 and not failed, megabytes


def run(_, say):
    results = [try_packages(say, release, packages.here()) for release in packages.RELEASES]
    sizes = [megabytes for _, megabytes in results if megabytes is not None]
    return {"lifecycle_ok": all(ok for ok, _ in results), "node_install_mb": max(sizes) if len(sizes) == len(results) else None}
