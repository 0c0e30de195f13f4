#!/usr/bin/env python3
"""python_corpus.py [--device emulated|cuda] [--kgrade KGRADE] [--python PYTHON] [--only PATTERN] [--jobs N] [--all]:
grades the Python submissions of harness/tests/python/corpus/, with those that its table planted.json describes
(tools/plant.py), and compares their verdicts with what their first lines expect.

The first lines of a submission hold `expect:` and then words, quoted as in a shell:

    problem=SLUG        the problem it is graded for
    cases=NAME,NAME     its cases; case="n=1,m=2" is a further one by its values
    verdict=VERDICT     on both devices; VERDICT|VERDICT allows either
    emulated=, cuda=    the verdict on that device, if it is another one
    message=TEXT        what the message contains; with emulated-message= and cuda-message= for one device. A device
                        with a verdict of its own is only checked for a message of its own
    note=TEXT           what one of the notes contains
    lines=FIRST-LAST    which lines of a document are graded
    only=DEVICE         it is not graded elsewhere
    part=more           a variant of others: left out on the emulated device without --all or --only
    options=TEXT        further options of `kgrade grade`
    fails=TEXT          why it is known to fail today. It must then fail, so that the word is not forgotten; with
                        emulated-fails= and cuda-fails= for one device

On the emulated device, without --all or --only, 64 submissions are drawn by the commit (tools/drawn_problems.py);
with KGRADE_ALL in the environment all are graded.

Candidates with the same problem, cases and options are graded by one command, since they share what is compiled for
the problem. The exit code is 1 if an expectation does not hold, 2 for a mistake in the corpus itself, and 77, which
ctest treats as skipped, if the Python has no PyTorch."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import plant
from drawn_problems import drawn

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "harness/tests/python/corpus"
WORDS = {"problem", "cases", "case", "verdict", "emulated", "cuda", "message", "emulated-message", "cuda-message",
         "note", "lines", "only", "part", "options", "fails", "emulated-fails", "cuda-fails"}
# The most submissions of a group. Larger groups save little, and leave a process idle at the end.
MOST_IN_A_GROUP = 12
SECONDS_FOR_ONE = 240
NO_PYTORCH = 77
# Submissions that are drawn on the emulated device.
DRAWN = 64


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", choices=("emulated", "cuda"), default="emulated")
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--python", help="the Python that runs submissions (default: as kgrade finds it)")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="the folder of the submissions")
    parser.add_argument("--only", metavar="PATTERN", help="only files whose name matches, as in 'model_*'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="commands at a time")
    parser.add_argument("--all", action="store_true", help="on the emulated device too, those marked part=more")
    parser.add_argument("--verbose", action="store_true", help="print a line for every submission, with its message")
    return parser.parse_args()


class CorpusError(Exception):
    """A mistake in the first lines of a submission."""


class Expectation:
    """The contents of a submission's first lines."""

    def __init__(self, path, words):
        self.path = path
        self.words = words
        self.cases = [case for case in words.get("cases", "").split(",") if case]
        self.cases += [words["case"]] if "case" in words else []

    def key(self):
        """Candidates with the same key are graded by one command."""
        return self.words["problem"], tuple(self.cases), self.words.get("options", "")

    def verdicts(self, device):
        return self.words.get(device, self.words["verdict"]).split("|")

    def message(self, device):
        own = self.words.get(f"{device}-message")
        if own is not None or device in self.words:
            return own or ""
        return self.words.get("message", "")

    def is_for(self, device, with_all):
        if device == "emulated" and "part" in self.words and not with_all:
            return False
        return self.words.get("only", device) == device


