"""kill_test.py KGRADE [--seed N] [--kills N] [--only PATTERN]: a sweep of every solution on the emulated device is
killed at random moments and resumed each time. It must end with the same results as an undisturbed sweep.

After each kill no process of the sweep keeps running, its temporary files are gone, and only the last line of the result
file may be damaged. Ctrl-C ends a sweep in the same way."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness" / "tests" / "support"))

from processes import descendants, is_alive, marked  # noqa: E402

PATIENCE = 60  # seconds; used up only if something is wrong

# What differs between runs: start times, durations and how busy the machine was.
TIMES = {"started_at", "load_average", "seconds", "stages", "summary", "cached"}
TIMES_END = ("_ms", "_seconds")

arguments = None


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items()
                if key not in TIMES and not key.endswith(TIMES_END)}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def differences(value, other, place=""):
    """Where and how two JSON values differ."""
    if isinstance(value, dict) and isinstance(other, dict):
        for key in sorted(value.keys() | other.keys()):
            yield from differences(value.get(key), other.get(key), f"{place}/{key}")
    elif isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        for index, (inner, its) in enumerate(zip(value, other)):
            yield from differences(inner, its, f"{place}/{index}")
    elif value != other:
        yield place, value, other


def without_roundings(value):
    """Of a kernel that adds with atomics: the order of its sums, and so their rounding, is another one each time. Whether
    two calls are seen to differ is chance, too."""
    if isinstance(value, dict):
        return {key: without_roundings(inner) for key, inner in value.items() if key not in ("error", "deterministic")}
    if isinstance(value, list):
        return [without_roundings(inner) for inner in value
                if not (isinstance(inner, str) and inner.startswith("not deterministic: "))]
    return value


def candidates_of_checkout():
    return sorted(f"solutions/{slug.stem}/{file.name}" for slug in (ROOT / "problems").glob(f"{arguments.only}.md")
                  for file in (ROOT / "solutions" / slug.stem).glob("*.cu"))


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Sweep:
    """A run of `kgrade sweep` with its temporary files and cache in a folder of the test."""

    def __init__(self, work, output, resume):
        self.temporary = work / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.mark = f"KGRADE_TEST_RUN={work.name}-{random.getrandbits(64):x}"
        environment = dict(os.environ, TMPDIR=str(self.temporary), KGRADE_CACHE_DIR=str(work / "cache"))
        environment.update([self.mark.split("=")])
        command = [arguments.kgrade, "sweep", "--only", arguments.only, "--device", "emulated", "--jobs", "2",
                   "--seed", "7", "--hidden-seed", "11", "--output", str(output), *(["--resume"] if resume else [])]
        self.log = work / f"{output.name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def finish(self):
        self.process.wait(timeout=900)
        return self.process.returncode

    def end_by(self, number):
        """Sends the signal. Returns the exit code, and the processes that are still alive after a while."""
        below = descendants(self.process.pid)
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE)
        alive = [False]

        def gone():
            alive[:] = [pid for pid, start in below if is_alive(pid, start)] + marked(self.mark)
            return not alive

        wait_for(gone)
        return code, alive

    def left_behind(self):
        return sorted(self.temporary.iterdir())


class KillTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kgrade-kill-")
        cls.work = Path(cls.folder.name)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.candidates = candidates_of_checkout()
        begin = time.monotonic()
        sweep = Sweep(cls.work, cls.work / "undisturbed.jsonl", False)
        assert sweep.finish() == 0, sweep.output()
        assert not sweep.left_behind(), sweep.left_behind()
        cls.wanted = cls.results(cls.work / "undisturbed.jsonl")
        seconds = time.monotonic() - begin
        print(f"{len(cls.wanted)} candidates in {seconds:.1f} s", flush=True)
        # So that some kills come soon after the first results, even on a slow machine.
        cls.latest_kill = min(max(3.0, 4 * seconds / len(cls.wanted)), 10.0)

    @staticmethod
    def results(file):
        """{candidate: record} of a finished file."""
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        named = {}
        for record in records:
            (candidate,) = record["candidates"]
            assert candidate["path"] not in named, f"{candidate['path']} is there twice"
            named[candidate["path"]] = without_times(record)
        return named

    def whole_lines(self, file):
        """The number of complete lines; all of them are records."""
        if not file.exists():
            return 0
        lines = file.read_bytes().split(b"\n")[:-1]
        for line in lines:
            self.assertEqual(len(json.loads(line)["candidates"]), 1)
        return len(lines)

    def expect_as_undisturbed(self, file):
        found = self.results(file)
        self.assertEqual(sorted(found), self.candidates)
        for name, record in found.items():
            wanted = self.wanted[name]
            if "atomicAdd(" in (ROOT / name).read_text(encoding="utf-8"):
                record, wanted = without_roundings(record), without_roundings(wanted)
            self.assertEqual(list(differences(record, wanted)), [], name)

    def expect_nothing_left(self, sweep, alive):
        self.assertEqual(alive, [])
        # An empty folder may remain if the sweep had created it for a lane that had not started.
        for folder in sweep.left_behind():
            self.assertEqual(list(folder.iterdir()), [], folder)

    def test_undisturbed(self):
        self.assertEqual(sorted(self.wanted), self.candidates)
        self.assertEqual({record["candidates"][0]["verdict"] for record in self.wanted.values()}, {"accepted"})

    def test_killed(self):
        moments = random.Random(arguments.seed)
        file, rounds, hits, empty = self.work / "killed-0.jsonl", 0, {"start": 0, "grading": 0}, 0
        latest = self.latest_kill
        while sum(hits.values()) < arguments.kills or not hits["grading"]:
            sweep = Sweep(self.work, file, True)
            delay = moments.uniform(0, 0.2) if moments.random() < 0.25 else moments.uniform(0.2, latest)
            begin = time.monotonic()
            try:
                sweep.process.wait(timeout=delay)
                # Contestants are cached by now: later sweeps take no longer.
                latest = max(0.5, min(latest, time.monotonic() - begin))
            except subprocess.TimeoutExpired:
                code, alive = sweep.end_by(signal.SIGKILL)
                if code == -signal.SIGKILL:
                    hits["start" if delay < 0.2 else "grading"] += 1
                self.expect_nothing_left(sweep, alive)
            lines = self.whole_lines(file)
            print(f"after {delay:.2f} s: {sweep.process.returncode}, {lines} results", flush=True)
            empty += len(sweep.left_behind())
            for folder in sweep.left_behind():
                folder.rmdir()
            if sweep.process.returncode == 0:  # there are kills left: start again
                self.expect_as_undisturbed(file)
                rounds += 1
                file = self.work / f"killed-{rounds}.jsonl"
        sweep = Sweep(self.work, file, True)
        self.assertEqual(sweep.finish(), 0, sweep.output())
        self.expect_as_undisturbed(file)
        print(f"{hits}, {rounds} sweeps ended before; {empty} empty folders left", flush=True)
        self.assertGreater(hits["grading"], 0)

    def test_interrupted(self):
        file = self.work / "interrupted.jsonl"
        for _ in range(5):  # The sweep may end before the signal comes.
            sweep = Sweep(self.work, file, False)
            self.assertTrue(wait_for(lambda: self.whole_lines(file) >= 3 or sweep.process.poll() is not None))
            code, alive = sweep.end_by(signal.SIGINT)
            if code != 0:
                break
        self.assertEqual(code, -signal.SIGINT, sweep.output())
        self.assertIn(f"interrupted: results so far are in {file}; the same command with --resume", sweep.output())
        self.assertEqual(alive, [])
        self.assertEqual(sweep.left_behind(), [])
        kept = self.whole_lines(file)
        self.assertGreaterEqual(kept, 3)
        before = file.read_bytes().rpartition(b"\n")[0]
        sweep = Sweep(self.work, file, True)
        self.assertEqual(sweep.finish(), 0, sweep.output())
        self.assertTrue(file.read_bytes().startswith(before))
        self.assertIn(f"; {kept} of them from before", sweep.output())
        self.expect_as_undisturbed(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kgrade")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--only", default="*", help="those whose names match this pattern")
    arguments, others = parser.parse_known_args()
    print(f"--seed {arguments.seed}", flush=True)
    unittest.main(argv=sys.argv[:1] + others, verbosity=2)
