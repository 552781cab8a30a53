"""All mutants of a file in one text: each site asks at run time whether it is the one that was chosen.

    if (a && b) f();   becomes   if (static_cast<bool>(M(8) ? static_cast<bool>(a) : (a && b)) != M(7)) { if (!M(9)) { f(); } }

M(n) is `shingle_mutant(n)`, true for the number in the environment variable SHINGLE_MUTANT alone. A run of the source without any
mutant can write down which mutants it met: where the mutant stands was reached, and where a bound is off by one both sides were equal.
What a run did not meet it cannot kill, so nobody has to try."""
from .sites import NEXT

HEADER = b"""extern const int shingle_chosen_mutant;
extern bool shingle_mutants_met[];
inline bool shingle_mutant(int number) {
  if (shingle_chosen_mutant < 0) shingle_mutants_met[number] = true;
  return number == shingle_chosen_mutant;
}
template <class Said, class Other, class Left, class Right>
inline bool shingle_bound(int number, Said said, Other other, const Left& left, const Right& right) {
  if (shingle_chosen_mutant == number) return other(left, right);
  const bool outcome = said(left, right);
  if (shingle_chosen_mutant < 0 && outcome != static_cast<bool>(other(left, right))) shingle_mutants_met[number] = true;
  return outcome;
}
"""
CHOICE = b"""// The mutant that the environment chooses; or, with SHINGLE_MUTANTS_MET=FILE, none, and those into FILE that could have mattered.
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int most_mutants = 1 << 16;

int chosen() {
  const char* text = std::getenv("SHINGLE_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

extern const int shingle_chosen_mutant;
extern bool shingle_mutants_met[];
const int shingle_chosen_mutant = std::getenv("SHINGLE_MUTANTS_MET") != nullptr ? -1 : chosen();
bool shingle_mutants_met[most_mutants];

namespace {

struct Teller {
  ~Teller() {
    const char* path = std::getenv("SHINGLE_MUTANTS_MET");
    if (path == nullptr) return;
    std::FILE* file = std::fopen(path, "w");
    for (int number = 0; number < most_mutants; ++number)
      if (shingle_mutants_met[number]) std::fprintf(file, "%d ", number);
    std::fclose(file);
  }
} teller;

}  // namespace
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
        return b"(static_cast<bool>(%s) != %s)" % (text, chosen)
    if site.kind == "step":
        return b"(%s + (%s ? 1 : 0))" % (text, chosen)
    operands = [render(source, *operand, inner) for operand in site.operands]
    if site.kind == "leave":
        return b"(%s ? static_cast<bool>(%s) : (%s))" % (chosen, operands[0], text)
    left, right = operands
    said, other = (b"[](const auto& a, const auto& b) { return a %s b; }" % sign.encode() for sign in (site.operator, NEXT[site.operator]))
    return b"shingle_bound(%d, %s, %s, (%s), (%s))" % (number, said, other, left, right)
