"""Values at the limits of a JSON Schema and beyond, for tests of what a service accepts."""

import json

from running_service import SLUG, request

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