def read_expectation(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    found = [re.search(r"expect:(.*)", line) for line in text.splitlines()[:5]]
    found = [match.group(1).replace("-->", "") for match in found if match]
    if not found:
        raise CorpusError(f"{path}: none of the first five lines has 'expect:'")
    words = {}
    for word in shlex.split(" ".join(found)):
        name, equals, value = word.partition("=")
        if name not in WORDS or not equals:
            raise CorpusError(f"{path}: '{word}' is none of {', '.join(sorted(WORDS))}")
        words[name] = value
    for name in ("problem", "verdict"):
        if name not in words:
            raise CorpusError(f"{path}: '{name}=' is missing")
    if "cases" not in words and "case" not in words:
        raise CorpusError(f"{path}: 'cases=' is missing; without it the measured cases would run")
    return Expectation(path, words)


def groups_of(expectations):
    """Lists of at most MOST_IN_A_GROUP submissions that one command can grade."""
    by_key = collections.defaultdict(list)
    for expectation in expectations:
        by_key[expectation.key()].append(expectation)
    groups = []
    for alike in by_key.values():
        pieces = -(-len(alike) // MOST_IN_A_GROUP)
        groups += [alike[piece::pieces] for piece in range(pieces)]
    return sorted(groups, key=len, reverse=True)


def grade(arguments, group):
    """{path: candidate's record} of a group. If the run fails, its candidates are graded one by one."""
    with tempfile.TemporaryDirectory(prefix="kgrade-corpus-") as folder:
        record = Path(folder) / "record.json"
        slug, cases, options = group[0].key()
        command = [arguments.kgrade, "grade", slug, *[expectation.path.name for expectation in group]]
        for case in cases:
            command += ["--case", case]
        command += ["--device", arguments.device, "--quick", "--no-baselines", "--json", str(record)]
        command += shlex.split(options) + (["--python", arguments.python] if arguments.python else [])
        try:
            process = subprocess.run(command, cwd=arguments.corpus, capture_output=True, text=True, errors="replace",
                                     timeout=SECONDS_FOR_ONE * len(group), check=False)
            status, output = process.returncode, process.stdout + process.stderr
        except subprocess.TimeoutExpired:
            status, output = "none: it took too long", ""
        if status in (0, 1) and record.exists():
            candidates = json.loads(record.read_text())["candidates"]
            return {str(expectation.path): candidate for expectation, candidate in zip(group, candidates)}
    if len(group) > 1:
        results = {}
        for expectation in group:
            results.update(grade(arguments, [expectation]))
        return results
    lines = [line for line in output.splitlines() if line.strip()]
    return {str(group[0].path): {"verdict": f"exit code {status}", "message": " | ".join(lines[-6:]), "notes": []}}


def mismatches(expectation, candidate, device):
    """The parts of an expectation that do not hold, one line each."""
    found = []
    wanted = expectation.verdicts(device)
    if candidate["verdict"] not in wanted:
        found.append(f"verdict {candidate['verdict']}, not {' or '.join(wanted)}")
    if expectation.message(device) not in candidate["message"]:
        found.append(f"the message has no '{expectation.message(device)}'")
    note = expectation.words.get("note", "")
    if note and not any(note in each for each in candidate["notes"]):
        found.append(f"no note has '{note}'")
    lines = candidate.get("lines")
    lines = "{}-{}".format(*lines) if lines else ""
    if expectation.words.get("lines", lines) != lines:
        found.append(f"lines {lines or 'unknown'}, not {expectation.words['lines']}")
    return found


def report(arguments, expectations, results):
    """Prints a paragraph for each mismatch and a summary. Returns whether all is as expected."""
    counts = collections.Counter()
    for expectation in sorted(expectations, key=lambda each: each.path.name):
        candidate = results[str(expectation.path)]
        found = mismatches(expectation, candidate, arguments.device)
        outcome = "MISMATCH" if found else "ok"
        known = expectation.words.get("fails") or expectation.words.get(f"{arguments.device}-fails")
        if known is not None:
            outcome = "known" if found else "MISMATCH"
            found = [known] if found else [f"holds now: take out that it fails, '{known}'"]
        counts[outcome] += 1
        if outcome == "MISMATCH" or arguments.verbose:
            print(f"{outcome:8}  {expectation.path.name:40}  {candidate['verdict']:18}  {'; '.join(found)}")
            if candidate["message"]:
                print(f"{'':8}  message: {candidate['message']}")
    verdicts = collections.Counter(candidate["verdict"] for candidate in results.values())
    print(f"{len(results)} submissions on the {arguments.device} device: " +
          ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    print(f"{counts['ok']} as expected, {counts['known']} known to fail, {counts['MISMATCH']} mismatches")
    return counts["MISMATCH"] == 0


def has_pytorch(python):
    probe = [python or os.environ.get("KGRADE_PYTHON") or "python3", "-c", "import torch"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main():
    arguments = parse()
    arguments.kgrade = os.path.abspath(arguments.kgrade)
    try:
        arguments.corpus = plant.expanded(arguments.corpus)
        only = arguments.only
        paths = sorted(path for path in arguments.corpus.iterdir() if path.is_file())
        everything = [read_expectation(path) for path in paths
                      if not only or fnmatch.fnmatch(path.name, only) or path.stem == only]
    except (CorpusError, plant.OutOfDate) as error:
        print(error, file=sys.stderr)
        return 2
    with_all = arguments.all or arguments.only
    expectations = [expectation for expectation in everything if expectation.is_for(arguments.device, with_all)]
    if arguments.device == "emulated" and not with_all:
        expectations = drawn(expectations, DRAWN)
    if not expectations:
        print(f"no submission matches '{arguments.only}'", file=sys.stderr)
        return 2
    if not has_pytorch(arguments.python):
        print("skipped: this Python has no PyTorch; name another one with --python or KGRADE_PYTHON")
        return NO_PYTORCH
    start = time.monotonic()
    results = {}
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        for graded in pool.map(lambda group: grade(arguments, group), groups_of(expectations)):
            results.update(graded)
    is_as_expected = report(arguments, expectations, results)
    print(f"{len(everything) - len(expectations)} left out (for the other device, or without --all); "
          f"{time.monotonic() - start:.0f} s")
    return 0 if is_as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
