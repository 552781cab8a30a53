"""Commands of the system, and the one type of error here: a sentence."""
import os
import subprocess


class LabError(Exception):
    """One sentence for people; `code` is the exit code (as of the program: 1 on the way, 2 usage, 3 bad input)."""

    def __init__(self, sentence, code=1):
        super().__init__(sentence)
        self.code = code


def call(*words, text=None):
    """Runs a command and returns what it wrote; its error output becomes the sentence."""
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise LabError(f"'{words[0]}' is not installed; run tools/deps")
    if done.returncode != 0:
        why = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise LabError(f"'{' '.join(words)}' failed: {why}")
    return done.stdout


def works(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def must_be_root():
    if os.geteuid() != 0:
        raise LabError("the lab makes network namespaces and must run as root: say sudo tools/lab ...")
