"""Pages of headers in C and C++: each declaration as the header has it, in its order, with its comment as text."""
import re

from heading import heading_id

PART = re.compile(r"^\s*(?:/\*|//) --- (.+?) ---")
NAME = re.compile(r"\b(shingle_\w+|SHINGLE_\w+)(\(\))?")
LEFT_OUT = ("SHINGLE_API", "SHINGLE_SHINGLE_H")


def outdented(lines):
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:] for line in lines)


def signature(lines, line):
    """The declaration that has this line, without the function's body and its constructor's initialisers."""
    start = line - 1
    while start > 0 and lines[start - 1].lstrip().startswith("template"):
        start -= 1
    text, depth, closed = "\n".join(lines[start:]), 0, False
    for place, mark in enumerate(text):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        closed = closed or mark == ")"
        begins_body = closed and (mark == "{" or mark == ":" and ":" not in (text[place - 1], text[place + 1]))
        if depth == 0 and (mark == ";" or begins_body):
            return outdented((text[:place].rstrip() + ";").splitlines())
    raise ValueError(f"no declaration begins in line {line}")


def declaration(entity, lines):
    if entity.kind == "function":
        return signature(lines, entity.line).removeprefix("SHINGLE_API ").removeprefix("inline ")
    end = entity.end
    while entity.kind == "typedef" and ";" not in lines[end - 1]:
        end += 1
    return outdented(lines[entity.line - 1:end])


def is_plumbing(entity):
    """Moves, copies or destroys, as everybody expects it."""
    return entity.name.startswith(("~", "operator")) or "&&" in entity.arguments or re.search("= *default", entity.arguments) is not None


def grouped(entities, lines, by_name):
    """Those without a comment go with the one that they follow directly; `by_name`: only if it has the same name."""
    groups = []
    for each in entities:
        last = groups[-1][-1] if groups else None
        goes_with = last and not each.comment and (last.name == each.name if by_name else lines[each.line - 2].strip() != "")
        if goes_with:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def heading(group):
    names = []
    for each in group:
        if each.kind == "enum" and each.name.startswith("@"):
            names += each.values
        else:
            names.append(f"{each.name}()" if each.kind == "function" else each.name)
    names = list(dict.fromkeys(names))
    return ", ".join(names) if len(names) <= 4 else f"{names[0]} and its values"


def linked(text, places):
    """Text as Markdown, in which the library's names lead to their headings."""
    def replace(match):
        return f"[`{match[0]}`]({places[match[1]]})" if match[1] in places else f"`{match[0]}`"

    parts = re.split(r"(`[^`]+`)", text)
    for number in range(0, len(parts), 2):
        parts[number] = NAME.sub(replace, re.sub(r"([*<])", r"\\\1", parts[number]))
    return "".join(parts)


def prose(comment, places):
    """A comment as Markdown. Lines that are set in stay as they are; "Word.  " heads a paragraph."""
    out = []
    for part in re.findall(r"(?:^  .*\n?)+|(?:^(?!  ).+\n?)+", comment, re.M):
        lines = part.rstrip("\n").splitlines()
        if part.startswith("  "):
            out.append(f"```text\n{outdented(lines)}\n```")
        else:
            out.append(re.sub(r"^((?:\w+ ?){1,6}\.)  ", r"**\1** ", linked("\n".join(lines), places)))
    return "\n\n".join(out)


def first_comment(text, name):
    """The header's own, without its name."""
    if text.startswith("/*"):
        lines = [re.sub(r"^ \* ?", "", line) for line in text[2:text.index("*/")].splitlines()]
        lines[0] = lines[0].lstrip()
    else:
        lines = [re.sub(r"^// ?", "", line) for line in re.match(r"(?://.*\n)+", text)[0].splitlines()]
    comment = "\n".join(lines).removeprefix(f"{name}: ")
    return comment if re.match(r"\w+\.\w", comment) else comment[0].upper() + comment[1:]


class HeaderPage:
    """`places`: where a name leads to, for all pages; each page adds its own names."""

    def __init__(self, header, entities, page, places):
        self.text = header.read_text(encoding="utf-8")
        self.name = header.name
        self.lines = self.text.splitlines()
        self.language = "c" if header.suffix == ".h" else "cpp"
        whole = {each.name for each in entities if each.kind in ("struct", "class")}
        self.entities = [each for each in entities if each.name not in LEFT_OUT and not (each.kind == "typedef" and each.name in whole)]
        self.groups = grouped(self.entities, self.lines, by_name=self.language == "cpp")
        self.places = places
        for group in self.groups:
            place = f"{page}#{heading_id(heading(group), '-')}"
            for each in group:
                places.update(dict.fromkeys([each.name, *each.values], place))

    def block(self, group):
        return f"```{self.language}\n" + "\n".join(declaration(each, self.lines) for each in group) + "\n```"

    def of_part(self, title):
        """What stands behind a colon is no part of the heading."""
        name, _, rest = title.partition(": ")
        yield f"## {name[0].upper()}{name[1:]}"
        if rest:
            yield linked(f"{rest[0].upper()}{rest[1:]}.", self.places)

    def of_class(self, entity):
        """Its functions, each under a heading of its own."""
        yield f"## {entity.name}\n\n{prose(entity.comment, self.places)}"
        functions = [each for each in entity.members if each.kind == "function" and not is_plumbing(each)]
        for group in grouped(functions, self.lines, by_name=True):
            yield f"### {entity.name}::{group[0].name}()\n\n{self.block(group)}\n\n{prose(group[0].comment, self.places)}"

    def markdown(self, title, first):
        out = [f"# {title}\n\n{first}", prose(first_comment(self.text, self.name), self.places)]
        parts = [(number, match[1]) for number, line in enumerate(self.lines, 1) if (match := PART.match(line)) and not line.startswith(" ")]
        for group in self.groups:
            while parts and parts[0][0] < group[0].line:
                out += self.of_part(parts.pop(0)[1])
            if group[0].kind == "class":
                out += self.of_class(group[0])
            else:
                level = "##" if self.language == "cpp" else "###"
                out.append(f"{level} {heading(group)}\n\n{self.block(group)}\n\n{prose(group[0].comment, self.places)}")
        return "\n\n".join(part.strip() for part in out if part.strip()) + "\n"
