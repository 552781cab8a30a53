"""Where a source file can be changed: its mutation sites, found in its syntax tree by libclang.

    drop     a statement that is an expression is left out                     f(x);      -> ;
    turn     a condition, an operand of && or ||, or true and false is negated  if (a)    -> if (!a)
    leave    an operand of && or || is left out                                a && b     -> b
    bound    a bound is off by one                                             a < b      -> a <= b
    step     a literal in a sum is off by one                                  a + 1      -> a + 2

A site's name is stable while its function stays as it is: file, function, kind, the source text, and which of those it is."""
import dataclasses
import pathlib
import re

from clang import cindex

from . import parse

KIND = cindex.CursorKind
FUNCTIONS = {KIND.CXX_METHOD, KIND.FUNCTION_DECL, KIND.CONSTRUCTOR, KIND.FUNCTION_TEMPLATE}
STATEMENTS = {KIND.CALL_EXPR, KIND.BINARY_OPERATOR, KIND.UNARY_OPERATOR, KIND.COMPOUND_ASSIGNMENT_OPERATOR,
              KIND.UNEXPOSED_EXPR}
LOOPS = {KIND.WHILE_STMT, KIND.FOR_STMT, KIND.CXX_FOR_RANGE_STMT}
NEXT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


@dataclasses.dataclass
class Site:
    file: str
    function: str
    kind: str
    begin: int  # bytes of the file
    end: int
    operands: tuple = ()  # (begin, end) of what stays, for leave and bound
    operator: str = ""
    text: str = ""
    occurrence: int = 0

    @property
    def name(self):
        return f"{self.file}:{self.function}:{self.kind}:{self.text}:{self.occurrence}"


def of(path, root, arguments):
    """All sites of one file, in the order of its text; `arguments` are the compiler's."""
    unit = parse.unit(path, arguments)
    finder = Finder(pathlib.Path(path).read_bytes(), str(pathlib.Path(path).relative_to(root)))
    for cursor in parse.functions(unit.cursor, str(path)):
        finder.visit_function(cursor)
    return finder.named()


class Finder:
    def __init__(self, source, file):
        self.source, self.file, self.sites, self.function = source, file, [], ""
        self.untouched = parse.asserts(source)

    def named(self):
        seen, unique = {}, {}
        for site in sorted(self.sites, key=lambda each: (each.begin, -each.end, each.kind)):
            if any(a <= site.begin < b for a, b in self.untouched):
                continue
            if unique.setdefault((site.begin, site.end, site.kind, site.operands), site) is not site:
                continue
            site.text = " ".join(self.source[site.begin:site.end].decode().split())
            key = (site.function, site.kind, site.text)
            site.occurrence = seen[key] = seen.get(key, 0) + 1
        return [site for site in unique.values() if site.text]

    def visit_function(self, cursor):
        self.function = cursor.spelling
        for child in cursor.get_children():
            if child.kind == KIND.COMPOUND_STMT:
                self.visit(child)

    def add(self, kind, begin, end, **more):
        if begin < end:
            self.sites.append(Site(self.file, self.function, kind, begin, end, **more))

    def visit(self, cursor):
        children = list(cursor.get_children())
        if cursor.kind == KIND.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        elif cursor.kind == KIND.IF_STMT:
            self.branch(cursor, children)
        elif cursor.kind in LOOPS and children:
            self.statement(children[-1])
        elif cursor.kind == KIND.CONDITIONAL_OPERATOR and len(children) == 3:
            self.condition(children[0])
        elif cursor.kind == KIND.CXX_BOOL_LITERAL_EXPR:
            self.add("turn", *span(cursor))
        self.operator(cursor, children)
        for child in children:
            self.visit(child)

    def statement(self, cursor):
        begin, end = span(cursor)
        semicolon = re.match(rb"\s*;", self.source[end:])
        if cursor.kind in STATEMENTS and semicolon:
            self.add("drop", begin, end + semicolon.end())

    def branch(self, cursor, children):
        """`if (condition) then else`: a condition that declares something is left alone."""
        begin, _ = span(cursor)
        inside = parse.parenthesis(self.source, begin)
        within = [child for child in children if inside[0] <= span(child)[0] < inside[1]]
        if len(within) == 1 and within[0].kind.is_expression() and b";" not in self.source[slice(*inside)]:
            self.condition(within[0])
        for child in children:
            if span(child)[0] > inside[1]:
                self.statement(child)

    def condition(self, cursor):
        self.add("turn", *span(cursor))

    def operator(self, cursor, children):
        shape = self.binary(cursor, children)
        if not shape:
            return
        left, right, sign = shape
        if sign in ("&&", "||"):
            for kept in (left, right):
                self.add("turn", *kept)
                self.add("leave", *span(cursor), operands=(kept,))
        elif sign in NEXT:
            self.add("bound", *span(cursor), operands=(left, right), operator=sign)
        elif sign in ("+", "-", "+=", "-="):
            for child in children:
                if bare(child).kind == KIND.INTEGER_LITERAL:
                    self.add("step", *span(child))

    def binary(self, cursor, children):
        """(left, right, sign) of an operator between two operands, built in or overloaded."""
        if cursor.kind in (KIND.BINARY_OPERATOR, KIND.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            left, right = span(children[0]), span(children[1])
        elif cursor.kind == KIND.CALL_EXPR and cursor.spelling.startswith("operator") and len(children) == 3:
            left, right = span(children[0]), span(children[2])
        else:
            return None
        sign = self.source[left[1]:right[0]].decode().strip()
        return (left, right, sign) if re.fullmatch(r"[-+<>=&|]{1,2}", sign) else None


def span(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


def bare(cursor):
    """What implicit conversions and parentheses wrap."""
    inner = list(cursor.get_children())
    while cursor.kind == KIND.UNEXPOSED_EXPR and len(inner) == 1:
        cursor = inner[0]
        inner = list(cursor.get_children())
    return cursor
