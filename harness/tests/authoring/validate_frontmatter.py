"""validate_frontmatter.py KGRADE: checks that the JSON Schema of the frontmatter agrees with the reader. Every problem in
the repository follows the schema; `kgrade lint` refuses everything that the schema refuses; both know the same keys."""

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import yaml

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = ROOT / "problems/schema/frontmatter.schema.json"

SOUND = yaml.safe_load("""
slug: row-sum
title: Row sums
difficulty: EASY
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [rows, 2 * half], init: "uniform(0, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [rows]}
  - {name: rows, type: size_t, pointer: "false", constant: "false"}
  - {name: half, type: int, pointer: false}
dtypes: [float32]
precision: fp32
thresholds: {fp32: 1.0e-6, tf32: 0.001, bf16: 0.01}
libraries: none
source: none
tags: [reduction]
author: ""
let: {columns: 2 * half}
require: [half >= 1]
flops: rows * columns
bytes: 4 * rows * columns
cases:
  - {name: tiny, role: sample, rows: 2, half: 3}
  - {name: odd, role: test, rows: 7, half: 5}
  - {name: large, role: bench, rows: 64, half: 32}
fuzz: {rows: 1..9, half: 2}
torch:
  module: torch.nn.Linear
  init: {columns: 2 * half, shape: [rows, 3], eps: 0.5, groups: {value: rows, default: 1}}
  forward: [input]
  weights: {}
  free: [bias]
  mode: eval
  require: [half >= 1]
""")
# Overrides the schema's keywords that do not apply to families.
FAMILY = {"additionalProperties": True, "required": [], "if": False, "else": {"$ref": "#/$defs/family"}}
GONE = object()
INPUT, OUTPUT, SCALAR = (["parameters", i] for i in (0, 1, 3))
# What both must reject: a place and what to put there.
BAD = [
    (["slug"], GONE), (["slug"], "Row Sum"), (["slug"], "-a"), (["slug"], ""), (["title"], GONE), (["title"], []),
    (["difficulty"], "easy"), (["difficulty"], GONE), (["tags"], "reduction"), (["tags"], [""]), (["source"], ""),
    (["surprise"], 1), (["family"], []), (["family"], "no-such family"), (["defaults"], 1), (["defaults"], {"rows": [1]}),
    ([*INPUT, "after"], "rows"), (["thresholds", "float16"], 1), (["thresholds", "float16"], {"fp31": 1}), (["parameters"], []), (["parameters"], GONE), (["parameters"], {"a": 1}),
    ([*INPUT, "surprise"], 1), ([*INPUT, "name"], GONE), ([*INPUT, "name"], "2x"), ([*INPUT, "name"], "role"),
    ([*INPUT, "type"], "quad"), ([*INPUT, "type"], GONE), ([*INPUT, "pointer"], GONE), ([*INPUT, "pointer"], "yes!"),
    ([*INPUT, "const"], GONE), ([*INPUT, "constant"], True), ([*INPUT, "shape"], "rows"), ([*INPUT, "shape"], []),
    ([*INPUT, "shape"], [[1]]), ([*INPUT, "init"], "gauss(0, 1)"), ([*INPUT, "init"], 1), ([*INPUT, "init"], "uniform"),
    ([*INPUT, "init"], "ones()"), ([*SCALAR, "compare"], "exact"), ([*SCALAR, "begins"], "ones"), (["cases", 2, "weight"], [1]),
    ([*OUTPUT, "init"], "ones"), ([*OUTPUT, "const"], True), ([*SCALAR, "shape"], ["rows"]), ([*SCALAR, "init"], "ones"),
    (["dtypes"], "float32"), (["dtypes"], ["float31"]), (["precision"], "fp33"), (["precision"], "exact"), (["thresholds"], [1]),
    (["thresholds", "fp31"], 1.0e-6), (["thresholds", "fp32"], 0), (["thresholds", "output"], 1), (["thresholds", "output"], {"fp31": 1}),
    (["thresholds", "tf32"], -1.5), (["libraries"], "some"),
    (["let"], ["a"]), (["let", "columns"], []), (["let", "2x"], 1), (["require"], "half >= 1"), (["require"], [[]]),
    (["flops"], []), (["bytes"], {}), (["cases"], {}), (["cases", 0, "name"], GONE), (["cases", 0, "name"], "Tiny Case"),
    (["cases", 0, "role"], "hidden"), (["cases", 0, "role"], GONE), (["cases", 0, "rows"], [1]), (["cases", 0, "by_set"], 1), (["cases", 0, "by_set"], {"absolute": 1}),
    (["by_set"], {"absolute": 1, "relative": -1}), (["by_set"], {"absolute": 1, "relative": 1, "matched": 2}), ([*INPUT, "name"], "by_set"),
    (["by_set"], {"absolute": 1, "relative": 1, "surprise": 2}), (["by_set"], {"absolute": 1, "relative": 1, "either": "both"}), (["cases", 0, "input"], ["ones"]),
    (["torch"], []), (["torch", "surprise"], 1), (["torch", "module"], "a b"), (["torch", "init"], GONE), (["torch", "given"], []), (["torch", "given"], "64, 3"), (["torch", "forward"], ["{}"]),
    (["reference"], "other.cu"), (["reference"], "../other.py"), (["reference"], ["other.py"]),
    (["torch", "init"], ["rows"]), (["torch", "init", "2x"], 1), (["torch", "init", "shape"], []),
    (["torch", "init", "shape"], [["rows"]]), (["torch", "init", "groups", "default"], GONE),
    (["torch", "init", "groups", "surprise"], 1), (["torch", "forward"], GONE), (["torch", "forward"], "input"),
    (["torch", "weights"], ["input"]), (["torch", "weights", "input"], "a..b"), (["torch", "free"], "bias"),
    (["torch", "free"], ["a b"]), (["torch", "mode"], "test"), (["torch", "axes"], []), (["torch", "axes"], "1, 0"), (["torch", "require"], "half >= 1"),
    (["fuzz"], ["rows"]), (["fuzz", "rows"], "1-9"), (["fuzz", "rows"], "few"),
]
# What both must take.
GOOD = [
    *[([*INPUT, "init"], form) for form in ("choice(-1, 1)", "labels(rows)", "integers(-half, rows * 2)", "bernoulli(0.3)")],
    *[(["fuzz", "rows"], form) for form in (7, "1..9", [1, 2, 8], "8..64 step 8", "powers_of_2(8..64)")],
    (["cases", 2, "weight"], 2.5), (["cases", 1, "input"], "normal(100, 2)"), (["extents"], []),
    (["by_set"], {"absolute": 0.01, "relative": 0.01}), (["cases", 0, "by_set"], {"absolute": 0, "relative": 0.01, "matched": 0.99, "largest": 10}),
    (["by_set"], {"absolute": 0, "relative": 1, "largest": None, "either": True}),
    ([*INPUT], {"name": "input", "type": "size_t", "pointer": True, "const": True, "shape": "values(rows, 2 * half)"}),
]


