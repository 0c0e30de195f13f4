#!/usr/bin/env python3
"""Writes the figures in README.md and docs/ from the records under results/, so that every figure was measured.

    tools/readme_figures.py            rewrites the marked parts of README.md and docs/
    tools/readme_figures.py --check    exits with 1 if they are not what the records say

Tables are printed by build/release/bin/kgrade, or the program that KGRADE names.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


KGRADE = os.environ.get("KGRADE", str(ROOT / "build/release/bin/kgrade"))
CALLS = ("candidate", "reference", "reference alone", "oracle")  # stages in which the GPU works


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


def printed(path: str, *options: str) -> str:
    """The output of `kgrade grade` for that record."""
    return subprocess.run([KGRADE, "print", str(ROOT / path), *options], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.rstrip()


def output(path: str) -> str:
    record = read(path)
    candidate = record["candidates"][0]
    command = (f"$ build/release/bin/kgrade grade {record['problem']['slug']} \\\n"
               f"    {candidate['path']} --case {candidate['cases'][0]['name']}")
    cases = printed(path, "--verbose").split("\n\n")[0].split("\n", 2)[2]
    return (f"```text\n{command}\n{printed(path)}\n```\n"
            f"This grade took {record['total_seconds']:.1f} s, with nothing compiled before. `--verbose` adds the cases, and "
            f"the contestants of each measured case:\n```text\n{cases}\n```")


def refused(path: str) -> str:
    cases = ("tiny", "plain", "stride-2", "output-padding-1", "kernelbench")
    table = printed(path, "--candidate", "seed-index-rule.cu", *(word for case in cases for word in ("--case", case)))
    return f"```text\n{table}\n```"


def beside(case: dict, opponent: str) -> str:
    """The speedup against one contestant that was measured with it, and its 95 % interval."""
    compared = [c for c in case["comparisons"] if c["against"] == opponent]
    if not compared:
        return "-"
    (comparison,) = compared
    text = f"{comparison['speedup']:.2f}x"
    if comparison["interval"]:
        text += f" ({comparison['interval']['low']:.2f} to {comparison['interval']['high']:.2f})"
    return text


def figures(path: str) -> str:
    """A table from a sweep, for the KernelBench cases of the problems that have a tuned kernel."""
    records = [json.loads(line) for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]
    tuned = {record["problem"]["slug"] for record in records for candidate in record["candidates"]
             if candidate["path"].endswith("/tuned.cu")}
    cudnn = {(row["slug"], row["baseline"]): row["ours_ms"] for row in read("results/peers/pytorch-cudnn.json")["rows"]}
    rows = ["| candidate | class | time | speedup over the reference (95 % interval) | cuDNN, same class | speedup over cuDNN | error |",
            "| --- | --- | --: | --: | --: | --: | --: |"]
    found = [(record["problem"]["slug"], candidate) for record in records
             for candidate in record["candidates"]
             if record["problem"]["slug"] in tuned and candidate["verdict"] == "accepted"
             and not candidate["path"].endswith(("fp16.cu", "bf16.cu"))]
    for slug, candidate in sorted(found, key=lambda pair: pair[1]["path"]):
        (case,) = [c for c in candidate["cases"] if c["name"] == "kernelbench"]
        baseline = f"cudnn-{candidate['precision']}"
        measured = case["baseline"]["summary"]["median_ms"] if case.get("baseline") else None
        theirs = measured or cudnn.get((slug, baseline))
        rows.append(f"| {candidate['path'].removeprefix('solutions/')} | {candidate['precision']} | "
                    f"{format_ms(case['candidate']['summary']['median_ms'])} | {beside(case, 'reference')} | "
                    f"{format_ms(theirs) if theirs else '-'} | {beside(case, baseline)} | {case['error']['relative']:.1e} |")
    return f"On {records[0]['device']['name']}s (the record says which):\n\n" + "\n".join(rows)


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
    return paragraph(
        f"On one {torch['versions']['gpu']}, the baselines take {min(ratios):.2f} to {max(ratios):.2f} times as long as "
        f"PyTorch {torch['versions']['torch'].split('+')[0]}'s own calls (ten, on the KernelBench cases). For kernels from "
        f"{shortest} to {longest}, {agree} of {len(cases)} medians are within 1 % or 1 us of nvbench's "
        f"([results/peers]({folder})).")


def slow_downs_seen(record: dict, asked: float) -> str:
    """"7 of 11": of the comparisons that took enough blocks for an interval."""
    length = {kernel["name"]: kernel["target_ms"] for kernel in record["kernels"]}
    seen = [each["ratio"]["statement"] == "slower" for each in record["comparisons"]
            if each["asked"] == asked and length[each["kernel"]] >= 0.0199 and each["ratio"] and each["ratio"]["half_width"]]
    return f"{sum(seen)} of {len(seen)}"


def selftest(folder: str) -> str:
    same, slowed = read(f"{folder}/selftest.json"), read(f"{folder}/slowdowns.json")
    share = {c["name"]: c["share"] for record in (slowed, same) for c in record["criteria"] if c["share"]["trials"]}
    slow, quick = (slow_downs_seen(record, 0.02) for record in (slowed, same))
    calls, intervals = share["false_calls"], share["intervals"]
    return paragraph(
        f"On one {same['device']['name']}, with `--quick` ([self-test]({folder}/selftest.json), "
        f"[picture]({folder}/selftest.svg)), {calls['count']} of {calls['trials']} comparisons of a binary with itself "
        f"showed a difference, and {intervals['count']} of {intervals['trials']} intervals did not contain 1 (the other "
        f"comparisons had too few blocks for an interval). `--quick` promises a precision of 1 %: of kernels of 20 us and "
        f"more, it found {slow_downs_seen(same, 0.05)} slow-downs of 5 %, and {quick} of 2 %. The default measurement found "
        f"{slow} of 2 % ([record]({folder}/slowdowns.json)).")


class Measured(NamedTuple):
    speedup: float
    source: tuple  # the hashes of candidate and reference
    gpu: str
    effort: str


def speedups(path: str) -> dict:
    """The measured speedups by candidate, case and opponent."""
    records = [json.loads(line) for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]
    found = {}
    for record in records:
        for candidate in record["candidates"]:
            source = (candidate["sha256"], record["reference"]["sha256"])
            for case in candidate["cases"]:
                for compared in case["comparisons"]:
                    measured = Measured(compared["speedup"], source, record["device"]["uuid"], record["effort"])
                    found.setdefault((candidate["path"], case["name"], compared["against"]), []).append(measured)
    return found


def paragraph(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def spread(measured: list) -> float:
    values = [each.speedup for each in measured]
    return max(values) / min(values) - 1


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"error: {what}")


def repeat(folder: str) -> str:
    before, after = (speedups(f"{folder}/{name}.jsonl") for name in ("tuned-earlier", "sweep"))
    pairs = {key: first + after[key] for key, first in before.items()}
    for key, pair in pairs.items():
        expect(len(pair) == 2 and pair[0].source == pair[1].source and pair[0].gpu != pair[1].gpu,
               f"not one source on two GPUs: {key}")
    apart = {key: spread(pair) for key, pair in pairs.items()}
    large = [share for (_, case, _), share in apart.items() if case == "kernelbench"]
    small = [share for (_, case, _), share in apart.items() if case != "kernelbench"]
    one = speedups(f"{folder}/same-gpu.jsonl")
    normal = [[each for each in runs if each.effort == "normal"] for runs in one.values()]
    expect(len({each.gpu for runs in one.values() for each in runs}) == 1 and {len(runs) for runs in normal} == {3},
           "same-gpu.jsonl: not three runs on one GPU")
    worst = sorted((share for (_, _, against), share in apart.items() if against == "reference"), reverse=True)
    expect({apart[key] for key in one} == set(worst[:len(one)]), "same-gpu.jsonl: not those that differ most")
    return paragraph(
        f"The tuned kernels were graded on two H200s ([one]({folder}/tuned-earlier.jsonl), [other]({folder}/sweep.jsonl)). "
        f"On the KernelBench cases, the {len(large)} speedups over the reference and over cuDNN differ by at most "
        f"{100 * max(large):.1f} % between them. On their other cases, which take 0.1 to 2 ms, "
        f"{sum(share <= 0.01 for share in small)} of {len(small)} speedups differ by at most 1 %, the others by up to "
        f"{100 * max(small):.1f} %. The two speedups over the reference that differ most were measured again on one H200: "
        f"three runs agree within {100 * max(map(spread, normal)):.1f} %, and with a `--ranked` run within "
        f"{100 * max(map(spread, one.values())):.1f} % ([record]({folder}/same-gpu.jsonl)). An interval describes one run on "
        f"one GPU.")


def cold(folder: str) -> str:
    whole, quick = (read(f"{folder}/{name}.json") for name in ("whole", "quick"))
    calls = sum(quick['stages_seconds'][name] for name in CALLS)
    return paragraph(
        f"A grade of all {len(whole['candidates'][0]['cases'])} cases takes {whole['total_seconds']:.1f} s "
        f"([record]({folder}/whole.json)). With `--quick` it takes {quick['total_seconds']:.1f} s "
        f"([record]({folder}/quick.json)): {calls:.1f} s for calls of the kernel, the reference and the oracle, and "
        f"{quick['total_seconds'] - calls:.1f} s for the rest.")


def cost(path: str) -> str:
    measured = read(path)
    beyond, flush = (measured[part]["median_us"] for part in ("beyond both", "flush"))
    return paragraph(
        f"On one {measured['device']}, a checked call takes {beyond:.0f} us longer than its kernel, the writing of its "
        f"inputs and the flush of the cache together; the flush takes {flush:.0f} us. (Medians of "
        f"{len(measured['beyond both']['samples_us'])} calls of a small kernel, [record]({path}).)")


def moved(text: str, to_root: str) -> str:
    return text.replace("](", "](" + to_root)


def rewritten(text: str, to_root: str) -> str:
    """The text with new figures. Links in the figures begin with `to_root`, the path from the page's folder to the
    root."""
    for kind, make in (("output", output), ("refused", refused), ("figures", figures),
                       ("peers", peers), ("selftest", selftest), ("repeat", repeat), ("cold", cold), ("cost", cost)):
        text = re.sub(rf"(<!-- {kind}: (\S+) -->\n).*?(<!-- /{kind} -->)",
                      lambda match, make=make: f"{match[1]}{moved(make(match[2]), to_root)}\n{match[3]}", text, flags=re.DOTALL)
    return re.sub(r"(<!-- figure: oracle -->).*?(<!-- /figure -->)",
                  lambda match: match[1] + oracle() + match[2], text, flags=re.DOTALL)


def main() -> int:
    stale = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = rewritten(before, "" if page.parent == ROOT else "../")
        if before != after:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                page.write_text(after, encoding="utf-8")
    if "--check" not in sys.argv[1:]:
        return 0
    for page in stale:
        print(f"{page.relative_to(ROOT)} does not show what the records say\n  remedy: run tools/readme_figures.py")
    return int(bool(stale))


sys.exit(main())
