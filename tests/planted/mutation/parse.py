"""A file's syntax tree, and the little that is read from its text."""
import glob
import json
import pathlib
import re
import sys

try:
    from clang import cindex
except ImportError:
    sys.exit("tests/planted/mutate.py needs libclang for Python: install python3-clang (tools/deps --mutants)")

KIND = cindex.CursorKind
BODIES = {KIND.CXX_METHOD, KIND.FUNCTION_DECL, KIND.CONSTRUCTOR, KIND.FUNCTION_TEMPLATE}


def arguments_of(build):
    """By file: what the compiler is called with, from the build's compile_commands.json."""
    commands = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        words = [word for word in entry["command"].split() if re.match(r"-[ID]|-std=", word)]
        commands[entry["file"]] = words + headers_of_clang()
    return commands


def headers_of_clang():
    """libclang looks for its own stddef.h beside the compiler, which need not be installed. Another version's will not do."""
    version = re.search(r"[0-9]+", cindex.conf.get_filename())
    found = sorted(glob.glob(f"/usr/lib/llvm-{version[0] if version else '*'}/lib/clang/*/include/stddef.h"))
    return ["-isystem", str(pathlib.Path(found[-1]).parent)] if found else []


def unit(path, arguments):
    tree = cindex.Index.create().parse(str(path), args=arguments)
    errors = [str(each) for each in tree.diagnostics if each.severity >= cindex.Diagnostic.Error]
    if errors:
        sys.exit(f"{path} cannot be read by libclang: {errors[0]}")
    return tree


def functions(cursor, file):
    """Those that the file itself defines and that are not evaluated by the compiler."""
    for child in cursor.get_children():
        if child.location.file and child.location.file.name != file:
            continue
        if child.kind in BODIES and child.is_definition():
            if not any(token.spelling in ("constexpr", "consteval") for token in head(child)):
                yield child
        elif child.kind in (KIND.NAMESPACE, KIND.STRUCT_DECL, KIND.CLASS_DECL, KIND.UNEXPOSED_DECL):
            yield from functions(child, file)


def head(function):
    for token in function.get_tokens():
        if token.spelling == "{":
            return
        yield token


def parenthesis(source, begin):
    """(begin, end) of what stands in the first parentheses behind `begin`."""
    opening = source.index(b"(", begin)
    depth = 0
    for at in range(opening, len(source)):
        depth += {ord("("): 1, ord(")"): -1}.get(source[at], 0)
        if depth == 0:
            return opening + 1, at
    return opening + 1, len(source)


def asserts(source):
    """Where they stand, from the word to the closing parenthesis."""
    return [(found.start(), parenthesis(source, found.start())[1]) for found in re.finditer(rb"\bassert\(", source)]