def changed(path: list, value: object) -> dict:
    result = copy.deepcopy(SOUND)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def lint(kgrade: str, frontmatter: dict) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "row-sum.md"
        text = yaml.safe_dump(frontmatter, sort_keys=False)
        file.write_text(f"---\n{text}---\nSum every row.\n", encoding="utf-8")
        return subprocess.run([kgrade, "show", str(file)], capture_output=True, text=True, check=False)


def keys_of_reader(kgrade: str, frontmatter: dict) -> set[str]:
    """The keys that the message about an unknown key lists."""
    found = re.search(r"known here: (.*)", (output := lint(kgrade, frontmatter)).stderr)
    if not found or "..." in found[1]:
        raise SystemExit(f"no full list of known keys in: {output.stderr}")
    return set(found[1].split(", "))


def key_differences(kgrade: str, schema: dict) -> list[str]:
    places = {
        "the frontmatter": (["zzzzzzzz"], schema["properties"]),
        "a parameter": ([*INPUT, "zzzzzzzz"], schema["$defs"]["parameter"]["properties"]),
        "thresholds": (["thresholds", "zzzzzzzz"], schema["properties"]["thresholds"]["properties"]),
        "torch": (["torch", "zzzzzzzz"], schema["properties"]["torch"]["properties"]),
    }
    failures = []
    # `after` places a parameter in a family's list, and is removed before parameters are read.
    for what, (path, properties) in places.items():
        reader = keys_of_reader(kgrade, changed(path, 1)) | ({"after"} if what == "a parameter" else set())
        if what == "thresholds":
            reader -= {"output"}  # the names of outputs differ from problem to problem
        if reader != set(properties):
            failures.append(f"{what}: only the reader knows {sorted(reader - set(properties))}, "
                            f"only the schema {sorted(set(properties) - reader)}")
    types = keys_of_reader(kgrade, changed([*SCALAR, "type"], "zzzzzzzz"))
    if types != (known := set(schema["$defs"]["parameter"]["properties"]["type"]["enum"])):
        failures.append(f"types: {sorted(types ^ known)}")
    return failures


def undescribed(node: object, path: str) -> list[str]:
    if not isinstance(node, dict) or "$ref" in node:
        return []
    return [f"{path}/{name} has no description" for name, entry in node.get("properties", {}).items()
            if isinstance(entry, dict) and "description" not in entry and "$ref" not in entry]


def main(kgrade: str) -> int:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = key_differences(kgrade, schema) + undescribed(schema, "") + undescribed(schema["$defs"]["parameter"], "parameter") + undescribed(schema["properties"]["torch"], "torch")
    files = [path for path in sorted((ROOT / "problems").glob("*.md")) if path.name != "README.md"]
    for path in files:
        frontmatter = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
        failures += [f"{path.name}: {error.json_path}: {error.message}" for error in validator.iter_errors(frontmatter)]
    families = jsonschema.Draft202012Validator({**schema, **FAMILY}).iter_errors
    for path in sorted((ROOT / "problems/families").glob("*.md")):
        frontmatter = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
        failures += [f"{path.name}: {error.json_path}: {error.message}" for error in families(frontmatter)]
    failures += [f"the sound one: {error.json_path}: {error.message}" for error in validator.iter_errors(SOUND)]
    if (outcome := lint(kgrade, SOUND)).returncode != 0:
        failures.append(f"the reader refuses the sound one: {outcome.stderr}")
    for path, value in GOOD:
        frontmatter = changed(path, value)
        failures += [f"the schema refuses {path} = {value!r}: {error.message}" for error in validator.iter_errors(frontmatter)]
        if (outcome := lint(kgrade, frontmatter)).returncode != 0:
            failures.append(f"the reader refuses {path} = {value!r}: {outcome.stderr}")
    for path, value in BAD:
        frontmatter = changed(path, value)
        shown = f"{path} = {'(gone)' if value is GONE else value!r}"
        if validator.is_valid(frontmatter):
            failures.append(f"the schema accepts {shown}")
        if lint(kgrade, frontmatter).returncode != 2:
            failures.append(f"the reader accepts {shown}")
    print("\n".join(failures) or f"{len(files)} problems and their families follow the schema; {len(BAD)} bad ones are refused")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
