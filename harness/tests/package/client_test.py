"""The Python client, with a real service on the emulated device: `client_test.py KGRADE`."""

import asyncio
import http.server
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "harness/tests/support")]

from boost import exit_without_boost  # noqa: E402

import kgrade  # noqa: E402
from kgrade import Grade, Interval, rewards  # noqa: E402
from kgrade._transport import Transport  # noqa: E402
from kgrade.adapters import trl, verl  # noqa: E402

SLUG = "vector-addition"
FILE = ROOT / "solutions" / SLUG / "naive.cu"
RIGHT = FILE.read_text()
WRONG = RIGHT.replace("] + ", "] - ")
# The worker dies while it loads the candidate.
CRASHES = RIGHT + "\nstruct Crash { Crash() { *(volatile int*)8 = 1; } } crash;\n"
HANGS = RIGHT + "\nstruct Slow { Slow() { for (volatile long i = 0;; i = i + 1) {} } } slow;\n"
HANGS_IN_A_CALL = RIGHT.replace("  add<<<", "  for (volatile long i = 0;; i = i + 1) {}\n  add<<<")
SMALL = {"cases": ["tiny"], "hidden": 0}
EACH = {"accepted": RIGHT, "wrong_answer": WRONG, "compile_error": "this is no kernel\n", "runtime_error": CRASHES}


def answer(source):
    return f"The kernel:\n```cuda\n{source}```\n"


