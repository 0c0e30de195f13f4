#!/usr/bin/env python3
"""Prints python/kgrade/_options.py, the options of a job, from the service's description of its requests."""

import json
from pathlib import Path

DESCRIPTION = Path(__file__).resolve().parent.parent / "harness/serve/openapi.json"
TYPES = {"string": "str", "integer": "int", "number": "float", "array": "Union[str, Sequence[str]]", "object": "Mapping[str, str]"}
TEXT = '''"""The options of a job. Written by tools/python_options.py from harness/serve/openapi.json: do not edit."""

from typing import Literal, Mapping, Optional, Sequence, TypedDict, Union

{types}

class Options(TypedDict, total=False):
    """What can be said of a grade. docs/service.md says what each means. Times are in seconds, without `_s` in the name."""

{options}

# The least and the largest number that a member of a job may be.
NUMBERS: "Mapping[str, tuple[float, float]]" = {numbers}'''


def main():
    schemas = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["components"]["schemas"]
    request = schemas["Request"]["properties"]
    members = {name: schema for name, schema in request.items() if name not in ("problem", "candidate")}
    members["headers"] = request["candidate"]["properties"]["headers"]
    types, options, numbers = "", "", {}
    for member, schema in members.items():
        whole = plain(schema, schemas)
        name = member[:-2] if member.endswith("_s") else member
        words = [word for word in whole.get("enum", whole.get("examples", [])) if word is not None]
        kind = name.capitalize() if words else TYPES["".join(whole["type"]).replace("null", "")]
        types += f"{kind} = Literal[{json.dumps(words)[1:-1]}]\n" if words else ""
        numbers.update({member: (whole["minimum"], whole["maximum"])} if "minimum" in whole else {})
        options += f"    {name}: Optional[{kind}]  # {whole.get('description', '').partition('. ')[0].rstrip('.')}\n"
    print(TEXT.format(types=types, options=options, numbers=numbers))


def plain(schema, schemas):
    """The schema, with its references replaced. Of several kinds of values, the first one is taken, without its
    limits."""
    kinds = [each for each in schema.get("anyOf", schema.get("oneOf", [])) if each.get("type") != "null"]
    part = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else kinds[0] if kinds else {}
    return {**plain(part if len(kinds) < 2 else {"type": part["type"]}, schemas), **schema} if part else schema


if __name__ == "__main__":
    main()
