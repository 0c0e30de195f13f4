"""slurm_lanes_test.py KGRADE: sweeps by lanes that `srun` starts, with a real Slurm, on the test cluster of
tools/slurm_cluster.py and the emulated device. One node is killed during a sweep. Exit code 77 if Slurm is not installed."""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness/tests/support"))

from slurm_bed import exit_without_slurm, tool  # noqa: E402

SLUG = "conv-depthwise-2d-square-input-asym-kernel"
kgrade = ""


class SlurmLanes(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="slurm"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.cluster = self.work / "c"
        self.addCleanup(tool, "down", self.cluster)
        self.results = self.work / "results.jsonl"
        outcome = tool("up", self.cluster, "--nodes", 4)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.environment = {**os.environ, "SLURM_CONF": f"{self.cluster}/slurm.conf"}

    def candidates(self, count, bad=()):
        """Writes several files with the same text; those with the numbers in `bad` do not compile."""
        folder = self.work / "candidates" / SLUG
        folder.mkdir(parents=True)
        text = (ROOT / "solutions" / SLUG / "naive.cu").read_text()
        for number in range(count):
            (folder / f"c{number:03}.cu").write_text("no C++\n" if number in bad else text)

    def start(self, lanes, *slurm):
        lane = " ".join(["srun", "--ntasks=1", "--gres=gpu:1", "--quiet", *slurm, kgrade, "lane", "--device", "emulated"])
        return subprocess.Popen(
            [kgrade, "sweep", "--lanes", str(lanes), "--lane-command", lane, "--solutions", f"{self.work}/candidates/*/*.cu",
             "--hidden", "0", "--output", str(self.results), "--fail-on", "not-accepted"],
            env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def finish(self, sweep, exit_code=0, seconds=300):
        output, _ = sweep.communicate(timeout=seconds)
        self.assertEqual(sweep.returncode, exit_code, output)
        return output

    def lines(self):
        if not self.results.exists():
            return []
        return [json.loads(line) for line in self.results.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def nodes_at_work(self):
        return set(subprocess.run(["squeue", "--noheader", "--states=RUNNING", "--format=%N"], env=self.environment,
                                  capture_output=True, text=True, check=True).stdout.split())

    def all_lanes_end(self):
        end = time.monotonic() + 30
        while self.nodes_at_work():
            self.assertLess(time.monotonic(), end, "lanes go on")
            time.sleep(0.1)

    def test_a_node_that_is_killed_costs_no_result(self):
        self.candidates(60, bad=(17, 51))
        sweep = self.start(3)
        end = time.monotonic() + 120
        while len(self.lines()) < 5:
            self.assertLess(time.monotonic(), end, "no results")
            time.sleep(0.1)
        working = sorted(self.nodes_at_work())
        self.assertGreaterEqual(len(working), 2)
        self.assertEqual(tool("kill", self.cluster, working[0]).returncode, 0)
        self.assertLess(len(self.lines()), 55, "all of this is to happen in mid-sweep")
        output = self.finish(sweep, exit_code=1)
        names = collections.Counter(Path(line["candidates"][0]["path"]).name for line in self.lines())
        self.assertEqual(names, {f"c{number:03}.cu": 1 for number in range(60)})
        self.assertIn("60 candidates: 58 accepted, 2 not; ", output)
        self.all_lanes_end()

    def test_more_lanes_than_gpus_are_not_waited_for(self):
        self.candidates(8)
        output = self.finish(self.start(12))
        self.assertIn("8 candidates: 8 accepted, 0 not; ", output)

    def test_an_interrupted_sweep_gives_its_gpus_back(self):
        self.candidates(40)
        sweep = self.start(2)
        end = time.monotonic() + 120
        while not self.lines():
            self.assertLess(time.monotonic(), end, "no results")
            time.sleep(0.1)
        sweep.send_signal(signal.SIGINT)
        self.finish(sweep, exit_code=-signal.SIGINT)
        self.all_lanes_end()

    def test_what_slurm_refuses_is_reported(self):
        self.candidates(1)
        output = self.finish(self.start(1, "--partition=nowhere"), exit_code=3)
        self.assertRegex(output, "the lane ended with exit code 1: srun: error: .*[Ii]nvalid partition")
        self.assertEqual(self.lines(), [])


if __name__ == "__main__":
    kgrade = str(Path(sys.argv.pop(1)).resolve())
    exit_without_slurm()
    unittest.main(verbosity=2)
