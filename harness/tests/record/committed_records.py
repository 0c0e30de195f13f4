"""The records in the repository."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def records_in(folder: Path) -> dict:
    """The records by their place: one for each file, or one for each line. Output of benchmarks, and of tools that
    compare kgrade with others, is not included."""
    found = {}
    for path in sorted(folder.glob("*/**/*.json*")):
        if path.parent.name in ("oracle", "peers", "benchmarks"):
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines() if path.suffix == ".jsonl" else [text]
        found |= {f"{path.relative_to(ROOT)}:{number}": json.loads(line) for number, line in enumerate(lines, 1)}
    return found
