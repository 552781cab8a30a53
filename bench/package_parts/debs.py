"""Which packages there are: how many of which releases and architectures."""
from lab import site
from package_parts import packages


def run(_, say):
    found = packages.all_made()
    if not found:
        raise site.BenchError(f"there are no packages in {packages.folder('bookworm')}; run {packages.command('bookworm')}")
    for release in packages.RELEASES:
        for architecture in packages.ARCHITECTURES:
            files = found.get(release, {}).get(architecture, [])
            if not files:
                say(f"{release} {architecture}: none; {packages.command(release, architecture)} makes them")
                continue
            megabytes = sum(file.stat().st_size for file in files) / 1e6
            old = "" if packages.is_of_head(files[0]) else "; made of another commit"
            say(f"{release} {architecture}: {len(files)} packages, {megabytes:.1f} MB{old}")
    return {"debs": {release: {each: len(files) for each, files in of.items()} for release, of in found.items()}}
