#!/usr/bin/env python3
"""throughput.py --kgrade KGRADE [--candidates N] [--problem SLUG] [--python | --files [N] | --given PROBLEMS ANSWERS [--service]]
[--json FILE] [OPTION...]: measures how many candidates a sweep grades in a minute, and where the time goes.

Makes N different candidates (the problem's naive solution with a different constant in each; with --python, in Python
files that build it with load_inline) and sweeps them with --quick and an empty cache of built contestants. Prints the
candidates graded in a minute, the share of the time in which the GPU was busy (from nvidia-smi, if there is one), and the
seconds of each stage for one candidate. Stages overlap: compilers run at the same time as everything else.

With --files, it makes N small problems in the form of KernelBench's files and one right answer in plain PyTorch to each.
The user's cache folder is an empty one then, so the sweep has to read all files. How long this took is printed, too; it is
part of the sweep's time. Other options go to `kgrade sweep`.

With --given, it sweeps the answers in one folder to KernelBench's files in another, for example answers that others have
published; they may be wrong. With --service, a local service grades the same answers, submitted all at once (PYTHONPATH=python).
Their names are those of KernelBench's runs: level_1_problem_23_sample_0_kernel.py."""

import argparse
import collections
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

from module_files import MOST_FILES, write_module_files
from python_twins import load_inline_twin

ROOT = Path(__file__).resolve().parents[1]

PROBLEM = "conv-depthwise-2d-square-input-asym-kernel"
CANDIDATES = 100
FILES = 60


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--candidates", type=int, metavar="N", help=f"(default: {CANDIDATES})")
    parser.add_argument("--problem", metavar="SLUG", help=f"(default: {PROBLEM})")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--python", action="store_true", help="candidates in Python, with load_inline")
    form.add_argument("--files", type=int, nargs="?", const=FILES, metavar="N",
                      help=f"one answer to each of N problems in KernelBench's form ({FILES} if N is left out)")
    form.add_argument("--given", nargs=2, type=Path, metavar=("PROBLEMS", "ANSWERS"),
                      help="answers to KernelBench's files, in folders")
    parser.add_argument("--service", action="store_true", help="with --given: by a local service instead of a sweep")
    parser.add_argument("--json", help="write the figures to this file")
    arguments, options = parser.parse_known_args()
    if arguments.service and arguments.given is None:
        parser.error("--service: only with --given")
    if arguments.given is not None:
        if arguments.candidates is not None or arguments.problem is not None:
            parser.error("--given names the problems and candidates: leave out --candidates and --problem")
    elif arguments.files is None:
        arguments.candidates = CANDIDATES if arguments.candidates is None else arguments.candidates
        arguments.problem = arguments.problem or PROBLEM
    elif arguments.candidates is not None or arguments.problem is not None:
        parser.error("--files makes the problems and candidates: leave out --candidates and --problem")
    elif not 1 <= arguments.files <= MOST_FILES:
        parser.error(f"--files: a number from 1 to {MOST_FILES}, not {arguments.files}")
    return arguments, options


def write_candidates(folder, slug, count, in_python):
    source = (ROOT / "solutions" / slug / "naive.cu").read_text()
    place = folder / "candidates" / slug
    place.mkdir(parents=True)
    for number in range(count):
        # The number is in the code, so that each candidate gives a different library.
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


class ShownProgress:
    """A terminal for the standard error of `kgrade sweep`. The sweep shows the number of problems that it has read, and
    the seconds, only on a terminal. Its other lines go to this program's standard error."""

    ENVIRONMENT = {"TERM": "xterm", "NO_COLOR": ""}  # otherwise `kgrade sweep` shows no progress
    BEGINNING_OF_LINE = "\r\033[K"
    READING = re.compile(r"\s*([\d.]+) s  reading problems: (\d+) of (\d+)")

    def __init__(self):
        self.reading_seconds = None  # until the last problem was read, by the sweep's clock
        self.ours, self.of_sweep = pty.openpty()
        # Lines of progress are shorter than these 500 columns, so they are not cut.
        fcntl.ioctl(self.of_sweep, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            with open(self.ours, encoding="utf-8", errors="replace", newline="\n") as stream:
                for line in stream:
                    self.take(line)
        except OSError:
            pass  # every process that wrote there has ended

    def take(self, line):
        *progress, rest = line.rstrip("\r\n").split(self.BEGINNING_OF_LINE)
        for shown in progress:
            found = self.READING.match(shown)
            if found and found[2] == found[3] and self.reading_seconds is None:
                self.reading_seconds = float(found[1])
        print(re.sub(r"\033\[[\d;]*m", "", rest), file=sys.stderr, flush=True)

    def end(self):
        os.close(self.of_sweep)
        self.thread.join(timeout=10)
        return self.reading_seconds


def run_sweep(command, environment, stderr=None):
    """Runs a sweep. Returns the seconds, and the share of them in which the GPU was busy."""
    busy = BusyShare()
    start = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=stderr)
    seconds = time.monotonic() - start
    return seconds, busy.end()


