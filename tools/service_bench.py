#!/usr/bin/env python3
"""service_bench.py --kgrade KGRADE [--part batch|service-first|sweep|service|warm|noise] [--json FILE]: what the service of `kgrade serve` costs on a GPU.

batch: grades 256 different candidates of eight problems, with --quick and nothing compiled before: with `kgrade sweep`, with
the service through the Python client, and with the sweep again. Prints the candidates in a minute, where the time went
(the stages of all records added up, and what no record has: with one lane, the pauses between batches), and how many were
compiled before.
warm: the seconds from submit to result for a candidate of a problem that was graded before, in one case, with the candidate's
library in the cache; 10 times for a candidate in CUDA C++, 10 times for one in Python that builds it with load_inline.
noise: the standard deviation of each reward of kgrade.rewards for one kernel that is graded 50 times, quick and default.

sweep, service: one half of `batch`. service-first: `batch` in the other order, for a second GPU of the machine at the same time.

Without --part it does the first, `warm` and `noise`. It needs the Python package: PYTHONPATH=python."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kgrade
from kgrade import rewards
from python_twins import load_inline_twin
from throughput import write_candidates

ROOT = Path(__file__).resolve().parents[1]
PROBLEMS = ("softmax", "layer-norm", "rms-norm", "cross-entropy", "max-pool-2d", "conv2d-relu-hardswish", "gelu-tanh",
            "conv-depthwise-2d-square-input-asym-kernel")
CANDIDATES_OF_EACH = 32
WARM = ("conv-depthwise-2d-square-input-asym-kernel", "kernelbench")
# Problem, candidate and the one case in which it is graded.
NOISY = (("conv-depthwise-2d-square-input-asym-kernel", "tuned.cu", "kernelbench"), ("rms-norm", "naive.cu", None))
TIMES = 50
REWARDS = (rewards.log_speedup, rewards.kevin, rewards.dr_kernel, rewards.kernrl)


def started(folder, name):
    """Starts a local service with an empty cache."""
    os.environ["KGRADE_CACHE_DIR"] = str(folder / f"cache-{name}")
    return kgrade.local(device=os.environ.get("KGRADE_TEST_DEVICE", "cuda"))


def figures_of(by, records, seconds):
    """The figures of one half of `batch`. `records`: those of all its candidates."""
    stages = {}
    for record in records:
        for name, spent in record["stages_seconds"].items():
            stages[name] = stages.get(name, 0) + spent
    candidates = [record["candidates"][0] for record in records]
    known = sum(record["total_seconds"] for record in records)
    return {"by": by, "per_minute": 60 * len(records) / seconds, "seconds": seconds,
            "accepted": sum(candidate["verdict"] == "accepted" for candidate in candidates),
            "compiled_before": sum(candidate["compile"]["cached"] for candidate in candidates),
            "notes": sum(len(candidate["notes"]) for candidate in candidates),
            "stages_seconds": stages, "in_no_record_s": seconds - known}


def swept(program, folder, name):
    """Grades all candidates in the folder by a sweep."""
    environment = {**os.environ, "KGRADE_CACHE_DIR": str(folder / f"cache-{name}")}
    output = folder / f"{name}.jsonl"
    begin = time.monotonic()
    subprocess.run([program, "sweep", "--quick", "--device", os.environ.get("KGRADE_TEST_DEVICE", "cuda"), "--solutions",
                    f"{folder / 'candidates'}/*/*.cu", "--output", output],
                   env=environment, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    return figures_of("sweep", [json.loads(line) for line in output.read_text().splitlines()], seconds)


def served(folder, name):
    """Grades the same candidates through the service."""
    files = sorted((folder / "candidates").glob("*/*.cu"))
    with started(folder, name) as client:
        begin = time.monotonic()
        grades = client.grade_many([(file.parent.name, file) for file in files])
        seconds = time.monotonic() - begin
        for grade in grades:
            if not grade.accepted:
                print(f"  {grade.verdict or grade.fault}: {grade.reason}")
        return figures_of("service", [client.record(grade) for grade in grades if grade.ok], seconds)


def batch(program, folder, count, halves):
    """Grades a batch. `halves`: "sweep" and "service", or one of them, in the order in which they run."""
    for slug in PROBLEMS:
        write_candidates(folder, slug, count, False)
    figures = {"candidates": count * len(PROBLEMS), "problems": len(PROBLEMS), "runs": []}
    for number, half in enumerate(halves):
        name = f"{half}-{number}"
        run = served(folder, name) if half == "service" else swept(program, folder, name)
        figures["runs"].append(run)
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in run["stages_seconds"].items() if seconds >= 0.05)
        print(f"batch: {half}: {run['per_minute']:.1f} a minute, {run['accepted']} accepted, {run['compiled_before']} compiled "
              f"before, {run['notes']} notes; seconds: {stages}, in no record {run['in_no_record_s']:.1f}", flush=True)
    return figures


def warm(folder):
    slug, case = WARM
    source = (ROOT / "solutions" / slug / "naive.cu").read_text()
    figures = {}
    with started(folder, "warm") as client:
        for name, text in (("cuda", source), ("load_inline", load_inline_twin(source, ""))):
            file = "mine.cu" if name == "cuda" else "mine.py"
            grade = client.grade(slug, text, name=file, cases=[case]).raise_for_fault()
            seconds = []
            for _ in range(10):
                begin = time.monotonic()
                grade = client.grade(slug, text, name=file, cases=[case]).raise_for_fault()
                seconds.append(time.monotonic() - begin)
            stages = client.record(grade)["stages_seconds"]
            figures[name] = {"verdict": grade.verdict, "seconds": seconds, "median": statistics.median(seconds),
                             "stages_of_the_last": stages}
            print(f"warm: {name}: {grade.verdict}, median {figures[name]['median']:.2f} s, "
                  f"{min(seconds):.2f} to {max(seconds):.2f} s", flush=True)
    return figures


def noise(folder):
    figures = []
    with started(folder, "noise") as client:
        for slug, file, case in NOISY:
            for effort in ("quick", "default"):
                options = {"effort": effort, "baselines": "none", **({} if case is None else {"cases": [case]})}
                request = kgrade.Request(slug, ROOT / "solutions" / slug / file, None, options)
                begin = time.monotonic()
                grades = client.grade_many([request] * TIMES)
                seconds = time.monotonic() - begin
                right = [grade for grade in grades if grade.speedup is not None]
                row = {"problem": slug, "candidate": file, "case": case, "effort": effort, "grades": len(grades),
                       "with_speedup": len(right), "seconds_each": seconds / len(grades),
                       "speedup": statistics.mean(grade.speedup for grade in right),
                       "speedup_deviation": statistics.stdev(grade.speedup for grade in right),
                       "rewards": {}}
                for reward in REWARDS:
                    values = [reward(grade) for grade in right]
                    row["rewards"][reward.__name__] = {"mean": statistics.mean(values), "deviation": statistics.stdev(values)}
                figures.append(row)
                print(f"noise: {slug} {file} {effort}: speedup {row['speedup']:.4f}, deviation "
                      f"{row['speedup_deviation']:.5f}; {len(right)} of {len(grades)}, {row['seconds_each']:.2f} s each",
                      flush=True)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kgrade", type=os.path.abspath, default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--part", choices=("batch", "service-first", "sweep", "service", "warm", "noise"))
    parser.add_argument("--candidates", type=int, default=CANDIDATES_OF_EACH, metavar="N",
                        help=f"of each problem in the batch (default: {CANDIDATES_OF_EACH})")
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    os.environ["KGRADE_PROGRAM"] = arguments.kgrade
    halves = {"sweep": ["sweep"], "service": ["service"], "service-first": ["service", "sweep", "service"]}.get(
        arguments.part, ["sweep", "service", "sweep"])
    parts = {"batch": lambda folder: batch(arguments.kgrade, folder, arguments.candidates, halves), "warm": warm,
             "noise": noise}
    wanted = "batch" if arguments.part in ("sweep", "service", "service-first") else arguments.part
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, part in parts.items():
            if wanted in (None, name):
                figures[name] = part(Path(folder))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
