#!/usr/bin/env python3
"""convert_records.py FILE...: rewrites records that an older `kgrade grade` or `kgrade sweep` wrote (.json, .jsonl), so
that this version can read them. Other files, and records of the current version, stay as they are.

Nothing is measured or calculated again. What an older version did not write is empty or null. The referee's raw times
from versions before 4 (`wall_samples_ms`: of all launches of a sample, with the protocol included) are dropped."""

import json
import os
import sys
from pathlib import Path

VERSION = 4


def comparison(speedup: float) -> dict:
    return {"against": "reference", "speedup": speedup, "interval": None, "half_width": None, "statement": "inconclusive",
            "method": "within_process", "count": 0}


def with_comparisons(case: dict) -> dict:
    """For versions 1 and 2, in which the only opponent is the reference and there are no intervals."""
    speedup = case.pop("speedup", None)
    if not case["run"]:
        return case
    measured = speedup is not None and case["role"] == "bench"
    evidence = {"repeated_ms": [], "changed_ms": [], "unmeasured_ms": [], "reference_before_ms": [], "reference_after_ms": [],
                "lower_bound_ms": None} | case.pop("evidence", {})
    return case | {"comparisons": [comparison(speedup)] if measured else [], "roofline": None, "evidence": evidence}


def with_scores(candidate: dict) -> dict:
    speedup = candidate.pop("speedup", None)
    cases = [with_comparisons(case) for case in candidate.pop("cases")]
    count = sum(len(case.get("comparisons", [])) for case in cases)
    scores = []
    if speedup is not None and count:
        scores = [{"against": "reference", "geometric_mean": speedup, "interval": None, "cases": count, "fast_p": {}}]
    no_telemetry = {"absent": "not recorded", "missing": [], "readings": 0, "seconds": 0}
    no_telemetry |= dict.fromkeys(("sm_clock_mhz", "memory_clock_mhz", "power_milliwatts", "power_limit_milliwatts",
                                   "temperature_celsius", "reasons", "other_processes"))
    candidate.setdefault("libraries", {"linked": [], "opened": []})
    return candidate | {"scores": scores, "telemetry": no_telemetry, "notes": [], "cases": cases}


def to_3(record: dict) -> dict:
    record["problem"].setdefault("dtype", "float32")
    record.setdefault("sandbox", {"confined": False, "layers": []})
    record.setdefault("hidden_seed", None)
    record["effort"] = "quick" if record.pop("quick") else "normal"
    record |= {"baselines": {"missing": "not recorded", "contestants": []}, "ceilings": None, "notes": []}
    record["candidates"] = [with_scores(candidate) for candidate in record["candidates"]]
    return record


def to_4(record: dict) -> dict:
    record["problem"].setdefault("dtype", "float32")
    for candidate in record["candidates"]:
        candidate["compile"].setdefault("cached", False)
        for case in candidate["cases"]:
            case.get("candidate", {}).pop("wall_samples_ms", None)
            if case["run"]:
                case["evidence"].setdefault("changed_ms", [])
            measurement = case.get("measurement")
            if measurement:
                measurement.setdefault("process_offset_ms", 0)
                measurement["goal"].setdefault("most_processes", measurement["goal"]["processes"])
    return record


def converted(record: dict) -> dict:
    if record["schema_version"] < 3:
        record = to_3(record)
    if record["schema_version"] < VERSION:
        record = to_4(record)
    record["schema_version"] = VERSION
    return record


def is_old(value: object) -> bool:
    return isinstance(value, dict) and value.get("schema") == "kgrade-record" and value["schema_version"] < VERSION


def convert(path: Path) -> int:
    """Returns how many records were converted."""
    text = path.read_text(encoding="utf-8")
    lines = path.suffix == ".jsonl"
    parts = text.splitlines() if lines else [text]
    values = [json.loads(part) if part.strip() else None for part in parts]
    old = [is_old(value) for value in values]
    if not any(old):
        return 0
    options = {"separators": (",", ":")} if lines else {"indent": 2}
    written = [json.dumps(converted(value), ensure_ascii=False, **options) if is_one else part
               for part, value, is_one in zip(parts, values, old, strict=True)]
    new = path.with_name(f".{path.name}.new")
    new.write_text("\n".join(written) + "\n", encoding="utf-8")
    os.replace(new, path)
    return sum(old)


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    failed = False
    for name in sys.argv[1:]:
        try:
            count = convert(Path(name))
            print(f"{name}: {count} converted")
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"error: {name}: {type(error).__name__}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
