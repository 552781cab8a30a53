"""Doxygen's view of a header: Doxygen reads only comments that begin with two stars or three strokes, and ours are plain. Prints
the file with those that stand on lines of their own as such comments, their text verbatim; each line keeps its number.

    python3 docs/site/doxygen_filter.py HEADER
"""
import pathlib
import re
import sys

# "--- codes ---" heads a part of the file and describes nothing.
BLOCK = re.compile(r"^([ \t]*)/\*(?![ \t]*---)((?:(?!\*/).)*)\*/[ \t]*$", re.M | re.S)
STROKES = re.compile(r"(?:^[ \t]*//(?![ \t]*---).*\n)+", re.M)


def marked(text):
    """The text of a header for Doxygen. The first comment is the header's own and describes no declaration."""
    def of_block(match):
        return match[0] if match.start() == 0 else f"{match[1]}/** @verbatim{match[2]}@endverbatim*/"

    def of_strokes(match):
        if match.start() == 0:
            return match[0]
        lines = [re.sub(r"^([ \t]*)// ?", r"\1/// ", line) for line in match[0].splitlines()]
        lines[0] = lines[0].replace("/// ", "/// @verbatim ", 1)
        return "\n".join(lines) + " @endverbatim\n"

    return STROKES.sub(of_strokes, BLOCK.sub(of_block, text))


if __name__ == "__main__":
    print(marked(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), end="")
