"""Nodes grade for a service without lanes of its own: `join_test.py KGRADE [TEST]...`.

Each job has to end once, with the verdict that its candidate deserves. Without TEST, all but AKilledNode, which takes as long
as a lease: 60 s.
"""

import collections
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from candidates import CANDIDATES, RIGHT, ROOT, SLUG, SMALL

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "harness/tests/support")]

import kgrade  # noqa: E402
from boost import exit_without_boost  # noqa: E402
from processes import descendants  # noqa: E402

PRINTS = """#include <cstdio>
extern "C" char** environ;
extern "C" void solution(const float* d_input1, const float* d_input2, float* d_output, size_t n) {
  for (char** each = environ; *each != nullptr; ++each) printf("%s\\n", *each);
}
"""
HANGS = RIGHT + "\nstruct Slow { Slow() { for (volatile long i = 0;; i = i + 1) {} } } slow;\n"
program = ""


def processes_with(text):
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in each.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(each.parent.name))
        except OSError:
            pass
    return found


class WithAService(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kgrade-join-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = open(self.folder / "log", "ab")
        self.addCleanup(self.log.close)
        self.options = []
        self.start_service()
        self.addCleanup(lambda: self.service.kill() or self.service.wait())
        self.client = kgrade.Client(f"unix://{self.folder}/socket", "", timeout=240)

    def start_service(self):
        self.service = subprocess.Popen(
            [program, "serve", f"--listen=unix:{self.folder}/socket", f"--state={self.folder}/state", "--device=emulated",
             "--jobs=0", *self.options], stdin=subprocess.DEVNULL, stderr=self.log)
        for _ in range(200):
            if (self.folder / "socket").exists():
                return
            time.sleep(0.05)
        self.fail("the service did not start")

    def join(self, name, *more):
        # The node's own folders are here, so what is left of them can be found.
        temporary = self.folder / name
        temporary.mkdir(exist_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "KGRADE_PROGRAM": program, "TMPDIR": str(temporary)}
        node = subprocess.Popen([sys.executable, "-m", "kgrade.join", f"unix://{self.folder}/socket", "--device=emulated",
                                 "--jobs=1", f"--name={name}", *more], stdin=subprocess.DEVNULL, stderr=self.log, env=environment)
        self.addCleanup(lambda: node.kill() or node.wait())
        return node

    def wait(self, condition, seconds=60.0):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, (self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)

    def ended_in_journal(self):
        lines = (self.folder / "state" / "journal.jsonl").read_text().splitlines()
        return collections.Counter(line.split('"id":"')[1].split('"')[0] for line in lines if '"type":"ended"' in line)

    def busy(self, name):
        return [lane for lane in self.client.capacity()["lanes"] if lane["name"].startswith(name) and lane["state"] == "busy"]


class AKilledNode(WithAService):
    def test_takes_no_job_with_it(self):
        killed, other = self.join("killed"), self.join("other")
        verdicts = [list(CANDIDATES)[number % 4] for number in range(40)]
        items = [kgrade.Request(SLUG, CANDIDATES[verdict] + f"\n// {number % 3}\n", f"c{number}.cu", {"client_ref": str(number)})
                 for number, verdict in enumerate(verdicts)]
        handles = self.client.submit_many(items, **SMALL)
        self.wait(lambda: self.busy("killed") and self.busy("other") and sum(self.ended_in_journal().values()) >= 5)
        self.wait(lambda: self.busy("killed"))
        killed.kill()
        killed.wait()
        grades = {handle.id: handle.result() for handle in handles}
        self.assertEqual([grades[handle.id].verdict for handle in handles], verdicts,
                         [grade for grade in grades.values() if not grade.ok])
        self.assertEqual([grades[handle.id].client_ref for handle in handles], [str(number) for number in range(40)])
        self.assertEqual(self.ended_in_journal(), {handle.id: 1 for handle in handles})
        # The killed node's own service ends, and so do its lanes and its files.
        self.wait(lambda: not processes_with(f"{self.folder}/killed") and not list((self.folder / "killed").iterdir()))
        other.send_signal(signal.SIGTERM)
        self.assertEqual(other.wait(20), 0)
        self.assertEqual(list((self.folder / "other").iterdir()), [])


class JoinedNodes(WithAService):
    def test_what_a_stopping_node_has_is_graded_by_another(self):
        stopping = self.join("stopping")
        hanging = self.client.submit(SLUG, HANGS, name="h.cu", run_limit=40, **SMALL)
        right = self.client.submit(SLUG, RIGHT, name="a.cu", **SMALL)
        self.wait(lambda: self.busy("stopping"))
        begin = time.monotonic()
        stopping.send_signal(signal.SIGTERM)
        self.assertEqual(stopping.wait(20), 0)
        self.assertTrue(hanging.cancel())
        self.join("next")
        self.assertEqual(right.result().verdict, "accepted")
        self.assertLess(time.monotonic() - begin, 40, "the jobs waited until the lease was lost")

    def test_the_run_limit_and_a_cancelled_job(self):
        self.join("node")
        hanging = self.client.submit(SLUG, HANGS, name="h.cu", run_limit=600, **SMALL)
        self.wait(lambda: self.busy("node"))
        self.assertTrue(hanging.cancel())
        overrun = self.client.grade(SLUG, HANGS, name="h.cu", run_limit=2, **SMALL)
        self.assertEqual((overrun.outcome, overrun.verdict), ("graded", "time_limit"), overrun)
        self.assertIn("run_limit_s", overrun.reason)
        record = self.client.record(self.client.submit(SLUG, RIGHT, name="a.cu", **SMALL).result())
        self.assertEqual(record["candidates"][0]["path"], "a.cu")

    def test_a_service_that_is_killed_and_started_again(self):
        self.join("node")
        handles = self.client.submit_many([(SLUG, RIGHT + f"// {number}", "a.cu") for number in range(8)], **SMALL)
        self.wait(lambda: sum(self.ended_in_journal().values()) >= 1)
        self.service.kill()
        self.service.wait()
        (self.folder / "socket").unlink()
        self.start_service()
        self.assertEqual([handle.result().verdict for handle in handles], ["accepted"] * 8)
        self.assertEqual(set(self.ended_in_journal().values()), {1})

    def test_the_command_serve_joins(self):
        node = subprocess.Popen([program, "serve", f"--join=unix://{self.folder}/socket", "--device=emulated", "--jobs=1"],
                                stdin=subprocess.DEVNULL, stderr=self.log)
        self.addCleanup(lambda: node.kill() or node.wait())
        self.assertEqual(self.client.grade(SLUG, RIGHT, name="a.cu", **SMALL).verdict, "accepted")
        node.send_signal(signal.SIGTERM)
        self.assertEqual(node.wait(20), 0)


class Tokens(WithAService):
    def start_service(self):
        tokens = self.folder / "tokens"
        tokens.touch(0o600)
        hashes = {owner: hashlib.sha256(owner.encode()).hexdigest() for owner in ("ann", "node")}
        tokens.write_text(f"ann {hashes['ann']}\nnode {hashes['node']} lanes\n")
        for owner in hashes:
            (self.folder / f"{owner}.token").write_text(f"{owner}\n")
        self.options = [f"--tokens={tokens}"]
        super().start_service()

    def test_only_a_token_with_lanes_joins(self):
        refused = self.join("refused", f"--token-file={self.folder}/ann.token")
        self.assertEqual(refused.wait(60), 2)
        self.assertIn("lanes", (self.folder / "log").read_text())
        self.join("node", f"--token-file={self.folder}/node.token")
        client = kgrade.Client(self.client.url, "ann", timeout=100)
        self.assertEqual(client.grade(SLUG, RIGHT, name="a.cu", **SMALL).verdict, "accepted")

    def test_the_token_reaches_no_program_that_the_node_starts(self):
        environment = {**os.environ, "KGRADE_TOKEN": "node"}
        node = subprocess.Popen([program, "serve", f"--join=unix://{self.folder}/socket", "--device=emulated", "--jobs=1"],
                                stdin=subprocess.DEVNULL, stderr=self.log, env=environment)
        self.addCleanup(lambda: node.kill() or node.wait())
        client = kgrade.Client(self.client.url, "ann", timeout=100)
        record = client.record(client.grade(SLUG, PRINTS, name="prints.cu", **SMALL))
        printed = record["candidates"][0]["cases"][0]["printed"]
        self.assertIn("LC_ALL=C", printed["lines"])
        self.assertEqual(printed["more_lines"], 0)
        self.assertNotIn("KGRADE_TOKEN", str(record))

        # While a candidate runs, all programs of the node are there.
        hanging = client.submit(SLUG, HANGS, name="h.cu", run_limit=60, **SMALL)
        self.wait(lambda: any(lane["state"] == "busy" and lane["name"] for lane in client.capacity()["lanes"]))
        self.wait(lambda: any("kgrade-worker" in name for name in self.started_by(node)))
        started = self.started_by(node)
        for name in ("_kept.py", "serve", "lane"):
            self.assertTrue(any(name in each for each in started), (name, started))
        self.assertEqual([name for name, variables in started.items() if "KGRADE_TOKEN" in variables], [])
        self.assertIn("KGRADE_TOKEN=node", Path(f"/proc/{node.pid}/environ").read_text())
        self.assertTrue(hanging.cancel())

    def started_by(self, node):
        """The environment of each program that the node has started, by its command line."""
        started = {}
        for process in {each for each, _ in descendants(node.pid)} - {node.pid}:
            try:
                command, variables = (Path(f"/proc/{process}/{file}").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                                      for file in ("cmdline", "environ"))
            except OSError:  # it has ended
                continue
            started[f"{command}({process})"] = variables
        return started


if __name__ == "__main__":
    program = str(Path(sys.argv.pop(1)).resolve())
    exit_without_boost(program)
    unittest.main(defaultTest=("JoinedNodes", "Tokens"))
