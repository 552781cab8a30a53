"""Which packages there are: how many of which releases and architectures, and whether all are there, made of HEAD."""
from lab import site
from package_parts import packages


def is_complete(release, architecture, say):
    """Whether a release has all packages of an architecture, made of HEAD."""
    files, command = packages.made(release, architecture), packages.command(release, architecture)
    if not files:
        say(f"{release} {architecture}: none; {command} makes them")
        return False
    say(f"{release} {architecture}: {len(files)} packages, {sum(file.stat().st_size for file in files) / 1e6:.1f} MB")
    of_head, missing = packages.are_of_head(release, architecture, say), packages.missing(files)
    if missing:
        say(f"{release} {architecture}: {', '.join(missing)} missing; {command} makes all")
    return of_head and not missing


def run(_, say):
    found = packages.all_made()
    if not found:
        raise site.BenchError(f"there are no packages in {packages.folder('bookworm')}; run {packages.command('bookworm')}")
    complete = [is_complete(release, each, say) for release in packages.RELEASES for each in packages.ARCHITECTURES]
    return {"debs": {release: {each: len(files) for each, files in of.items()} for release, of in found.items()},
            "debs_complete": all(complete)}
