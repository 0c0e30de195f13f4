"""slurm_cluster_test.py: runs a small job array on the test cluster of tools/slurm_cluster.py, while one node is killed
and another drained. Exit code 77 if Slurm is not installed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from slurm_bed import NOT_INSTALLED, exit_without_slurm, tool  # noqa: E402

# Each task says where it runs. Its first run continues until the test lets it end, and leaves a process in its own
# session behind, which Slurm itself would not end.
TASK = """#!/bin/bash
echo "$SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0} $CUDA_VISIBLE_DEVICES" >>"started.$SLURM_ARRAY_TASK_ID"
setsid bash -c 'exec -a %(tag)s sleep 1000' &
until [ -e go ]; do sleep 0.2; done
echo "$SLURMD_NODENAME" >>"ended.$SLURM_ARRAY_TASK_ID"
"""


def living(word):
    """Processes, except zombies, with the word in their command line or environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            texts = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            if word.encode() in texts and (folder / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                found.append(texts.replace(b"\0", b" ")[:200])
        except OSError:
            pass
    return found


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="slurm"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.cluster = self.work / "c"
        self.left_behind = f"left-behind-by-{self.work.name}"
        self.addCleanup(tool, "down", self.cluster)

    def wait_for(self, what, condition, seconds=90):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"{what}: not within {seconds} s\n{self.slurm('squeue', '-r', '-t', 'all')}\n"
                          f"{tool('status', self.cluster).stdout}")
            time.sleep(0.2)

    def up(self, *options):
        outcome = tool("up", self.cluster, *options)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(outcome.stdout, f"export SLURM_CONF={self.cluster}/slurm.conf\n")

    def slurm(self, *command):
        environment = {**os.environ, "SLURM_CONF": f"{self.cluster}/slurm.conf"}
        return subprocess.run(command, env=environment, cwd=self.work, capture_output=True, text=True,
                              check=True).stdout

    def submit(self, tasks):
        (self.work / "task.sh").write_text(TASK % {"tag": self.left_behind})
        return self.slurm("sbatch", "--parsable", "--requeue", "--open-mode=append", f"--array=0-{tasks - 1}",
                          "--gres=gpu:1", "--output=out.%a", "task.sh").strip()

    def lines(self, name):
        path = self.work / name
        return path.read_text().splitlines() if path.exists() else []

    def states(self):
        return dict(line.split(" ", 1) for line in tool("status", self.cluster).stdout.splitlines())

    def assert_nothing_left(self):
        self.assertFalse(self.cluster.exists())
        self.assertEqual(living(str(self.cluster)), [])
        self.assertEqual(living(self.left_behind), [])


class LifeTest(ClusterTest):
    def test_an_array_outlives_a_lost_node_and_a_drained_one(self):
        self.up("--nodes", 3, "--gpus", 2)
        self.assertEqual(self.states(), {"n0": "idle", "n1": "idle", "n2": "idle"})
        job = self.submit(6)
        self.wait_for("all tasks run", lambda: all(self.lines(f"started.{task}") for task in range(6)))
        places = [self.lines(f"started.{task}")[0] for task in range(6)]
        self.assertEqual(sorted(places), sorted(f"n{node} 0 {gpu}" for node in range(3) for gpu in range(2)))

        # The node disappears with everything that ran there; tasks on other nodes continue.
        self.assertEqual(tool("kill", self.cluster, "n1").returncode, 0)
        self.assertEqual(len(living(self.left_behind)), 4)
        lost = [task for task in range(6) if places[task].startswith("n1 ")]
        self.wait_for("the lost node is noticed", lambda: self.states()["n1"] == "down* (killed)")
        self.assertEqual(tool("drain", self.cluster, "n2").returncode, 0)
        self.wait_for("n2 drains", lambda: self.states()["n2"] == "draining")

        for task in lost:  # Slurm itself would wait two minutes
            self.wait_for("the task is requeued",
                          lambda t=task: "PENDING" in self.slurm("squeue", "-h", "-j", f"{job}_{t}", "-o", "%T"))
            self.slurm("scontrol", "update", f"JobId={job}_{task}", "StartTime=now")
        (self.work / "go").touch()
        self.wait_for("all tasks end", lambda: all(self.lines(f"ended.{task}") for task in range(6)))
        for task in range(6):
            self.assertEqual(len(self.lines(f"ended.{task}")), 1)
        for task in lost:  # elsewhere, and not on the node that is drained
            self.assertRegex(self.lines(f"started.{task}")[-1], r"^n0 1 [01]$")
        self.wait_for("n2 is empty", lambda: self.states()["n2"] == "drained")

        self.assertEqual(tool("resume", self.cluster, "n2").returncode, 0)
        self.assertIn("n1 is not running", tool("resume", self.cluster, "n1").stderr)
        self.assertEqual(tool("start", self.cluster, "n1").returncode, 0)
        # On a busy machine the controller hears from nodes late, and calls them idle* for a while.
        everywhere = {"n0": "idle", "n1": "idle", "n2": "idle"}
        self.wait_for("all nodes are back", lambda: self.states() == everywhere)
        listening = self.listening()
        self.assertTrue(listening)
        self.assertTrue(all(address.startswith("127.0.0.1:") for address in listening), listening)
        self.assertEqual(tool("down", self.cluster).returncode, 0)
        self.assert_nothing_left()
        self.assertEqual(tool("down", self.cluster).returncode, 0)

    def listening(self):
        ports = set(re.findall(r"\b2\d{4}\b|\b3[01]\d{3}\b", (self.cluster / "slurm.conf").read_text()))
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        addresses = [row[1].split(":") for row in rows if row[3] == "0A"]
        texts = [".".join(str(byte) for byte in reversed(bytes.fromhex(address))) + f":{int(port, 16)}"
                 for address, port in addresses]
        return [text for text in texts if text.rpartition(":")[2] in ports]


class CareTest(ClusterTest):
    def test_a_cluster_that_cannot_start_leaves_nothing(self):
        outcome = tool("up", self.cluster, "--nodes", 1, "--set", "SelectType=select/none_such")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("select/none_such", outcome.stderr)
        self.assert_nothing_left()

    def test_settings_reach_slurm(self):
        self.up("--nodes", 1, "--set", "MaxArraySize=11")
        self.assertRegex(self.slurm("scontrol", "show", "config"), r"MaxArraySize\s+= 11\n")
        self.assertIn("there is already a cluster", tool("up", self.cluster).stderr)
        self.assertIn("there is no node n1", tool("kill", self.cluster, "n1").stderr)

    def test_down_finds_what_has_lost_its_keepers(self):
        self.up("--nodes", 1)
        for keeper in (self.cluster / "run").glob("*.keeper"):
            os.kill(int(keeper.read_text().split()[0]), 9)
        self.assertEqual(tool("down", self.cluster).returncode, 0)
        self.assert_nothing_left()

    def test_folders_of_others_are_left_alone(self):
        self.cluster.mkdir()
        (self.cluster / "thesis.txt").write_text("text")
        for command in ("up", "down"):
            self.assertEqual(tool(command, self.cluster).returncode, 1)
        self.assertEqual((self.cluster / "thesis.txt").read_text(), "text")

    def test_what_is_not_installed_is_named(self):
        outcome = tool("up", self.cluster, env={"PATH": "/nonexistent"})
        self.assertEqual(outcome.returncode, NOT_INSTALLED)
        self.assertIn("apt-get install", outcome.stderr)


if __name__ == "__main__":
    exit_without_slurm()
    unittest.main(verbosity=2)
