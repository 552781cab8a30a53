"""A build of this checkout for Arm's 64 bits, by a cross compiler in a tree of a Debian release (tools/in-tree), and its programs."""
import pathlib
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURE, TRIPLET, QEMU = "arm64", "aarch64-linux-gnu", "qemu-aarch64-static"
LOG_LOCK = threading.Lock()


class EmulationError(Exception):
    """What is wrong and what to do, in one sentence."""


def call(words, log, timeout):
    """What it prints, and its status; all of it goes to the log."""
    ran = subprocess.run([str(word) for word in words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                         timeout=timeout)
    with LOG_LOCK:
        log.write(f"\n{' '.join(map(str, words))}\n{ran.stdout}")
        log.flush()
    return ran.stdout, ran.returncode


class CrossTree:
    """`suite`: the release. `log`: an open file, for all that is said."""

    def __init__(self, suite, log):
        self.suite, self.log = suite, log

    @property
    def copy(self):
        """The checkout's copy in the tree, as it is seen from outside."""
        return ROOT / f"build/trees/{self.suite}-{ARCHITECTURE}"

    def words(self, *words):
        """The command line that runs `words` in the tree."""
        return [ROOT / "tools/in-tree", "--cross", ARCHITECTURE, self.suite, "env", f"SHINGLE_TRIPLET={TRIPLET}", *words]

    def run(self, *words, timeout=4 * 3600):
        """What it prints, and its status."""
        return call(self.words(*words), self.log, timeout)

    def emulate(self, program, *words):
        """The same of a program that was built there; `program` is its path below build/release."""
        return self.run(QEMU, f"build/release/{program}", *words)

    def build(self, *targets):
        """Everything if no target is named."""
        self._must_end_well("cmake", "--preset", "release", "--toolchain", "/shingle/tools/cross.cmake")
        self._must_end_well("cmake", "--build", "--preset", "release", "--target", *(targets or ["all"]))

    def _must_end_well(self, *words):
        if self.run(*words, timeout=12 * 3600)[1] != 0:
            raise EmulationError(f"the build for {ARCHITECTURE} failed; see {self.log.name}")


def build_here(log, *targets):
    """The same targets for this machine, in build/release."""
    for words in (["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release", "--target", *targets]):
        if call(words, log, 12 * 3600)[1] != 0:
            raise EmulationError(f"the build for this machine failed; see {log.name}")
