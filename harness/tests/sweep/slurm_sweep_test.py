"""slurm_sweep_test.py KGRADE: sweeps with a real Slurm, on the test cluster of tools/slurm_cluster.py and the emulated
device. One node is killed during a sweep and another drained, a sweep is interrupted and resumed, and arrays respect the
limit on their size. Exit code 77 if Slurm is not installed."""

import collections
import json
import os
import re
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


class SlurmSweepTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="slurm"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.cluster = self.work / "c"
        self.addCleanup(tool, "down", self.cluster)
        self.results = self.work / "results.jsonl"

    def up(self, *options):
        outcome = tool("up", self.cluster, "--nodes", 4, *options)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.environment = {**os.environ, "SLURM_CONF": f"{self.cluster}/slurm.conf"}

    def candidates(self, count, bad=()):
        """Writes several files with the same text; those with the numbers in `bad` do not compile."""
        folder = self.work / "candidates" / SLUG
        folder.mkdir(parents=True)
        text = (ROOT / "solutions" / SLUG / "naive.cu").read_text()
        for number in range(count):
            (folder / f"c{number:03}.cu").write_text("no C++\n" if number in bad else text)

    def start(self, *options):
        return subprocess.Popen(
            [kgrade, "sweep", "--device", "emulated", "--executor", "slurm", "--slurm=--gres=gpu:1", "--poll", "0.5",
             "--solutions", f"{self.work}/candidates/*/*.cu", "--hidden", "0", "--output", str(self.results), *options],
            env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def finish(self, sweep, exit_code=0, seconds=600):
        output, _ = sweep.communicate(timeout=seconds)
        self.assertEqual(sweep.returncode, exit_code, output)
        return output

    def slurm(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout

    def lines(self):
        if not self.results.exists():
            return []
        return [json.loads(line) for line in self.results.read_text().splitlines(keepends=True)
                if line.endswith("\n")]

    def wait_for_results(self, count, seconds=300):
        end = time.monotonic() + seconds
        while len(self.lines()) < count:
            self.assertLess(time.monotonic(), end, f"{len(self.lines())} results\n{self.slurm('squeue', '-r')}")
            time.sleep(0.1)

    def nodes_at_work(self):
        return set(self.slurm("squeue", "--noheader", "--states=RUNNING", "--format=%N").split())

    def assert_each_once(self, count):
        names = collections.Counter(Path(line["candidates"][0]["path"]).name for line in self.lines())
        self.assertEqual(sorted(names), [f"c{number:03}.cu" for number in range(count)])
        self.assertEqual(set(names.values()), {1}, "none is there twice")

    def test_a_node_is_killed_and_another_drained(self):
        self.up()
        self.candidates(100, bad=(17, 71))
        sweep = self.start("--chunk", "5", "--fail-on", "not-accepted")
        self.wait_for_results(10)
        working = sorted(self.nodes_at_work())
        self.assertGreaterEqual(len(working), 2)
        self.assertEqual(tool("kill", self.cluster, working[0]).returncode, 0)
        self.assertEqual(tool("drain", self.cluster, working[1]).returncode, 0)
        self.assertLess(len(self.lines()), 90, "all of this is to happen in mid-sweep")
        output = self.finish(sweep, exit_code=1)
        self.assert_each_once(100)
        verdicts = collections.Counter(line["candidates"][0]["verdict"] for line in self.lines())
        self.assertEqual(verdicts, {"accepted": 98, "compile_error": 2})
        self.assertRegex(output, r"100 candidates: 98 accepted, 2 not; ")
        restarted = list(Path(f"{self.results}.slurm").glob("round0-*-run1.jsonl"))
        self.assertTrue(restarted, "a task was requeued by Slurm, in the same job")

    def test_a_sweep_that_is_killed_finds_its_job_again(self):
        self.up()
        self.candidates(24)
        sweep = self.start("--chunk", "2")
        self.wait_for_results(3)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        sweep.stdout.close()
        before = len(self.lines())
        self.assertLess(before, 24)
        output = self.finish(self.start("--chunk", "2", "--resume"))
        self.assert_each_once(24)
        self.assertNotIn("job ", output.split("\n  problem")[0].replace("job of", ""), "nothing was submitted anew")
        self.assertRegex(output, r"24 candidates: 24 accepted, 0 not; \d+ of them from before")

    def test_a_kill_between_submission_and_answer_loses_no_job(self):
        self.up()
        self.candidates(6)
        shim = self.work / "shim"
        shim.mkdir()
        (shim / "sbatch").write_text(f"#!/bin/sh\n{shutil.which('sbatch')} \"$@\"\nkill -9 $PPID\n")
        (shim / "sbatch").chmod(0o755)
        self.environment["PATH"] = f"{shim}:{self.environment['PATH']}"
        sweep = self.start("--chunk", "2")
        self.assertEqual(sweep.wait(timeout=60), -signal.SIGKILL)
        sweep.stdout.close()
        self.assertEqual(json.loads(Path(f"{self.results}.slurm/job.json").read_text())["job"], "")
        # If it submitted the job again, it would be killed as well.
        output = self.finish(self.start("--chunk", "2", "--resume"))
        self.assert_each_once(6)
        self.assertRegex(output, r"6 candidates: 6 accepted, 0 not")

    def test_a_held_job_is_told_of_and_not_waited_for_for_ever(self):
        self.up()
        self.candidates(3)
        output = self.finish(self.start("--chunk", "1", "--slurm=--hold", "--wait-held", "2"), exit_code=70)
        self.assertRegex(output, r"job (\d+) is held \(JobHeldUser\): `scontrol release \1` lets it go")
        self.assertEqual(output.count(" is held ("), 1)
        self.assertRegex(output, r"not graded: .*c000\.cu: no result: job \d+ was held \(JobHeldUser\) for 2 s, and cancelled")
        self.assertEqual(self.slurm("squeue", "--noheader", "--states=PENDING,RUNNING"), "")

    def test_a_job_that_is_let_go_goes_on(self):
        self.up()
        self.candidates(2)
        sweep = self.start("--chunk", "1", "--slurm=--hold", "--wait-held", "300")
        end = time.monotonic() + 60
        while not (jobs := self.slurm("squeue", "--noheader", "--format=%F").split()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.2)
        self.slurm("scontrol", "release", jobs[0])
        self.finish(sweep)
        self.assert_each_once(2)
    def test_a_node_on_which_all_fails_is_left_out_of_the_next_job(self):
        prolog = self.work / "prolog.sh"
        prolog.write_text("#!/bin/sh\n[ \"$SLURMD_NODENAME\" != n2 ] || echo export SLURM_ARRAY_TASK_ID=none\n")
        prolog.chmod(0o755)
        self.up("--set", f"TaskProlog={prolog}")
        self.candidates(16)
        output = self.finish(self.start("--chunk", "1"))
        self.assert_each_once(16)
        self.assertRegex(output, r"node n2 is left out from now on: what ran there in job \d+ failed")
        self.assertEqual(len(re.findall(r"job \d+ with \d+ tasks", output)), 2, output)

    def test_arrays_are_cut_to_the_limit(self):
        self.up("--set", "MaxArraySize=6")
        self.candidates(20)
        output = self.finish(self.start("--chunk", "1"))
        self.assertRegex(output, r"job \d+ with 5 tasks for 20 candidates")
        self.assert_each_once(20)

    def test_what_slurm_refuses_is_told(self):
        self.up()
        self.candidates(1)
        output = self.finish(self.start("--slurm=--partition=nowhere"), exit_code=3)
        self.assertRegex(output, re.compile(r"sbatch refused the work: .*nowhere.*sinfo", re.DOTALL | re.IGNORECASE))
        self.assertEqual(self.lines(), [])


if __name__ == "__main__":
    kgrade = str(Path(sys.argv.pop(1)).resolve())
    exit_without_slurm()
    unittest.main(verbosity=2)
