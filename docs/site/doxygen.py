"""What Doxygen finds in a header: what is declared in which lines, and which comment belongs to it."""
import dataclasses
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

FILTER = pathlib.Path(__file__).resolve().parent / "doxygen_filter.py"
KINDS = ("function", "typedef", "enum", "define", "struct", "class")


@dataclasses.dataclass
class Entity:
    kind: str
    name: str
    arguments: str
    line: int  # from 1; of a function that of its name
    end: int  # of its body; without one that of its first line
    comment: str  # without stars and strokes
    values: list  # of an enumeration: names
    members: list = dataclasses.field(default_factory=list)  # of a class: public functions


def run(folder, out):
    """Reads the headers in a folder; where the XML lies, below `out`."""
    settings = {"INPUT": folder, "FILE_PATTERNS": "*.h *.hpp", "OUTPUT_DIRECTORY": out, "GENERATE_HTML": "NO", "GENERATE_LATEX": "NO",
                "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO", "EXTRACT_ALL": "YES", "QUIET": "YES", "WARN_IF_UNDOCUMENTED": "NO",
                "WARN_AS_ERROR": "YES", "MACRO_EXPANSION": "YES", "EXPAND_ONLY_PREDEF": "YES",
                "PREDEFINED": "SHINGLE_API= __cplusplus=202002L", "FILTER_PATTERNS": f'"*={sys.executable} {FILTER}"'}
    text = "".join(f"{key}={value}\n" for key, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)
    return out / "xml"


def comment_of(node):
    text = "".join(node.find("detaileddescription").itertext()).strip()
    return "\n".join(re.sub(r"^[ \t]*(?:\*|///)(?: |$)", "", line).rstrip() for line in text.splitlines())


def entity_of(node, name):
    place = node.find("location")
    line = int(place.get("line"))
    return Entity(node.get("kind"), name, node.findtext("argsstring") or "", line, max(line, int(place.get("bodyend", -1))),
                  comment_of(node), [each.findtext("name") for each in node.findall("enumvalue")])


def is_in(node, header):
    return pathlib.Path(node.find("location").get("file")).name == header


def members_of(compound, header):
    return [entity_of(node, node.findtext("name")) for node in compound.iter("memberdef")
            if node.get("prot") == "public" and node.get("kind") in KINDS and is_in(node, header)]


def entities(xml_folder, header):
    """What the header of this name declares outside of namespaces "detail", by line."""
    found = {}
    for file in sorted(xml_folder.glob("*.xml")):
        for compound in xml.etree.ElementTree.parse(file).getroot().findall("compounddef"):
            name = compound.findtext("compoundname").split("::")[-1]
            if compound.get("kind") in ("struct", "class") and is_in(compound, header):
                whole = entity_of(compound, name)
                whole.members = sorted(members_of(compound, header), key=lambda each: each.line)
                found[whole.line, name] = whole
            elif compound.get("kind") in ("file", "namespace") and name != "detail":
                for each in members_of(compound, header):
                    found.setdefault((each.line, each.name), each)
    return sorted(found.values(), key=lambda each: each.line)