class WithAService(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = kgrade.local(device="emulated", jobs=2)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_many_keep_their_order_and_have_the_verdicts_of_grade(self):
        order = ["wrong_answer", "accepted", "compile_error", "runtime_error", "accepted", "wrong_answer"]
        items = [(SLUG, EACH[verdict], "mine.cu") for verdict in order]
        found = self.client.grade_many(items + [(SLUG, FILE)], group="g", client_ref="r", **SMALL)
        self.assertEqual([each.verdict for each in found], order + ["accepted"])
        self.assertEqual({(each.group, each.client_ref, each.ok, each.retryable) for each in found},
                         {("g", "r", True, False)})
        for verdict, source in EACH.items():
            local = kgrade.grade(SLUG, source, name="mine.cu", device="emulated", cases=["tiny"], hidden=0)
            remote = found[order.index(verdict)]
            for field in ("verdict", "stage", "precision", "cases_passed", "cases", "speedup", "against"):
                self.assertEqual(getattr(local, field), getattr(remote, field), (verdict, field))
        record = self.client.record(found[1])
        self.assertEqual(record["schema"], "kgrade-record")
        self.assertEqual(Grade.of_record(record).verdict, "accepted")

    def test_one_wrong_item_fails_alone(self):
        items = [(SLUG, RIGHT, "a.cu"), ("no-such-problem", RIGHT, "a.cu"), (SLUG, "/nowhere/a.cu"), (SLUG, RIGHT, "a/b"),
                 (SLUG, "half of a pair \udc00", "a.cu"), (SLUG, "\0", "a.cu"), (SLUG, "x" * (40 << 20), "a.cu"),
                 (SLUG, RIGHT + "//" + "ä" * (1 << 20), "a.cu"), (SLUG, "Here is my kernel: ...")]
        found = self.client.grade_many(items, **SMALL)
        self.assertEqual([each.fault for each in found], [None, "problem", "problem", "problem", *[None] * 4, "problem"])
        self.assertEqual([each.verdict for each in found if each.ok], ["accepted", *["compile_error"] * 4])
        for each in found[6:8]:
            self.assertIn("larger than 1.0 MiB", each.reason)
            self.assertEqual(rewards.log_speedup(each), -0.5)
        self.assertIn("give it a `name`", found[8].reason)
        self.assertIn("no-such-problem", found[1].reason)
        self.assertEqual(self.client.grade_many([]), [])

    def test_what_is_wrong_raises(self):
        for call in (self.client.grade, self.client.submit):
            with self.assertRaisesRegex(kgrade.BadRequest, "did you mean 'vector-addition'"):
                call("vector-additio", FILE)
            with self.assertRaisesRegex(kgrade.BadRequest, "effort"):
                call(SLUG, FILE, effort="none")
            with self.assertRaises(TypeError):
                call(SLUG, FILE, efort="quick")
            with self.assertRaisesRegex(kgrade.BadRequest, "give it a `name`"):
                call(SLUG, b"bytes")
            with self.assertRaisesRegex(kgrade.BadRequest, "hidden is 65, and may be a number from 0 to 64"):
                call(SLUG, FILE, hidden=65)
            with self.assertRaisesRegex(kgrade.BadRequest, "double.py is not in UTF-8: byte 2 is 0xe4"):
                call({"name": "double.py", "source": b"# \xe4"}, FILE)
        with self.assertRaises(kgrade.BadRequest):
            self.client.problem("a/b")
        for no_slug in ("gm/problems/mine/scale_py", Path("softmax.py"), {"sha256": "0" * 64}):
            with self.assertRaisesRegex(kgrade.BadRequest, "only problems of the catalogue have boards"):
                self.client.board(no_slug)
        with self.assertRaises(kgrade.WrongUsage):
            kgrade.Client("ftp://somewhere")
        with self.assertRaisesRegex(kgrade.WrongUsage, "nonsense"):
            kgrade.local(device="nonsense")

    def test_lanes_by_a_command(self):
        with kgrade.local(lane_command=f"exec {os.environ['KGRADE_PROGRAM']} lane --device emulated", lanes=2) as client:
            found = client.grade_many([(SLUG, EACH[verdict], "mine.cu") for verdict in EACH], **SMALL)
            self.assertEqual([each.verdict for each in found], list(EACH))
            self.assertEqual([lane["device"] for lane in client.capacity()["lanes"]], ["lane 1", "lane 2"])
        with self.assertRaisesRegex(kgrade.WrongUsage, "lanes"):
            kgrade.local(lane_command="true", lanes=0)
        with self.assertRaisesRegex(kgrade.WrongUsage, "devices of their own"):
            kgrade.local(lane_command="true", jobs=2)

    def test_bytes_and_one_case(self):
        found = self.client.grade(SLUG, b"// \xe4\n" + RIGHT.encode(), name="mine.cu", cases="tiny", hidden=0)
        self.assertEqual((found.verdict, found.cases), ("accepted", 1))
        self.assertEqual(self.client.grade(SLUG, FILE, name="other.cu", **SMALL).verdict, "accepted")

    def test_a_body_that_is_no_unicode_is_told_so(self):
        for path in ("/v1/grades", "/v1/grades/batch", "/v1/wait"):
            with self.assertRaisesRegex(kgrade.BadRequest, "not in UTF-8: byte 13 is 0xe4"):
                self.client._transport.attempt("POST", path, b'{"problem": "\xe4"}', "key", 60)

    def test_who_asks_chooses_the_class(self):
        halves = ("// kgrade: precision tf32\n#include <cuda_fp16.h>\n" + RIGHT).replace(
            "a[i] + b[i]", "__half2float(__float2half(a[i] + b[i]))")
        own, asked = self.client.grade_many([kgrade.Request(SLUG, halves, "mine.cu", options)
                                             for options in ({}, {"precision": "tf32"})], **SMALL)
        self.assertEqual((own.verdict, own.precision, asked.verdict, asked.precision),
                         ("low_precision", "tf32", "accepted", "tf32"))
        self.assertIn("it declares tf32, which counts only if tf32 is asked for: precision=tf32", own.reason)
        self.assertEqual(self.client.agent(own)["verdict"], "low_precision")
        self.assertIn("only if it is asked for", self.client.agent(own)["next"])

    def test_what_this_machine_cannot_judge_has_no_reward(self):
        ptx = RIGHT.replace("sum[i] =", 'asm volatile("bar.warp.sync 0;"); sum[i] =')
        found = trl.make_reward(self.client, **SMALL)([""] * 2, [answer(ptx), answer(WRONG)], problem=[SLUG] * 2)
        self.assertEqual(found, [None, -0.25])

    def test_handles_and_cancelling(self):
        hanging = self.client.submit(SLUG, HANGS, name="mine.cu", **SMALL)
        right = self.client.submit(SLUG, FILE, **SMALL)
        with self.assertRaises(TimeoutError):
            hanging.result(timeout=0)
        self.assertIs(next(self.client.as_completed([hanging, right])), right)
        self.assertEqual(right.result().verdict, "accepted")
        self.assertTrue(hanging.cancel())
        found = hanging.result()
        self.assertEqual((found.outcome, found.fault, found.verdict), ("failed", None, None))
        with self.assertRaisesRegex(kgrade.KgradeError, "cancelled"):
            found.raise_for_fault()
        self.assertFalse(right.cancel())
        self.assertEqual({each.id for each in self.client.as_completed([hanging, right])}, {hanging.id, right.id})

    def test_a_call_that_takes_too_long_has_the_verdict_time_limit(self):
        found = self.client.grade(SLUG, HANGS_IN_A_CALL, name="mine.cu", time_limit=0.5, **SMALL)
        self.assertEqual((found.verdict, found.stage), ("time_limit", "answers"))
        self.assertIn("0.5 s", found.reason)

    def test_a_job_that_is_too_late_is_expired(self):
        found = self.client.grade(SLUG, FILE, deadline=0.001)
        self.assertEqual((found.outcome, found.fault), ("failed", "expired"))

    def test_problems_and_capacity(self):
        self.assertIn(SLUG, [each["slug"] for each in self.client.problems()])
        self.assertIn("solution", self.client.problem(SLUG)["signature"])
        self.assertEqual(len(self.client.capacity()["lanes"]), 2)

    def test_a_pickled_client_and_handle(self):
        copy = pickle.loads(pickle.dumps(self.client))
        self.assertEqual((type(copy), copy.url, copy.timeout), (kgrade.Client, self.client.url, self.client.timeout))
        handle = pickle.loads(pickle.dumps(copy.submit(SLUG, WRONG, name="mine.cu", **SMALL)))
        self.assertEqual(handle.result().verdict, "wrong_answer")

    def test_after_a_fork(self):
        children = []
        for source, verdict in ((RIGHT, "accepted"), (WRONG, "wrong_answer")):
            child = os.fork()
            if child == 0:
                good = False
                try:
                    good = self.client.grade(SLUG, source, name="mine.cu", **SMALL).verdict == verdict
                    self.client.close()
                finally:
                    os._exit(0 if good else 1)
            children.append(child)
        for child in children:
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(self.client.capacity(), "the child's close() ended the service")

    def test_coroutines(self):
        async def run():
            async with kgrade.AsyncClient(self.client.url) as client:
                sources = [RIGHT, WRONG] * 5
                one_by_one = await asyncio.gather(
                    *(client.grade(SLUG, source, name="mine.cu", **SMALL) for source in sources))
                at_once = await client.grade_many([(SLUG, RIGHT, "mine.cu"), (SLUG, WRONG, "mine.cu")], **SMALL)
                return one_by_one, at_once, await client.capacity()

        one_by_one, at_once, capacity = asyncio.run(run())
        self.assertEqual([each.verdict for each in one_by_one], ["accepted", "wrong_answer"] * 5)
        self.assertEqual([each.verdict for each in at_once], ["accepted", "wrong_answer"])
        self.assertTrue(capacity["lanes"])

    def test_adapters(self):
        reward = trl.make_reward(self.client, **SMALL)
        completions = [answer(RIGHT), [{"role": "assistant", "content": answer(WRONG)}], answer(RIGHT)]
        found = reward(prompts=[""] * 3, completions=completions, problem=[SLUG, SLUG, "no-such-problem"])
        self.assertEqual(found, [0.0, -0.25, None])
        with self.assertRaisesRegex(KeyError, "problem"):
            reward(prompts=[""], completions=[""])
        self.assertEqual(trl.text_of([{"content": [{"type": "text", "text": "a"}, {"type": "image"}]}]), "a")

        client = kgrade.AsyncClient(self.client.url)
        found = asyncio.run(verl.compute_score("d", answer(WRONG), None, {"kgrade_problem": SLUG}, client=client))
        client.close()
        self.assertEqual(found, {"score": -0.25, "kgrade_valid": 1.0, "kgrade_speedup": 0.0, "kgrade_verdict": "wrong_answer"})


class WithoutAService(unittest.TestCase):
    DEAD = "unix:///nowhere/socket"

    def test_a_grade_fails_after_the_timeout(self):
        begin = time.monotonic()
        client = kgrade.Client(self.DEAD, timeout=2)
        found = client.grade_many([(SLUG, FILE), ("x", "/nowhere/a.cu")])
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual([(each.outcome, each.fault, each.verdict, each.retryable) for each in found],
                         [("failed", "service", None, True), ("failed", "problem", None, False)])
        self.assertIn("/nowhere/socket", found[0].reason)
        client.timeout = 0.1
        for call in (client.capacity, lambda: client.submit(SLUG, FILE)):
            with self.assertRaises(kgrade.Unavailable):
                call()

    def test_adapters(self):
        reward = trl.make_reward(kgrade.Client(self.DEAD, timeout=0.1))
        self.assertEqual(reward(prompts=[""], completions=["x"], problem=[SLUG]), [None])
        client = kgrade.AsyncClient(self.DEAD, timeout=0.1)
        found = asyncio.run(verl.compute_score("d", "x", None, {"kgrade_problem": SLUG}, client=client))
        self.assertEqual(found, {"score": 0.0, "kgrade_valid": 0.0, "kgrade_speedup": 0.0, "kgrade_verdict": ""})

    def test_a_service_ends_with_python(self):
        code = "import kgrade, os; client = kgrade.local(device='emulated', jobs=1); print(client.url, end='')"
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        self.assertTrue(ended.stdout.endswith("/socket"), ended.stdout)
        self.assertFalse(Path(ended.stdout[len("unix://"):]).parent.exists())

    def test_nothing_is_left_of_a_service_that_does_not_start(self):
        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, folder
            try:
                with self.assertRaises(kgrade.KgradeError):
                    kgrade.local(gpus="none")
            finally:
                tempfile.tempdir = before
            self.assertEqual(os.listdir(folder), [])


class WhatTheServiceTells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = kgrade.local(device="emulated", jobs=1)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_events_go_on_where_a_connection_was_lost(self):
        events = self.client.events()
        found = []
        reader = threading.Thread(target=lambda: found.extend(events))
        reader.start()
        try:
            for number in range(3):
                while events._connection is None:
                    time.sleep(0.01)
                grade = self.client.grade(SLUG, "no kernel", name="no.cu", client_ref=str(number), **SMALL)
                self.assertEqual(grade.verdict, "compile_error")
                if number == 1:
                    events._connection.sock.shutdown(2)
            end = time.monotonic() + 30
            while sum(event.kind == "finished" for event in found) < 3 and time.monotonic() < end:
                time.sleep(0.05)
        finally:
            events.close()
            reader.join(30)
        self.assertFalse(reader.is_alive())
        self.assertEqual([(event.kind, event.data["client_ref"]) for event in found],
                         [(kind, str(number)) for number in range(3) for kind in ("queued", "started", "finished")])
        self.assertEqual([event.grade and event.grade.verdict for event in found[:3]], [None, None, "compile_error"])
        # From an earlier event on, as a program does that was started again.
        again = self.client.events(after=found[4].id)
        self.assertEqual([next(again) for _ in range(4)], found[5:])
        again.close()

    def test_events_without_a_thread_of_the_caller(self):
        opened, stream = threading.Event(), Transport.stream

        def open_stream(*arguments):
            found = stream(*arguments)
            opened.set()
            return found

        async def follow():
            async with kgrade.AsyncClient(self.client.url) as client:
                events = client.events()
                first = asyncio.ensure_future(events.__anext__())
                while not opened.is_set() and not first.done():  # The stream begins with what happens after it is opened.
                    await asyncio.sleep(0.02)
                grade = await client.grade(SLUG, "no kernel", name="no.cu", **SMALL)
                found = [await first, await events.__anext__(), await events.__anext__()]
                await events.aclose()
                return grade, found

        def followers():
            return [thread.name for thread in threading.enumerate() if thread.name == "kgrade-events"]

        with mock.patch.object(Transport, "stream", open_stream):
            grade, found = asyncio.run(follow())
        self.assertEqual([event.kind for event in found], ["queued", "started", "finished"])
        self.assertEqual(found[2].grade, grade)
        end = time.monotonic() + 30
        while followers() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(followers(), [], "the thread of the events goes on")

    def test_events_without_a_service(self):
        with self.assertRaises(kgrade.Unavailable):
            next(kgrade.Client("unix:///nowhere/socket", timeout=0.3).events())

    def test_an_uploaded_problem_makes_jobs(self):
        file = {"name": "double.py", "source": "import torch\n"}
        named = self.client.upload(file)
        self.assertEqual(named, self.client.upload(file))
        self.assertEqual(self.client.problem(named["sha256"])["source"], file["source"])
        handle = self.client.submit(named, "x", name="a.cu")
        handle.cancel()
        with self.assertRaisesRegex(kgrade.BadRequest, "references in CUDA"):
            self.client.upload({"name": "p.md", "source": "---"})
        with self.assertRaisesRegex(kgrade.BadRequest, "no problem with this sha256"):
            self.client.submit({"sha256": "0" * 64}, "x", name="a.cu")

    def test_a_path_into_a_set_is_sent_as_one_file(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, XDG_CACHE_HOME=f"{folder}/cache"):
            task, plain = Path(folder, "add"), Path(folder, "plain.py")
            task.mkdir()
            (task / "task.yml").write_text("tests:\n  - {size: 3}\n")
            (task / "reference.py").write_text("def ref_kernel(data): return data\n")
            plain.write_text("import torch\n# " + "#" * 100 + "\ndef test_nothing(): pass\n")
            made = self.client.problem(task)
            self.assertEqual(made["name"], "add.py")
            self.assertTrue(made["source"].startswith("def ref_kernel"))
            self.assertIn("from kgrade_python.sets import gpu_mode", made["source"])
            for path in (str(task), task / "task.yml", str(task / "reference.py"), made):
                named = self.client.upload(path)
                self.assertEqual(self.client.problem(named), {**made, **named})
            printed = subprocess.run([kgrade.program(), "show", "--file", task], capture_output=True, text=True, check=True).stdout
            self.assertEqual(self.client.problem(printed.strip()), made)
            self.assertEqual(self.client.problem(plain)["name"], "plain.py")
            complete = "class Model(X): pass\ndef get_inputs(): pass\n"
            for more in ("#" * 120 + "\n\ndef test_it(): pass\n", "def get_input_groups(): pass\n"):
                plain.write_text(complete + more)
                self.assertEqual(self.client.problem(plain), {"name": "plain.py", "source": complete + more})
            (task / "definition.json").write_text('{"reference": "def run(): pass"}')
            with self.assertRaisesRegex(kgrade.BadRequest, "has no workloads"):
                self.client.submit(task / "definition.json", "x", name="a.py")
            with self.assertRaisesRegex(kgrade.BadRequest, "No such file"):
                self.client.upload(f"{folder}/nowhere")
            refused = self.client.grade_many([(f"{folder}/nowhere/task.yml", "x", "a.py"), (SLUG, WRONG, "a.cu")], **SMALL)
            self.assertEqual([each.fault for each in refused], ["problem", None])
            self.assertIn("nowhere/task.yml", refused[0].reason)

    def test_one_file_of_a_set_alone_is_refused(self):
        for name, source, missing in (("reference.py", "def ref_kernel(data): return data\n", "task.yml"),
                                      ("add.py", "import torch\ndef get_input_groups(): pass\n", ".json file"),
                                      ("func_forward.py", "class Model(X): pass\ndef forward_fn(x): pass\n", "config_"),
                                      ("add.py", "def add(x): pass\n" + "#" * 120 + "\n\ndef test_add(): pass\n", "tests"),
                                      ("definition.json", "{}", "'definition.json', and only Python files can be sent"),
                                      ("mine.yaml", "", "if it is a file of a problem in a public set")):
            file = {"name": name, "source": source}
            for send in (lambda: self.client.upload(file), lambda: self.client.submit(file, "x", name="a.py")):
                with self.assertRaisesRegex(kgrade.BadRequest, f"{missing}.*send the one file whose path `kgrade show --file PATH`"):
                    send()

    def test_a_grade_has_what_the_service_says(self):
        grade = self.client.grade(SLUG, RIGHT + f"// {time.time()}\n", name="mine.cu", **SMALL)
        self.assertEqual((grade.valid, grade.feedback, grade.attempts), (kgrade.Valid(True, False), "full", 1))
        self.assertIn("emulated", grade.device)
        self.assertGreater(grade.times.build, 0)
        self.assertGreater(grade.times.run, 0)
        self.assertRegex(grade.expires_at, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        record = self.client.record(grade)
        self.assertEqual((grade.problem_sha256, grade.candidate_sha256, grade.version, grade.confined),
                         (record["problem"]["sha256"], record["candidates"][0]["sha256"], record["tool"]["version"],
                          record["sandbox"]["confined"]))
        local = Grade.of_record(record)
        for field in ("valid", "by_baseline", "device", "device_uuid", "confined", "problem_sha256", "candidate_sha256", "version"):
            self.assertEqual(getattr(local, field), getattr(grade, field), field)
        self.assertEqual(self.client.board(SLUG)["boards"], [], "a job with `cases` is on no board")

    def test_less_feedback_has_no_reason(self):
        grade = self.client.grade(SLUG, WRONG, name="wrong.cu", feedback="verdict", **SMALL)
        self.assertEqual((grade.verdict, grade.reason, grade.feedback), ("wrong_answer", "", "verdict"))
        with self.assertRaisesRegex(kgrade.BadRequest, "feedback"):
            self.client.record(grade)


class Script(http.server.BaseHTTPRequestHandler):
    """Answers as its server's `script` says: (status, headers, body), or None to end the connection."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers, body))
        step = self.server.script.pop(0)
        if step is None:
            self.close_connection = True
            return
        status, headers, text = step
        content = json.dumps(text).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


VIEW = {"id": "g_1", "client_ref": "", "group": "", "outcome": "graded", "fault": None, "retryable": False,
        "verdict": "accepted", "stage": "done", "reason": "",
        "figures": {"precision": "fp32", "speedup": 2.0, "speedup_low": 1.9, "speedup_high": 2.1, "against": "reference",
                    "cases_passed": 3, "cases": 3}}


class WithABusyService(unittest.TestCase):
    def run_script(self, script, timeout=20.0):
        server = http.server.HTTPServer(("127.0.0.1", 0), Script)
        server.script, server.seen = list(script), []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            client = kgrade.Client(f"http://127.0.0.1:{server.server_port}", "secret", timeout=timeout)
            return client.grade(SLUG, FILE), server.seen
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def test_tries_again_with_the_same_key(self):
        begin = time.monotonic()
        found, seen = self.run_script([
            None, (503, {"Retry-After": "1"}, {}), (200, {}, {"items": [{"id": "g_1"}]}), None,
            (200, {}, {"finished": [VIEW], "pending": [], "unknown": []})])
        self.assertGreater(time.monotonic() - begin, 1.2)
        self.assertEqual((found.verdict, found.speedup, found.speedup_interval, found.cases),
                         ("accepted", 2.0, Interval(1.9, 2.1), 3))
        self.assertEqual(rewards.dr_kernel(found), 3.0)
        self.assertEqual(len({headers["Idempotency-Key"] for _, headers, _ in seen[:3]}), 1)
        self.assertEqual({headers["Authorization"] for _, headers, _ in seen}, {"Bearer secret"})
        self.assertEqual(seen[0][2]["items"][0]["deadline_s"], 20.0)

    def test_an_item_that_is_refused_for_now_comes_again(self):
        busy = {"error": {"status": 429, "detail": "queued already", "retry_after": 0.1}}
        found, seen = self.run_script([
            (200, {}, {"items": [busy]}), (200, {}, {"items": [{"id": "g_1"}]}),
            (200, {}, {"finished": [], "pending": [], "unknown": ["g_1"]})])
        self.assertEqual((found.outcome, found.fault, found.id), ("failed", "service", "g_1"))
        self.assertNotEqual(seen[0][1]["Idempotency-Key"], seen[1][1]["Idempotency-Key"])
        busy["error"]["retry_after"] = 3  # The second and last try has 3 s for its answer.
        found, _ = self.run_script([(200, {}, {"items": [busy]})] * 9, timeout=6)
        self.assertEqual((found.outcome, found.fault, found.reason), ("failed", "service", "queued already"))

    def test_an_unknown_token_raises(self):
        with self.assertRaisesRegex(kgrade.Unauthorized, "which token"):
            self.run_script([(401, {}, {"detail": "which token"})])


if __name__ == "__main__":
    os.environ["KGRADE_PROGRAM"] = sys.argv.pop(1)
    os.chdir(ROOT)
    exit_without_boost(os.environ["KGRADE_PROGRAM"])
    unittest.main()
