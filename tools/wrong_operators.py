#!/usr/bin/env python3
"""wrong_operators.py [SLUG...] [--operator NAME] [--device DEVICE] [--jobs N] [--kgrade KGRADE] [--problems FOLDER]

plants mistakes in the operators of reference/ops, and shows that the cases of every problem refuse them. A mistake is an
entry for reference/ops/<operator>.cuh in harness/tests/wrong_operators.json, which has a list for each operator:

    {"name": "tail-left-out", "replace": "i < count", "with": "i + 1 < count"}

    replace   text that occurs once in the header, and `with` in its place
    uses      optional: the mistake only counts for references with this text
    except    optional: problems in which it makes no difference, as regular expressions for whole slugs, with the reason:
              {"conv-pointwise-.*": "its stride is 1"}

For each problem, the reference with its headers in one file is graded as a candidate: as it is, which must be
accepted, and with each mistake in turn, which must be refused for its answers, or crash. Only the cases in the file
count, not hidden ones. Exit code 1: a mistake was accepted, or an entry is out of date."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from drawn_problems import drawn, problems
from plant import OutOfDate, plant

ROOT = Path(__file__).resolve().parents[1]
MISTAKES = ROOT / "harness/tests/wrong_operators.json"
REFUSED = ("wrong_answer", "low_precision", "out_of_bounds", "input_modified", "runtime_error")
INCLUDE = re.compile(r'^#include "(ops/\w+\.cuh)"\n', re.MULTILINE)
RIGHT = "unchanged"
DEFINITIONS = {
    "float16": "#define KGRADE_FLOAT16\n#define KGRADE_ELEMENT __half\n",
    "bfloat16": "#define KGRADE_BFLOAT16\n#define KGRADE_ELEMENT __nv_bfloat16\n",
}
MISTAKES_A_PROBLEM = 6


def reference_of(slug, folder):
    """The source of a problem's reference, or of its family's; None if it is not in C++."""
    text = (folder / f"{slug}.md").read_text(encoding="utf-8")
    family = re.search(r"^family: (\S+)$", text, re.MULTILINE)
    places = [ROOT / f"reference/{slug}.cu"] + ([ROOT / f"reference/families/{family.group(1)}.cu"] if family else [])
    return next((place for place in places if place.exists()), None)


def inlined(text, changed, seen):
    """A source with its included operators inlined, each once. `changed`: {path: other text} for some operators."""
    def replace(match):
        path = match.group(1)
        if path in seen:
            return ""
        seen.add(path)
        header = changed.get(path) or (ROOT / "reference" / path).read_text(encoding="utf-8")
        return inlined(header.replace("#pragma once\n", ""), changed, seen)

    return INCLUDE.sub(replace, text)


def mistakes_of(operator):
    return json.loads(MISTAKES.read_text(encoding="utf-8")).get(operator, [])


def with_mistake(operator, mistake):
    return plant(mistake, ROOT / f"reference/ops/{operator}.cuh", f"{operator}: '{mistake['name']}'")


def definitions(slug, folder):
    """The harness's definitions for references of a problem that has only a 16-bit type."""
    text = (folder / f"{slug}.md").read_text(encoding="utf-8")
    dtypes = re.search(r"^dtypes: \[(\w+)", text, re.MULTILINE)
    return DEFINITIONS.get(dtypes.group(1), "") if dtypes else ""


def candidates_of(slug, folder, only):
    """{name: source} of a problem: the reference as it is, and with each mistake that counts for it."""
    source = reference_of(slug, folder)
    if source is None:
        return {}
    text = definitions(slug, folder) + source.read_text(encoding="utf-8")
    operators = set()
    inlined(text, {}, operators)
    found = {RIGHT: inlined(text, {}, set())}
    for path in sorted(operators):
        operator = Path(path).stem
        for mistake in mistakes_of(operator) if only in (None, operator) else []:
            if mistake.get("uses", "") in text and not any(re.fullmatch(each, slug) for each in mistake.get("except", {})):
                found[f"{operator}.{mistake['name']}"] = inlined(text, {path: with_mistake(operator, mistake)}, set())
    return found


def some_of(sources):
    """The reference, and a few mistakes that this commit draws; all mistakes with KGRADE_ALL."""
    names = drawn([name for name in sources if name != RIGHT], MISTAKES_A_PROBLEM)
    return {name: source for name, source in sources.items() if name == RIGHT or name in names}


def grade(slug, sources, options):
    """[(candidate, what is wrong with its verdict)] of a problem."""
    with tempfile.TemporaryDirectory(prefix="kgrade-wrong-") as folder:
        files = {name: Path(folder, f"{name}.cu") for name in sources}
        for name, file in files.items():
            file.write_text(sources[name], encoding="utf-8")
        record = Path(folder, "record.json")
        run = subprocess.run([options.kgrade, "grade", str(options.problems / f"{slug}.md"), *map(str, files.values()),
                              "--device", options.device, "--hidden", "0", "--quick", "--baselines", "none", "--json",
                              str(record)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=ROOT)
        if not record.exists():
            return [(RIGHT, f"exit code {run.returncode}: {run.stdout.strip()[-400:]}")]
        graded = json.loads(record.read_text(encoding="utf-8"))["candidates"]
    return [(name, found) for name, candidate in zip(files, graded) if (found := complaint(name, candidate))]


def complaint(name, candidate):
    verdict = candidate["verdict"]
    if name == RIGHT:
        return "" if verdict == "accepted" else f"{verdict}: {candidate['message']}"
    return "" if verdict in REFUSED else f"{verdict}: {candidate['message'][:200]}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("slugs", nargs="*", help="default: those that this commit draws\n(tools/drawn_problems.py), with a few mistakes each")
    parser.add_argument("--operator", help="only mistakes in this one")
    parser.add_argument("--kgrade", default=os.environ.get("KGRADE", str(ROOT / "build/release/bin/kgrade")))
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--problems", type=Path, default=ROOT / "problems")
    return parser.parse_args()


def main():
    options = parse()
    slugs = options.slugs or drawn(problems())
    try:
        for operator, mistakes in json.loads(MISTAKES.read_text(encoding="utf-8")).items():
            for mistake in mistakes:
                with_mistake(operator, mistake)
        sources = {slug: candidates_of(slug, options.problems, options.operator) for slug in slugs}
    except OutOfDate as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if not options.slugs:
        sources = {slug: some_of(found) for slug, found in sources.items()}
    sources = {slug: found for slug, found in sources.items() if len(found) > 1}
    status, count = 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for slug, wrong in zip(sources, pool.map(lambda slug: grade(slug, sources[slug], options), sources)):
            count += len(sources[slug]) - 1
            print(f"{slug}: {len(sources[slug]) - 1} mistakes, {len(wrong)} not as they must be", flush=True)
            for name, found in wrong:
                print(f"  {name}: {found}")
                status = 1
    print(f"{count} mistakes in the operators of {len(sources)} problems")
    return status


if __name__ == "__main__":
    sys.exit(main())
