#!/usr/bin/env python3
"""Writes the figures of README.md from the records under results/, so that none stands there that was not measured.

    tools/readme_figures.py            rewrites the marked parts of README.md
    tools/readme_figures.py --check    exit code 1 when they are not what the records say
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
WITH_BASELINES = "results/nvidia-h200/baselines/conv-transpose-2d-sq-input-asym-kernel.json"


def three_digits(value: float) -> str:
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def format_ms(milliseconds: float) -> str:
    if milliseconds < 1:
        return f"{three_digits(milliseconds * 1000)} us"
    if milliseconds < 1000:
        return f"{three_digits(milliseconds)} ms"
    return f"{three_digits(milliseconds / 1000)} s"


def read(path: str) -> dict:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def columns(rows: list[list[str]], right: list[bool]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [("  " + "  ".join(cell.rjust(width) if to_right else cell.ljust(width)
                              for cell, width, to_right in zip(row, widths, right))).rstrip() for row in rows]


def speedup_of(entry: dict) -> float | None:
    """Of a case or a candidate, beside the reference: where records of any version have it."""
    if "comparisons" in entry:
        return entry["comparisons"][0]["speedup"] if entry["comparisons"] else None
    if "scores" in entry:
        return entry["scores"][0]["geometric_mean"] if entry["scores"] else None
    return entry["speedup"]


def case_row(case: dict) -> list[str]:
    times = [format_ms(case[side]["summary"]["median_ms"]) if case[side]["summary"] else "-"
             for side in ("candidate", "reference")]
    message = "" if case["verdict"] == "accepted" else case["message"]
    speedup = f"{speedup_of(case):.2f}x" if speedup_of(case) else "-"
    return [case["name"], case["role"], case["verdict"], f"{case['error']['relative']:.1e}", case["precision"], *times,
            speedup, message]


def table_of(record: dict, candidate: dict, cases: list[dict]) -> str:
    """As `kgrade grade` prints it."""
    headline = f"{candidate['verdict']}  {candidate['path']}"
    if candidate["verdict"] == "accepted":
        headline += f"  {candidate['precision']}"
    if speedup_of(candidate):
        headline += f"  {speedup_of(candidate):.2f}x the reference"
    head = ["case", "role", "verdict", "error", "class", "median", "reference", "speedup", ""]
    right = [False, False, False, True, False, True, True, True, False]
    lines = [f"{record['problem']['slug']}  {record['device']['name']}", headline]
    if candidate["message"]:
        lines.append(f"  {candidate['message']}")
    lines += columns([head, *map(case_row, cases)], right)
    # Records of version 1 do not say.
    if not record.get("sandbox", {}).get("confined", True):
        lines.append("not confined: namespaces are missing (kgrade doctor)")
    return "\n".join(lines)


def output(path: str) -> str:
    record = read(path)
    candidate = record["candidates"][0]
    command = (f"$ build/release/bin/kgrade grade {record['problem']['slug']} \\\n"
               f"    {candidate['path']} --case {candidate['cases'][0]['name']}")
    # Records of version 3 are the first with blocks and baselines.
    older = "" if record["schema_version"] >= 3 else (
        "\nThat was before speeds were measured in blocks and beside cuDNN: one such run took "
        f"{read(WITH_BASELINES)['total_seconds']:.1f} s.")
    return (f"```text\n{command}\n{table_of(record, candidate, candidate['cases'])}\n```\nFrom the command to this "
            f"verdict, with nothing compiled before, it took {record['total_seconds']:.1f} s.{older}")


def refused(path: str) -> str:
    record = read(path)
    (candidate,) = [c for c in record["candidates"] if c["path"].endswith("seed-index-rule.cu")]
    cases = [c for c in candidate["cases"] if c["name"] in ("plain", "stride-2", "output-padding-1", "kernelbench")]
    return f"```text\n{table_of(record, candidate, cases)}\n```"


def figures(folder: str) -> str:
    rows = ["| problem | naive | reference | speedup | error | device |", "| --- | --: | --: | --: | --: | --- |"]
    for path in sorted((ROOT / folder).glob("*-kernel*.json")) + sorted((ROOT / folder).glob("*norm.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        for candidate in record["candidates"]:
            if path.stem.endswith(".kernelbench") or not candidate["path"].endswith("naive.cu"):
                continue
            (case,) = [c for c in candidate["cases"] if c["name"] == "kernelbench"]
            _, _, _, error, _, median, reference, speedup, _ = case_row(case)
            rows.append(f"| {record['problem']['slug']} | {median} | {reference} | {speedup} | {error} | "
                        f"{record['device']['name']} |")
    return "\n".join(rows)


def oracle() -> str:
    checked = read("results/oracle/nvidia-h200.json")
    worst = max(case["errors"]["PyTorch float64"] for case in checked["cases"])
    return f"{len(checked['cases'])} cases, norm of the difference over norm at most {worst:.1e}"


def peers(folder: str) -> str:
    torch = read(f"{folder}/pytorch-cudnn.json")
    ratios = [row["ours_ms"] / row["best_ms"] for row in torch["rows"]]
    cases = read(f"{folder}/nvbench.json")["cases"]
    shortest, longest = (format_ms(pick(case["nvbench_ms"] for case in cases)) for pick in (min, max))
    agree = sum(case["agrees"] for case in cases)
    return (f"On one {torch['versions']['gpu']} the baselines take {min(ratios):.2f} to {max(ratios):.2f} of the time of\n"
            f"PyTorch {torch['versions']['torch'].split('+')[0]}'s own calls (ten, on the KernelBench cases), and {agree} "
            f"of {len(cases)} medians, of kernels from\n{shortest} to {longest}, are within 1 % or 1 us of nvbench's "
            f"([results/peers]({folder})).")


def rewritten(text: str) -> str:
    for kind, make in (("output", output), ("refused", refused), ("figures", figures),
                       ("peers", peers)):
        text = re.sub(rf"(<!-- {kind}: (\S+) -->\n).*?(<!-- /{kind} -->)",
                      lambda match, make=make: f"{match[1]}{make(match[2])}\n{match[3]}", text, flags=re.DOTALL)
    return re.sub(r"(<!-- figure: oracle -->).*?(<!-- /figure -->)",
                  lambda match: match[1] + oracle() + match[2], text, flags=re.DOTALL)


def main() -> int:
    before = README.read_text(encoding="utf-8")
    after = rewritten(before)
    if "--check" not in sys.argv[1:]:
        README.write_text(after, encoding="utf-8")
        return 0
    if before != after:
        print("README.md does not show what the records say\n  remedy: tools/readme_figures.py")
    return int(before != after)


sys.exit(main())
