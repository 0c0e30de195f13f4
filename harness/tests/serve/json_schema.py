"""Checks values against JSON Schemas, for tests that may use only Python's own library, and finds values at their limits."""

import json
import re
from typing import Any

from running_service import SLUG, request

# By JSON's names of types. Python's True and False are also numbers.
TYPES = {"object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list), "null": lambda v: v is None,
         "string": lambda v: isinstance(v, str), "boolean": lambda v: isinstance(v, bool),
         "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
         "integer": lambda v: not isinstance(v, bool) and (isinstance(v, int) or isinstance(v, float) and v.is_integer())}
# By keyword: for which type it is, and whether a value is right.
RULES = {
    "minimum": ("number", lambda v, limit: v >= limit),
    "maximum": ("number", lambda v, limit: v <= limit),
    "exclusiveMinimum": ("number", lambda v, limit: v > limit),
    "minLength": ("string", lambda v, limit: len(v) >= limit),
    "maxLength": ("string", lambda v, limit: len(v) <= limit),
    "pattern": ("string", lambda v, pattern: re.search(pattern.replace("$", r"\Z"), v) is not None),
    "minItems": ("array", lambda v, limit: len(v) >= limit),
    "maxItems": ("array", lambda v, limit: len(v) <= limit),
    "maxProperties": ("object", lambda v, limit: len(v) <= limit),
    "required": ("object", lambda v, names: set(names) <= set(v)),
}
ANNOTATIONS = {"$defs", "$schema", "title", "description", "default", "examples", "discriminator"}


class Unknown(Exception):
    """A schema has something that is not supported here."""


def equal(a: Any, b: Any) -> bool:
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Schemas:
    """Documents whose schemas refer to each other, by the name that a reference gives them."""

    def __init__(self, documents: "dict[str, Any]") -> None:
        self.documents = documents

    def resolve(self, reference: str, home: str) -> "tuple[Any, str]":
        """What a reference in the document `home` means, and in which document it is."""
        name, _, pointer = reference.partition("#")
        home = name or home
        found = self.documents[home]
        for part in pointer.split("/")[1:]:
            found = found[part.replace("~1", "/").replace("~0", "~")]
        return found, home

    def errors(self, value: Any, schema: Any, home: str, where: str = "value") -> "list[str]":
        """What is wrong with a value, or nothing."""
        if isinstance(schema, bool):
            return [] if schema else [f"{where} is not allowed"]
        found: "list[str]" = []
        for keyword, wanted in schema.items():
            found += self._errors_of(keyword, wanted, value, schema, home, where)
        return found

    def _errors_of(self, keyword: str, wanted: Any, value: Any, schema: Any, home: str, where: str) -> "list[str]":
        def fits(part: Any) -> bool:
            return not self.errors(value, part, home)

        wrong = [f"{where}: {keyword} {str(wanted)[:300]} does not allow {str(value)[:300]}"]
        if keyword in ANNOTATIONS:
            return []
        if keyword in RULES:
            of_type, rule = RULES[keyword]
            return wrong if TYPES[of_type](value) and not rule(value, wanted) else []
        if keyword == "$ref":
            part, there = self.resolve(wanted, home)
            return self.errors(value, part, there, where)
        if keyword == "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            return [] if any(TYPES[each](value) for each in types) else wrong
        if keyword in ("const", "enum"):
            return [] if any(equal(value, each) for each in (wanted if keyword == "enum" else [wanted])) else wrong
        if keyword == "oneOf":
            return [] if sum(map(fits, wanted)) == 1 else wrong
        if keyword == "allOf":
            return [error for part in wanted for error in self.errors(value, part, home, where)]
        if keyword == "anyOf":
            return [] if any(map(fits, wanted)) else wrong
        if keyword in ("if", "then", "else"):
            branch = "then" if fits(schema["if"]) else "else"
            return self.errors(value, schema.get(branch, True), home, where) if keyword == "if" else []
        if keyword == "items":
            parts = enumerate(value) if isinstance(value, list) else []
            return [error for i, each in parts for error in self.errors(each, wanted, home, f"{where}[{i}]")]
        members = value if isinstance(value, dict) else {}
        if keyword == "properties":
            return [error for name, part in wanted.items() if name in members
                    for error in self.errors(members[name], part, home, f"{where}.{name}")]
        if keyword == "additionalProperties":
            return [error for name in members if name not in schema.get("properties", {})
                    for error in self.errors(members[name], wanted, home, f"{where}.{name}")]
        if keyword == "propertyNames":
            return [error for name in members for error in self.errors(name, wanted, home, f"a name in {where}")]
        raise Unknown(f"{where}: the keyword {keyword}")


TEXTS = ["", "a", "x.py", ".py", "a/b.py", "../a", ".a", "-a", "_a", "a b", "a\n", "\u00e9", "7", "007", "-7", "7.5",
         str(2**64 - 1), "quick", "low", SLUG, "x" * 97 + ".py", "x" * 98 + ".py", "x" * 100, "x" * 101, "0" * 64, "A" * 64]
OTHERS = [True, False, 7, [], {}, [[]], {"name": "a.cu"}]


def values_for(description, schema):
    """Values at the limits of a schema and beyond: some that it allows and some that it does not."""
    if "$ref" in schema:
        yield from values_for(description, description.whole(schema))
    for each in schema.get("oneOf", []) + schema.get("anyOf", []):
        yield from values_for(description, each)
    yield from schema.get("enum", [])
    for limit in (schema.get(name) for name in ("minimum", "maximum") if name in schema):
        yield from (limit, limit - 1, limit + 1, limit + 0.5 if abs(limit) < 2**50 else limit)
    if "maxLength" in schema:
        yield from ("x" * schema["maxLength"], "x" * (schema["maxLength"] + 1))
    if "maxItems" in schema:
        good = next(each for each in ("x", request("not_cuda"))
                    if not description.wrong(each, schema["items"]))
        yield from ([good] * count for count in (0, 1, schema["maxItems"], schema["maxItems"] + 1))
        yield from ([each] for each in values_for(description, schema["items"]))
    if "maxProperties" in schema:
        yield from ({f"f{i}.h": "" for i in range(schema["maxProperties"] + more)} for more in (0, 1))
        yield from ({name: ""} for name in TEXTS)
        yield from ({"a.h": each} for each in OTHERS)
    if "properties" in schema:
        good = {"name": "a.py", "source": ""}
        yield from (good, {**good, "nme": ""}, *({key: good[key]} for key in good))
        for name, part in schema["properties"].items():
            yield from ({**good, name: each} for each in values_for(description, part))
    yield from TEXTS
    yield from OTHERS


def different(values):
    return list({json.dumps(value): value for value in values}.values())
