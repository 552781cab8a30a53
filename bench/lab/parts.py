"""A bench of parts: a part is a module with run(options, say), which gives a dictionary of its keys. A key has a target: "most",
"least", "within", "each" (every value of a dictionary is true) or "printed". A part that cannot run gives null, which is missed."""
import argparse
import importlib
import json
import time

from lab import site


def shown(value):
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(each)}" for key, each in value.items())
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.6g}"


AIMS = {  # whether a value meets what is wanted, how that is said, and, if there is a third, how the value is
    "most": (lambda wanted, value: value <= wanted, lambda wanted: f"<= {shown(wanted)}"),
    "least": (lambda wanted, value: value >= wanted, lambda wanted: f">= {shown(wanted)}"),
    "within": (lambda wanted, value: wanted[0] <= value <= wanted[1], lambda wanted: f"{wanted[0]} to {wanted[1]}"),
    "each": (lambda _, value: all(each is True for each in value.values()), lambda _: "all true"),
    "printed": (lambda *_: True, lambda _: "no target"),
}


class Bench:
    """`name`: of the bench; its parts are modules of the package `name`_parts. `parts`: by module its keys, each with its target.
    `aims`: further ones, as in AIMS."""

    def __init__(self, name, parts, aims=None):
        self.name, self.parts, self.aims = name, parts, {**AIMS, **(aims or {})}

    def is_met(self, target, value):
        aim, wanted = target
        return value is not None and self.aims[aim][0](wanted, value)

    def asked(self, words):
        """The parts that the words ask for, by their names or keys; all of them without a word."""
        asked = [word for word in words.split(",") if word]
        known = sorted({*self.parts, *(key for keys in self.parts.values() for key in keys)})
        for word in asked:
            if word not in known:
                raise site.BenchError(f"there is no part or key '{word}'; there are {', '.join(known)}")
        return [part for part, keys in self.parts.items() if not asked or part in asked or any(key in asked for key in keys)]

    def run(self, part, options):
        """The part's keys; those that it could not find out are None."""
        empty = dict.fromkeys(self.parts[part])
        print(f"\n{part}", flush=True)
        try:
            module = importlib.import_module(f"{self.name}_parts.{part}")
            return {**empty, **module.run(options, lambda text: print(text if text.startswith(" ") else f"  {text}", flush=True))}
        except site.BenchError as error:
            print(f"  {error}", flush=True)
        return empty

    def conclude(self, found, seconds, as_json):
        targets = {key: target for keys in self.parts.values() for key, target in keys.items()}
        missed = [key for key, target in targets.items() if key in found and not self.is_met(target, found[key])]
        print()
        for key in filter(targets.__contains__, found):
            aim, wanted = targets[key]
            _, bound, *own_text = self.aims[aim]
            text = own_text[0](found[key]) if own_text and found[key] is not None else shown(found[key])
            print(f"{key:24} {text:>12}  {bound(wanted)}{'  MISSED' if key in missed else ''}")
        print(f"{seconds / 60:.1f} minutes")
        if as_json:
            print(json.dumps({"bench": self.name, "date": site.date(), "commit": site.kernel(), "machine": site.machine(), **found}))
        return 1 if missed else 0

    def main(self, description, add_options=lambda parser: None):
        parser = argparse.ArgumentParser(prog=f"tools/bench {self.name}", description=description,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--only", default="", metavar="KEYS")
        add_options(parser)
        options = parser.parse_args()
        since, found = time.monotonic(), {}
        for part in self.asked(options.only):
            found.update(self.run(part, options))
        return self.conclude(found, time.monotonic() - since, options.json)
