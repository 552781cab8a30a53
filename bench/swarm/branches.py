"""Which branches of the node no seed takes: shingle-simtest built by clang so that it counts them (SHINGLE_COVERAGE), and both ways of
every condition in runtime/node/ that none of the seeds went. Asserts are left out, because their failing side is never taken."""
import collections
import pathlib
import re
import subprocess

from lab import site

SEEDS, FULL = 400, 4000
LISTED = 400  # in the object; the table has all


def built():
    """The program that counts; tools/deps --fuzz installs the compiler."""
    run(["tools/deps", "--fuzz"])
    compiler = run(["tools/clang"]).strip().splitlines()[-1]
    run(["cmake", "--preset", "coverage", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={compiler.replace('clang++', 'clang')}"])
    run(["cmake", "--build", "--preset", "coverage", "--target", "shingle-simtest"])
    return site.ROOT / "build/coverage/tests/swarm/shingle-simtest", pathlib.Path(compiler).resolve().parent


def run(command, **options):
    done = subprocess.run(command, cwd=site.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise site.BenchError(f"{' '.join(map(str, command))} failed: {done.stdout[-1000:]}")
    return done.stdout


def lcov(program, tools, seeds):
    """What llvm-cov, of the compiler's own version, says of a run, as lcov writes it. `seeds` judges seeds that fail."""
    profile = site.ROOT / "build/coverage/swarm"
    done = subprocess.run([program, "--seeds", str(seeds), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          env={"LLVM_PROFILE_FILE": f"{profile}.profraw"})
    if done.returncode not in (0, 1):
        raise site.BenchError(f"{program} ended with {done.returncode}")
    run([tools / "llvm-profdata", "merge", "-sparse", f"{profile}.profraw", "-o", f"{profile}.profdata"])
    return subprocess.run([tools / "llvm-cov", "export", "-format=lcov", f"-instr-profile={profile}.profdata", program], check=True,
                          capture_output=True, text=True).stdout


def branches(text):
    """{(file, line, column order): times taken} of runtime/node/. The failing side of an assert does not count."""
    found = {}
    for record in text.split("end_of_record\n"):
        source = re.search(r"^SF:(.*)$", record, re.M)
        path = source.group(1).removeprefix(f"{site.ROOT}/") if source else ""
        if not re.fullmatch(r"runtime/node/[a-z_/]*\.cpp", path):
            continue
        lines = (site.ROOT / path).read_text().splitlines()
        for line, block, way, taken in re.findall(r"^BRDA:(\d+),(\d+),(\d+),(-|\d+)$", record, re.M):
            if "assert(" not in lines[int(line) - 1]:
                key = path, int(line), int(block), int(way)
                found[key] = found.get(key, 0) + (0 if taken == "-" else int(taken))
    return found


def measure(found, full):
    seeds = FULL if full else SEEDS
    taken = branches(lcov(*built(), seeds))
    missed = collections.defaultdict(list)
    for (path, line, _, way), times in sorted(taken.items()):
        if times == 0:
            missed[path].append(f"{line}{'T' if way % 2 == 0 else 'F'}")
    for path, places in missed.items():
        print(f"  {path}: {' '.join(places)}")
    every = [f"{path}:{place}" for path, places in missed.items() for place in places]
    found.put("branches", len(taken), note=f"of runtime/node/, {seeds} seeds; T: never true, F: never false")
    found.put("unreached_branches", len(every))
    found.values["unreached"] = every[:LISTED]
