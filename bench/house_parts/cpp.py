"""Enough of C++ to count in it: functions, fields and lines, found by braces. Comments, literals and preprocessor lines are
blanked first, so that every character keeps its line."""
import dataclasses
import re

LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.MULTILINE)
CONTROL = re.compile(r"\b(if|for|while|switch|do|goto|catch)\b")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b|^extern$")
TYPE_HEAD = re.compile(r"\b(class|struct)\s+(?:alignas\s*\([^)]*\)\s*)?(?:\[\[[^\]]*\]\]\s*)?([\w:]+)")


def blank(text):
    """The text without comments, literals and directives; lines stay where they are."""
    keep_lines = lambda match: re.sub(r"[^\n]", " ", match.group(0))  # noqa: E731
    string = lambda match: '""' + keep_lines(match)[2:] if match.group(0)[0] in "\"R" else keep_lines(match)  # noqa: E731
    return DIRECTIVE.sub(keep_lines, LITERALS.sub(string, text))


def code_lines(text):
    """Lines that hold more than blanks and comments."""
    kept = LITERALS.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)) if m.group(0).startswith("/") else m.group(0), text)
    return sum(1 for line in kept.splitlines() if line.strip())


def closing(text, opening):
    """The index behind the brace that closes the one at `opening`."""
    depth = 0
    for match in re.finditer(r"[{}]", text[opening:]):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return opening + match.end()
    return len(text)


@dataclasses.dataclass
class Function:
    head: str
    line: int
    lines: int  # from the first line of its head to its closing brace
    body: str

    def is_table(self):
        """Pure data: at most three statements and no branch, loop or handler; its lines are rows."""
        depth, statements = 0, 0
        for letter in self.body[1:-1]:
            depth += (letter in "{(") - (letter in "})")
            statements += letter == ";" and depth == 0
        return statements <= 3 and not CONTROL.search(self.body)


@dataclasses.dataclass
class Type:
    name: str
    line: int
    body: str  # without its braces
    has_private: bool


def is_function_head(head):
    """`head`: what stands between the last statement and an opening brace."""
    if "(" not in head and "[" not in head:
        return False
    if SCOPE.search(re.sub(r"\([^()]*\)|<[^<>]*>|template", "", head)) and not re.search(r"\)\s*(const)?\s*$", head):
        return False
    return bool(re.search(r"\)\s*(const|noexcept|override|final|mutable|try|&|\s|->\s*[\w:<>,&*\s]+|requires\b.*)*$", head)
                or re.search(r"\)\s*:\s*\w", head)  # a constructor's initialisers
                or re.search(r"\[[^\]]*\]\s*$", head))  # a lambda without parameters


def parse(text):
    """All functions (none inside another one) and all types of a file."""
    text = blank(text)
    functions, types = [], []
    place, head_start = 0, 0
    while match := re.compile(r"[{};]").search(text, place):
        letter, at = match.group(0), match.start()
        place = match.end()
        if letter != "{":
            head_start = place
            continue
        raw = text[head_start:at]
        head = re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", raw).strip()
        first = head_start + len(raw) - len(raw.lstrip())
        end = closing(text, at)
        if is_function_head(head):
            if re.search(r"\)\s*:\s*\w", head) and re.match(r"\s*[,{]", text[end:]):  # a member's brace in the initialisers
                place = end
                continue
            functions.append(Function(head, text.count("\n", 0, first) + 1, text.count("\n", first, end) + 1, text[at:end]))
            place = head_start = end
        elif named := TYPE_HEAD.search(head):
            body = text[at + 1:end - 1]
            outer = without_inner(body)
            hidden = bool(re.search(r"\b(private|protected)\s*:", outer)) or "::" in named.group(2)
            hidden = hidden or (named.group(1) == "class" and fields(body) > 0 and not re.match(r"\s*public\s*:", outer))
            types.append(Type(named.group(2), text.count("\n", 0, at) + 1, body, hidden))
            head_start = place  # what is inside counts by itself
        elif re.search(r"\bnamespace\b|^extern\b", head):
            head_start = place
        else:  # an initialiser, an enumeration, a union
            place = end
    return functions, types


def without_inner(body):
    """The body with every inner pair of braces emptied."""
    out, place = [], 0
    while (at := body.find("{", place)) >= 0:
        end = closing(body, at)
        out.append(body[place:at] + "{}")
        place = end
    return "".join(out) + body[place:]


def without_angles(text):
    """Without template arguments, inner ones first."""
    while (shorter := re.sub(r"(?<=[\w>])\s*<[^<>;{}]*>", "", text)) != text:
        text = shorter
    return text


def fields(body):
    """Data members that a type's own body declares; static ones and those of types inside it are not counted."""
    outer = re.sub(r"\b(public|private|protected)\s*:(?!:)", ";", without_inner(body))
    outer = re.sub(r"\boperator\s*(\(\)|[^\s(]+)", "operator_", outer)
    count = 0
    # A function's body ends a declaration as a semicolon does; a type's or an initialiser's does not.
    outer = re.sub(r"(\)[\w\s&:,(){}>*-]*?)\{\}(?!\s*[,;{])", r"\1;", outer)
    for statement in outer.split(";"):
        words = without_angles(" ".join(statement.split()))
        if not words or re.match(r"(using|typedef|friend|static|template|enum|struct|class|union|constexpr|public|private|explicit|virtual)\b", words):
            continue
        if "(" in re.sub(r"alignas\s*\([^)]*\)", "", words.split("=")[0]):
            continue
        declared = re.sub(r"=[^,]*", "", re.sub(r"\{\}|\([^()]*\)|\[[^\]]*\]", "", words))
        if re.search(r"\w\s+[&*]*\s*\w+", declared):
            count += declared.count(",") + 1
    return count
