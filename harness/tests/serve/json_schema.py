"""Checks values against JSON Schemas, for tests that may use only Python's own library."""

import re
from typing import Any

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
