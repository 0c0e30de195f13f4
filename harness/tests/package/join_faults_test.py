"""kgrade.join between a service that lends jobs and a service that grades them, which both fail. It needs no program."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

import kgrade  # noqa: E402
from kgrade import _kept, _lease, _local, join  # noqa: E402
from kgrade._grader import GraderGone  # noqa: E402
from kgrade._transport import Transport  # noqa: E402
from faulty_service import Service  # noqa: E402
from lending_service import LendingService  # noqa: E402

WAIT = 0.5                              # seconds that a request for work waits for it


def source(verdict="accepted", **more):
    return json.dumps({"verdict": verdict, **more})


class FakeLocal(kgrade.Client):
    """The client of a service of this node, which can die."""

    def __init__(self, lanes):
        self.service = Service()
        self.service.lanes = [{"device": "emulated", "state": "idle"} for _ in range(lanes)]
        self.is_dead = False
        super().__init__(self.service.url, "")

    def is_running(self):
        return not self.is_dead

    def die(self):
        if not self.is_dead:
            self.is_dead = True
            self.service.close()

    close = die


class WithServices(unittest.TestCase):
    lanes = 2

    def begin(self, sources, **options):
        self.server = LendingService(sources, **options)
        self.addCleanup(self.server.close)
        self.locals = []
        self.notes = []

        def start(_options):
            self.locals.append(FakeLocal(self.lanes))
            return self.locals[-1]

        for patch in (mock.patch.object(_local, "start", start), mock.patch.object(join, "_WAIT", WAIT)):
            patch.start()
            self.addCleanup(patch.stop)
        self.node = self.make_node()
        self.error = None
        self.thread = threading.Thread(target=self.run_node)
        self.thread.start()
        self.addCleanup(self.end)

    def make_node(self):
        node = join.Node(Transport(self.server.url, ""), [], "node7")
        node._note = self.notes.append
        node._grader._note = self.notes.append
        return node

    def run_node(self):
        try:
            self.node.run()
        except kgrade.KgradeError as error:
            self.error = error

    def end(self):
        self.node.stop()
        self.thread.join(30)
        self.assertFalse(self.thread.is_alive())

    def results(self):
        self.assertEqual(len(self.server.ended), len({id for id, _ in self.server.ended}), "a job ended twice")
        return dict(self.server.ended)

    def local_jobs(self):
        return [job for each in self.locals for job in each.service.jobs.values()]


class AServer(WithServices):
    def test_gets_the_record_of_each_job_once(self):
        self.begin([source(seconds=0.05 * (number % 5)) for number in range(100)], most=8)
        self.server.wait_for_all()
        for id, result in self.results().items():
            self.assertEqual(result["record"]["schema"], "kgrade-record", id)
        self.assertEqual(self.server.begun, set(self.server.requests), "not all had begun")
        self.assertFalse(self.server.leases)
        self.assertEqual(len(self.local_jobs()), 100, "a job was graded twice")

    def test_gets_faults_as_faults(self):
        self.begin([source(None, fault=fault) for fault in ("machine", "service", "problem")] + [source("wrong_answer")])
        self.server.wait_for_all()
        found = self.results()
        self.assertEqual([found[f"g_{number}"]["failed"]["fault"] for number in range(3)], ["machine", "service", "problem"])
        self.assertIn("record", found["g_3"])

    def test_gets_an_overrun_where_the_run_limit_has_passed(self):
        self.begin([source("time_limit", record=False), source()])
        self.server.wait_for_all()
        self.assertEqual(self.results()["g_0"], {"id": "g_0", "overrun": True})

    def test_gets_the_fault_of_a_machine_for_a_job_that_this_node_does_not_know(self):
        self.begin([source(), source()])
        self.server.wait_for_all()
        with self.server.changed:
            self.server.requests["g_2"] = {**self.server.requests["g_0"], "problem": "no-such-problem"}
            self.server.queue.append("g_2")
        self.server.wait_for_all()
        failed = self.results()["g_2"]["failed"]
        self.assertEqual(failed["fault"], "machine")
        self.assertIn("no-such-problem", failed["reason"])

    def test_hears_of_a_lease_before_its_jobs_begin(self):
        self.begin([source()])
        self.server.wait_for_all()
        self.assertEqual(self.server.reports[0], {"begun": [], "results": []})

    def test_lends_no_more_than_the_lanes_need(self):
        self.begin([source(seconds=6.0) for _ in range(120)], most=10)
        self.server.wait(lambda: len(self.server.leases) == 2)
        time.sleep(0.5)
        self.assertEqual(len(self.server.leases), 2, "it took a lease ahead though it had enough")
        self.server.wait(lambda: len(self.server.ended) >= 20)
        self.node.stop()
        self.thread.join(20)
        self.assertLessEqual(len(self.local_jobs()), 50)

    def test_that_cancels_a_job_stops_it(self):
        self.begin([source(seconds=60), source(seconds=60), source()])
        self.server.wait(lambda: "g_0" in self.server.begun)
        self.server.cancel("g_0")
        self.server.wait(lambda: any(job.get("cancelled") for job in self.local_jobs()))
        self.assertEqual([job["body"]["candidate"] for job in self.local_jobs() if job.get("cancelled")],
                         [self.server.requests["g_0"]["candidate"]])
        self.assertIn("record", self.results()["g_2"])

    def test_gets_all_back_when_the_node_stops(self):
        self.begin([source(seconds=60)] * 5 + [source()])
        self.server.wait(lambda: len(self.server.ended) == 1)
        self.node.stop()
        self.thread.join(20)
        self.assertFalse(self.thread.is_alive(), "it waits for its jobs")
        self.assertIsNone(self.error)
        self.assertEqual(set(self.server.queue), {f"g_{number}" for number in range(5)})
        self.assertFalse(self.server.leases or self.server.lost)
        self.assertTrue(self.locals[0].is_dead)


    def test_hears_whether_a_failed_job_had_begun(self):
        self.begin([source(None, fault="machine"), source(None, fault="machine", begun=False)])
        self.server.wait_for_all()
        self.assertEqual(self.server.begun, {"g_0"})

    def test_gets_each_job_once_if_the_answer_of_the_node_is_lost(self):
        with mock.patch.object(_lease, "_ANSWER", 0.4):
            self.begin([])
            self.server.wait(lambda: self.locals)
            self.locals[0].service.faults["/v1/grades/batch"] = ["lose"] * 3
            with self.server.changed:
                self.server.requests = {f"g_{number}": {"problem": "softmax", "candidate": {"name": "a.cu", "source": source()}}
                                        for number in range(5)}
                self.server.queue = list(self.server.requests)
            self.server.wait_for_all()
        self.assertFalse(self.locals[0].service.faults["/v1/grades/batch"], "no answer was lost")
        self.assertEqual(len(self.local_jobs()), 5, "a job was graded twice")


class AServerThatFails(WithServices):
    def test_and_comes_back(self):
        self.begin([source(seconds=0.1)] * 60, most=8)
        self.server.wait(lambda: len(self.server.ended) >= 5)
        self.server.faults = ["drop", 502, "lose", 503]
        self.server.report_faults = ["drop", 502, "lose", "drop", 503, "lose"]
        # An answer with a lease that was lost: its jobs come again when the lease is lost.
        self.server.lease_s = 3.0
        self.server.wait_for_all(60)
        self.assertEqual(len(self.results()), 60)
        self.server.wait(lambda: any("cannot be reached" in note or "answered" in note for note in self.notes))

    def test_and_does_not_answer_a_request_for_work(self):
        self.begin([source(seconds=0.1)] * 20, most=4)
        self.server.wait(lambda: len(self.server.ended) >= 1)
        self.server.faults = [413, 429]
        self.server.wait_for_all(60)
        self.assertEqual(len(self.results()), 20)
        self.server.wait(lambda: any("answered 413" in note for note in self.notes))

    def test_and_has_lost_the_lease(self):
        self.begin([source(seconds=60), source(seconds=60)])
        self.server.wait(lambda: self.server.begun == {"g_0", "g_1"})
        self.server.requests = {"g_2": {**self.server.requests["g_0"], "candidate": {"name": "a.cu", "source": source()}}}
        with self.server.changed:
            self.server.leases.clear()          # it was restarted
            self.server.queue.append("g_2")
        self.server.wait_for_all()
        self.server.wait(lambda: sum(bool(job.get("cancelled")) for job in self.local_jobs()) == 2)

    def test_and_is_away_for_longer_than_a_lease(self):
        self.begin([source(seconds=60), source(seconds=60)], lease_s=2.0)
        self.server.wait(lambda: self.server.begun == {"g_0", "g_1"})
        self.server.faults = ["drop"] * 1000
        self.server.report_faults = ["drop"] * 1000
        self.server.wait(lambda: sum(bool(job.get("cancelled")) for job in self.local_jobs()) == 2)

    def test_and_is_slow(self):
        self.begin([source()] * 40, most=8)
        self.server.faults = [0.5, 1.0] * 3
        self.server.report_faults = [1.0, 3.0, 0.2] * 3
        self.server.wait_for_all(40)
        self.assertEqual(len(self.results()), 40)
        self.assertFalse(self.server.lost)

    def test_and_does_not_know_the_token(self):
        self.begin([])
        self.server.token = "other"
        self.thread.join(20)
        self.assertIsInstance(self.error, kgrade.Unauthorized)


class ANode(WithServices):
    def test_stops_though_the_signal_comes_while_a_lock_is_held(self):
        # A signal handler interrupts the main thread anywhere, also inside of Event.wait().
        self.begin([source(seconds=60)])
        event = self.node._is_stopped

        def handle():
            with event._cond:
                self.node.stop()

        handler = threading.Thread(target=handle, daemon=True)
        handler.start()
        handler.join(10)
        self.assertFalse(handler.is_alive(), "the handler waits for a lock that its own thread holds")
        self.thread.join(10)
        self.assertFalse(self.thread.is_alive())


class AGraderThatFails(WithServices):
    lanes = 1

    def test_is_started_again_and_only_what_had_begun_fails(self):
        self.begin([source(seconds=60), source(seconds=7, begun=False), source(seconds=7, begun=False)])
        self.server.wait(lambda: "g_0" in self.server.begun)
        self.locals[0].die()
        self.server.wait_for_all()
        found = self.results()
        self.assertEqual(len(self.locals), 2)
        self.assertEqual(found["g_0"]["failed"], {"fault": "machine",
                                                  "reason": "the service of the node died while it graded this"})
        self.assertTrue("record" in found["g_1"] and "record" in found["g_2"], found)
        self.assertEqual(len(self.locals[1].service.jobs), 2)

    def test_three_times_in_a_row_ends_the_node(self):
        self.begin([source(seconds=60)] * 8)
        for number in range(3):
            self.server.wait(lambda n=number: len(self.locals) > n and self.locals[n].service.jobs or self.error)
            self.locals[number].die()
        self.thread.join(20)
        self.assertIsInstance(self.error, GraderGone)
        self.assertFalse(self.server.leases, "it kept a lease")

    def wait_until_it_asks_no_more(self, quiet=3 * WAIT, seconds=20.0):
        """A request that was under way when the last lane failed may still be answered. None follows it."""
        end = time.monotonic() + seconds
        asked, looks = len(self.server.seen), 0  # Looks, not time: all threads may stand still.
        while looks < quiet / 0.05:
            self.assertLess(time.monotonic(), end, "it asks for work without a lane")
            time.sleep(0.05)
            looks = looks + 1 if len(self.server.seen) == asked else 0
            asked = len(self.server.seen)
        self.server.wait(lambda: not self.server.leases)

    def test_without_a_lane_in_order_gives_its_jobs_back(self):
        self.begin([source(seconds=60)] * 2)
        self.server.wait(lambda: len(self.server.begun) == 2)
        self.locals[0].service.lanes[0]["state"] = "quarantined"
        self.server.wait(lambda: self.server.released)
        self.assertEqual(sorted(self.server.released[0]), ["g_0", "g_1"])
        self.server.wait(lambda: all(job.get("cancelled") for job in self.local_jobs()))
        self.wait_until_it_asks_no_more()
        self.server.requests = {"g_0": {**self.server.requests["g_0"], "candidate": {"name": "a.cu", "source": source()}}}
        self.server.queue = ["g_0"]
        self.locals[0].service.lanes[0]["state"] = "idle"
        self.server.wait_for_all()

    def test_jobs_that_expire_here_are_given_back(self):
        self.begin([source(None, fault="expired"), source(seconds=1)])
        self.server.wait(lambda: self.server.released)
        self.assertEqual(self.server.released[0], ["g_0"])
        self.assertEqual(list(self.results()), ["g_1"])


class TheProgram(unittest.TestCase):
    def run_program(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "KGRADE_PROGRAM": "/bin/false"}
        return subprocess.run([sys.executable, "-m", "kgrade.join", *arguments], env=environment, capture_output=True,
                              text=True, check=False, timeout=60)

    def test_says_what_is_wrong(self):
        for arguments, message in ((("ftp://x",), "is no address"), (("http://127.0.0.1:1", "--jobs", "0"), "--jobs"),
                                   (("http://127.0.0.1:1", "--token-file", "/nowhere"), "--token-file")):
            ended = self.run_program(*arguments)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(message, ended.stderr)

    def test_ends_with_3_if_its_service_dies_again_and_again(self):
        ended = self.run_program("http://127.0.0.1:1")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("3 times in a row", ended.stderr)

    def test_knows_which_services_other_machines_reach(self):
        for url in ("unix:///a/b", "http://127.0.0.1:8642", "http://localhost", "http://[::1]:1"):
            self.assertTrue(join.is_near(url), url)
        for url in ("https://example.org", "http://10.0.0.1:1", "http://localhost.example.org"):
            self.assertFalse(join.is_near(url), url)


class AKeptProcess(unittest.TestCase):
    """_kept.py: what a killed process has started ends too."""

    def test_ends_when_its_starter_is_killed(self):
        code = ("import subprocess, sys, time; from kgrade import _kept\n"
                "child = subprocess.Popen(_kept.command_for(['sleep', '100'], sys.argv[1]), stdin=subprocess.PIPE)\n"
                "print(child.pid, flush=True); time.sleep(100)")
        folder = Path(tempfile.mkdtemp())
        starter = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        keeper = int(starter.stdout.readline())
        children = Path(f"/proc/{keeper}/task/{keeper}/children")
        self.wait(lambda: children.read_text().split())
        kept = int(children.read_text().split()[0])
        starter.send_signal(signal.SIGKILL)
        starter.wait()
        starter.stdout.close()
        self.wait(lambda: not Path(f"/proc/{keeper}").exists() and not Path(f"/proc/{kept}").exists())
        self.assertFalse(folder.exists())

    def test_ends_when_its_keeper_is_killed(self):
        keeper = self.start("sleep", "100")
        children = Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children")
        self.wait(lambda: children.read_text().split())
        kept = int(children.read_text().split()[0])
        keeper.kill()
        keeper.communicate()
        self.wait(lambda: not Path(f"/proc/{kept}").exists())

    def test_whose_keeper_is_killed_while_it_starts_does_not_begin(self):
        with tempfile.TemporaryDirectory() as folder:
            begun = Path(folder, "begun")
            code = ("import os, sys; from kgrade import _kept\n"
                    "keeper = os.getpid()\n"
                    "if os.fork(): os._exit(0)\n"
                    "while os.getppid() == keeper: pass\n"
                    "_kept._prepare(keeper); open(sys.argv[1], 'w')")
            outcome = subprocess.run([sys.executable, "-c", code, str(begun)], stdout=subprocess.PIPE, check=True, timeout=60,
                                     env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
            self.assertEqual(outcome.stdout, b"")  # It is closed when the child has ended too.
            self.assertFalse(begun.exists())

    def test_hands_on_the_exit_code(self):
        for command, code in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137)):
            keeper = self.start(*command)
            self.assertEqual(keeper.wait(20), code)
            keeper.stdin.close()
        keeper = self.start("sleep", "100")
        self.wait(lambda: Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children").read_text().split())
        time.sleep(0.3)
        keeper.terminate()
        self.assertEqual(keeper.wait(20), 128 + signal.SIGTERM)
        keeper.stdin.close()

    def test_ends_whenever_it_is_told_to(self):
        for number in range(60):
            keeper = self.start("sleep", "100")
            time.sleep(0.01 * (number % 12))
            keeper.stdin.close()
            if number % 2:
                keeper.terminate()
            keeper.wait(20)

    def start(self, *command):
        return subprocess.Popen(_kept.command_for(command), stdin=subprocess.PIPE)

    def wait(self, condition, seconds=20.0):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
