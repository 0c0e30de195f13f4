#!/usr/bin/env python3
"""throughput.py --kgrade KGRADE [--candidates N] [--problem SLUG] [--python] [--json FILE] [OPTION...]: measures how many
candidates a sweep grades in a minute, and where the time goes.

Makes N different candidates (the problem's naive solution with a different constant in each; with --python, in Python
files that build it with load_inline) and sweeps them with --quick
and an empty cache of built contestants. Prints the candidates graded in a minute, the share of the time in which the GPU
was busy (from nvidia-smi, if there is one), and the seconds of each stage for one candidate. Stages overlap: compilers run
at the same time as everything else. Other options go to `kgrade sweep`."""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from python_twins import load_inline_twin

ROOT = Path(__file__).resolve().parents[1]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--problem", default="conv-depthwise-2d-square-input-asym-kernel")
    parser.add_argument("--python", action="store_true", help="candidates in Python, with load_inline")
    parser.add_argument("--json", help="write the figures to this file")
    return parser.parse_known_args()


def write_candidates(folder, slug, count, in_python):
    source = (ROOT / "solutions" / slug / "naive.cu").read_text()
    place = folder / "candidates" / slug
    place.mkdir(parents=True)
    for number in range(count):
        # The number is in the code, so that no two candidates give the same library.
        mark = f'\nextern "C" __attribute__((used)) int kgrade_mark() {{ return {number}; }}\n'
        text, suffix = (load_inline_twin(source, mark), "py") if in_python else (source + mark, "cu")
        (place / f"candidate{number:04}.{suffix}").write_text(text)
    return f"{place.parent}/*/*.{suffix}"


class BusyShare:
    """The driver's figure for GPU utilisation, read every 0.2 s until end()."""

    def __init__(self):
        self.readings = []
        self.process = None
        if shutil.which("nvidia-smi"):
            visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
            self.process = subprocess.Popen(
                ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=200",
                 *(["--id", visible] if visible else [])],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if re.fullmatch(r"\s*\d+\s*", line):
                self.readings.append(int(line) / 100)

    def end(self):
        if self.process is None:
            return None
        self.process.terminate()
        self.process.wait()
        return sum(self.readings) / len(self.readings) if self.readings else None


def sweep(arguments, options, folder):
    pattern = write_candidates(folder, arguments.problem, arguments.candidates, arguments.python)
    output = folder / "results.jsonl"
    environment = {**os.environ, "KGRADE_CACHE_DIR": str(folder / "cache")}
    command = [arguments.kgrade, "sweep", "--quick", "--only", arguments.problem, "--solutions", pattern,
               "--output", str(output), *options]
    busy = BusyShare()
    start = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    return seconds, busy.end(), [json.loads(line) for line in output.read_text().splitlines()]


def seconds_of_stages(records):
    stages = collections.Counter()
    for record in records:
        stages.update(record["stages_seconds"])
    return stages


def main():
    arguments, options = parse()
    with tempfile.TemporaryDirectory() as folder:
        seconds, busy, records = sweep(arguments, options, Path(folder))
    stages = seconds_of_stages(records)
    verdicts = collections.Counter(record["candidates"][0]["verdict"] for record in records)
    per_minute = 60 * len(records) / seconds
    print(f"{len(records)} candidates of {arguments.problem} on {records[0]['device']['name']}: {seconds:.1f} s, "
          f"{per_minute:.0f} a minute; {', '.join(f'{count} {verdict}' for verdict, count in verdicts.items())}")
    for record in records:
        candidate = record["candidates"][0]
        if candidate["verdict"] != "accepted":
            print(f"{candidate['path']}: {candidate['verdict']}: {candidate['message']}")
    print("GPU busy: " + (f"{busy:.0%} of the time" if busy is not None else "not known"))
    print("\n| stage | seconds for each candidate |\n| --- | --: |")
    for name, total in sorted(stages.items(), key=lambda stage: -stage[1]):
        print(f"| {name} | {total / len(records):.3f} |")
    if arguments.json:
        result = {"schema": "kgrade-throughput", "schema_version": 1, "tool": records[0]["tool"], "device": records[0]["device"],
                  "host": records[0]["host"], "problem": arguments.problem, "form": "python" if arguments.python else "cu", "candidates": len(records), "seconds": seconds,
                  "candidates_per_minute": per_minute, "gpu_busy_share": busy, "verdicts": verdicts,
                  "stage_seconds_per_candidate": {name: total / len(records) for name, total in stages.items()}}
        Path(arguments.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0 if verdicts["accepted"] == len(records) else 1


if __name__ == "__main__":
    sys.exit(main())
