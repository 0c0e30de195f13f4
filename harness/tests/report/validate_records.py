"""validate_records.py KGRADE: every record under results/ and fresh ones of a right, a wrong and a broken candidate
follow results/record.schema.json; and the schema refuses records that it should refuse."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[3]
SLUG = "conv-transpose-2d-sq-input-asym-kernel"
WRONG = ROOT / "harness/tests/candidates" / SLUG


def fresh_record(kgrade: str) -> dict:
    candidates = [ROOT / "solutions" / SLUG / "naive.cu", WRONG / "does-nothing.cu", WRONG / "does-not-compile.cu"]
    command = [kgrade, "grade", SLUG, *map(str, candidates), "--case", "tiny", "--case", "stride-2",
               "--device", "emulated", "--json", "-"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)


def set_in(record: dict, path: list, value: object) -> dict:
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def main(kgrade: str) -> int:
    schema = json.loads((ROOT / "results/record.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    # results/oracle/ holds the figures of tools/oracle_check, which are no records.
    records = {str(path.relative_to(ROOT)): json.loads(path.read_text(encoding="utf-8"))
               for path in sorted((ROOT / "results").glob("*/**/*.json")) if path.parent.name != "oracle"}
    fresh = records["(fresh)"] = fresh_record(kgrade)
    failures = [f"{name}: {error.json_path}: {error.message}"
                for name, record in records.items() for error in validator.iter_errors(record)]
    case = ["candidates", 0, "cases", 0]
    for path, value in [(["schema_version"], 2), (["seed"], 7), (["surprise"], 1), ([*case, "verdict"], "fine"),
                        ([*case, "run"], "yes"), ([*case, "candidate", "samples_ms"], ["1"]), ([*case, "error"], None),
                        (["candidates"], []), (["candidates", 0, "sha256"], "abc")]:
        if validator.is_valid(set_in(fresh, path, value)):
            failures.append(f"the schema accepts {path} = {value!r}")
    print("\n".join(failures) or f"{len(records)} records follow the schema")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
