"""Lanes in a Slurm job that join a service: `slurm_join_test.py KGRADE`.

The job script is that of docs/service.md. One of its tasks is cancelled and one node is killed: each job of the service ends
once. Exit code 77 if Slurm is not installed.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from candidates import RIGHT, ROOT, SLUG, SMALL

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "harness/tests/support")]

import kgrade  # noqa: E402
from slurm_bed import exit_without_slurm, tool  # noqa: E402

program = ""


def documented_script():
    text = (ROOT / "docs" / "service.md").read_text()
    return re.search(r"```bash\n(#!/bin/bash\n#SBATCH .*?)```", text, re.DOTALL)[1]


class SlurmJoinTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="slurm"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.cluster = self.work / "c"
        self.addCleanup(tool, "down", self.cluster)
        outcome = tool("up", self.cluster, "--nodes", 3, "--gpus", 1)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.url = f"unix://{self.work}/socket"
        self.environment = {**os.environ, "SLURM_CONF": f"{self.cluster}/slurm.conf", "KGRADE_URL": self.url,
                            "HOME": str(self.work)}
        (self.work / "kgrade.token").write_text("none is needed\n")
        self.service = subprocess.Popen([program, "serve", f"--listen=unix:{self.work}/socket", f"--state={self.work}/state",
                                         "--device=emulated", "--jobs=0"], stdin=subprocess.DEVNULL)
        self.addCleanup(lambda: self.service.kill() or self.service.wait())
        while not (self.work / "socket").exists():
            time.sleep(0.05)
        self.client = kgrade.Client(self.url, "", timeout=400)

    def slurm(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True, cwd=self.work).stdout

    def wait(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.slurm('squeue', '-r')}\n" +
                            "".join(log.read_text() for log in self.work.glob("slurm-*.out")))
            time.sleep(0.1)

    def ended(self):
        lines = (self.work / "state" / "journal.jsonl").read_text().splitlines()
        return collections.Counter(line.split('"id":"')[1].split('"')[0] for line in lines if '"type":"ended"' in line)

    def tasks(self):
        """The running tasks of the job: their numbers by node."""
        rows = self.slurm("squeue", "-r", "--noheader", "--states=RUNNING", "--format=%N %K").split("\n")
        return dict(row.split() for row in rows if row)

    def test_each_job_ends_once(self):
        # There are three nodes, with the emulated device, and no `kgrade` in PATH.
        script = documented_script()
        changed = script.replace("0-63", "0-2").replace("--gpus 0", "--device emulated --jobs 1").replace("kgrade serve",
                                                                                                         f"{program} serve")
        self.assertEqual(changed.count("emulated") + changed.count("0-2") + changed.count(program), 3, script)
        (self.work / "job.sh").write_text(changed)
        job = self.slurm("sbatch", "--parsable", "job.sh").strip()
        handles = self.client.submit_many([(SLUG, RIGHT + f"// {number % 3}\n", f"c{number}.cu") for number in range(120)], **SMALL)
        self.wait(lambda: len(self.tasks()) == 3 and len(self.ended()) >= 12, "the tasks do not grade")
        (first, task), (second, _), _ = sorted(self.tasks().items())
        self.slurm("scancel", f"{job}_{task}")
        log = self.work / f"slurm-{job}_{task}.out"
        self.wait(lambda: "gives back the jobs" in log.read_text(), "the task is not told to stop", 20)
        self.assertEqual(tool("kill", self.cluster, second).returncode, 0)
        self.assertLess(len(self.ended()), 120, "all of this is to happen before the end")
        grades = {handle.id: handle.result() for handle in self.client.as_completed(handles)}
        self.assertEqual({grade.verdict for grade in grades.values()}, {"accepted"}, grades)
        self.assertEqual(self.ended(), {handle.id: 1 for handle in handles})
        self.slurm("scancel", job)
        self.wait(lambda: not self.tasks(), "the job does not end")


if __name__ == "__main__":
    program = str(Path(sys.argv.pop(1)).resolve())
    exit_without_slurm()
    unittest.main(verbosity=2)