def sweep(arguments, options, folder):
    """Returns the seconds, the part of them for reading problems (None if unknown), the busy share, and the
    records."""
    output = folder / "results.jsonl"
    environment = {**os.environ, "KGRADE_CACHE_DIR": str(folder / "cache")}
    command = [arguments.kgrade, "sweep", "--quick", "--output", str(output), *options]
    reading = None
    if arguments.given is not None:
        # The cache of facts about files is empty too, as on a machine where nothing was graded before.
        environment["XDG_CACHE_HOME"] = str(folder / "user_cache")
        problems, answers = (path.absolute() for path in arguments.given)
        if arguments.service:
            return serve(arguments, environment, problems, answers)
        busy = BusyShare()
        start = time.monotonic()
        # Exit code 1: some answers are wrong.
        code = subprocess.run([*command, "--problems", str(problems), "--solutions", f"{answers}/"], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
        seconds = time.monotonic() - start
        if code not in (0, 1):
            sys.exit(f"the sweep ended with exit code {code}")
        return seconds, None, busy.end(), [json.loads(line) for line in output.read_text().splitlines()]
    if arguments.files is None:
        pattern = write_candidates(folder, arguments.problem, arguments.candidates, arguments.python)
        seconds, busy = run_sweep([*command, "--only", arguments.problem, "--solutions", pattern], environment)
    else:
        write_module_files(arguments.files, folder / "problems", folder / "answers")
        # kgrade caches facts about files and the device below XDG_CACHE_HOME.
        environment |= {"XDG_CACHE_HOME": str(folder / "user_cache"), **ShownProgress.ENVIRONMENT}
        progress = ShownProgress()
        try:
            seconds, busy = run_sweep(
                [*command, "--problems", str(folder / "problems"), "--solutions", f"{folder / 'answers'}/"],
                environment, stderr=progress.of_sweep)
        finally:
            reading = progress.end()
    return seconds, reading, busy, [json.loads(line) for line in output.read_text().splitlines()]


def serve(arguments, environment, problems, answers):
    """Grades the answers with a service. Returns the same figures as sweep()."""
    import kgrade  # only this form needs the package

    os.environ.update(environment, KGRADE_PROGRAM=arguments.kgrade)
    number_of = re.compile(r"problem_(\d+)_sample")
    files = {path.name.split("_")[0]: path for path in problems.glob("*.py")}
    requests = [kgrade.Request(files[number_of.search(path.name)[1]], path, None, {"client_ref": path.name})
                for path in sorted(answers.glob("*.py"))]
    busy = BusyShare()
    with kgrade.local(device=os.environ.get("KGRADE_TEST_DEVICE", "cuda")) as client:
        start = time.monotonic()
        grades = client.grade_many(requests)
        seconds = time.monotonic() - start
        share = busy.end()
        for grade in grades:
            if not grade.ok:
                print(f"{grade.client_ref}: {grade.fault}: {grade.reason}")
            print(f"{grade.client_ref}: {grade.verdict}, {grade.times}", file=sys.stderr)
        return seconds, None, share, [client.record(grade) for grade in grades if grade.ok]


def main():
    arguments, options = parse()
    with tempfile.TemporaryDirectory() as folder:
        seconds, reading, busy, records = sweep(arguments, options, Path(folder))
    stages = collections.Counter()
    for record in records:
        stages.update(record["stages_seconds"])
    verdicts = collections.Counter(record["candidates"][0]["verdict"] for record in records)
    per_minute = 60 * len(records) / seconds
    what = arguments.problem or (f"{arguments.files} problems in files" if arguments.given is None else
                                 f"{arguments.given[1].name}, by a {'service' if arguments.service else 'sweep'},")
    print(f"{len(records)} candidates of {what} on {records[0]['device']['name']}: {seconds:.1f} s, "
          f"{per_minute:.0f} a minute; {', '.join(f'{count} {verdict}' for verdict, count in verdicts.items())}")
    for record in records:
        candidate = record["candidates"][0]
        if candidate["verdict"] != "accepted":
            print(f"{candidate['path']}: {candidate['verdict']}: {candidate['message']}")
    if arguments.files is not None:
        print("Reading the problems: " + (f"{reading:.1f} s of this" if reading is not None else "not known how long"))
    print("GPU busy: " + (f"{busy:.0%} of the time" if busy is not None else "not known"))
    print("\n| stage | seconds for each candidate |\n| --- | --: |")
    for name, total in sorted(stages.items(), key=lambda stage: -stage[1]):
        print(f"| {name} | {total / len(records):.3f} |")
    if arguments.json:
        form = ("given" if arguments.given is not None else "files" if arguments.files is not None
                else "python" if arguments.python else "cu")
        result = {"schema": "kgrade-throughput", "schema_version": 1, "tool": records[0]["tool"], "device": records[0]["device"],
                  "host": records[0]["host"], "form": form, "candidates": len(records), "seconds": seconds,
                  "candidates_per_minute": per_minute, "gpu_busy_share": busy, "verdicts": verdicts,
                  "stage_seconds_per_candidate": {name: total / len(records) for name, total in stages.items()}}
        result |= {"reading_seconds": reading} if arguments.files is not None else {
            "problem": arguments.problem or arguments.given[1].name}
        Path(arguments.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0 if verdicts["accepted"] == len(records) or arguments.given is not None else 1


if __name__ == "__main__":
    sys.exit(main())
