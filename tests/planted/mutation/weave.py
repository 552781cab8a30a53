"""All mutants of a file in one text: each site asks at run time whether it is the one that was chosen.

    if (a < b) f();   becomes   if ((M(7) != static_cast<bool>((M(8) ? (a) <= (b) : (a) < (b))))) { if (!M(9)) { f(); } }

M(n) is `shingle_mutant(n)`, true for the number in the environment variable SHINGLE_MUTANT alone."""
from .sites import NEXT

HEADER = b"bool shingle_mutant(int number);\n"
CHOICE = b"""// The mutant that the environment chooses.
#include <cstdlib>

bool shingle_mutant(int number) {
  static const char* text = std::getenv("SHINGLE_MUTANT");
  static const int chosen = text == nullptr ? 0 : std::atoi(text);
  return number == chosen;
}
"""
ORDER = {"bound": 0, "step": 0, "leave": 1, "turn": 2, "drop": 3}  # of those on the same text, from the inside out


def woven(source, numbered):
    """`numbered`: (number, site) of one file."""
    tree = sorted(numbered, key=lambda each: (each[1].begin, -each[1].end, -ORDER[each[1].kind], each[0]))
    return HEADER + render(source, 0, len(source), tree)


def render(source, begin, end, inner):
    """The text between two places, with the sites that lie within them."""
    inner = [each for each in inner if begin <= each[1].begin and each[1].end <= end]
    parts, at = [], begin
    while inner:
        number, site = inner.pop(0)
        within = [each for each in inner if each[1].end <= site.end]
        inner = [each for each in inner if each[1].begin >= site.end]
        parts += [source[at:site.begin], replaced(source, number, site, within)]
        at = site.end
    return b"".join(parts) + source[at:end]


def replaced(source, number, site, inner):
    text = render(source, site.begin, site.end, inner)
    chosen = b"shingle_mutant(%d)" % number
    if site.kind == "drop":
        return b"{ if (!%s) { %s } }" % (chosen, text)
    if site.kind == "turn":
        return b"(%s != static_cast<bool>(%s))" % (chosen, text)
    if site.kind == "step":
        return b"(%s + (%s ? 1 : 0))" % (text, chosen)
    operands = [render(source, *operand, inner) for operand in site.operands]
    if site.kind == "leave":
        return b"(%s ? static_cast<bool>(%s) : (%s))" % (chosen, operands[0], text)
    other = NEXT[site.operator].encode()
    left, right = operands
    return b"(%s ? (%s) %s (%s) : (%s) %s (%s))" % (chosen, left, other, right, left, site.operator.encode(), right)
