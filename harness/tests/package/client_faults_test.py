"""The Python client with a service that fails in each way that a network and a service can. It needs no program."""

import asyncio
import doctest
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

import kgrade  # noqa: E402
from kgrade import _client, _request, _waiter  # noqa: E402
from faulty_service import Refused, Service  # noqa: E402


def item(verdict="accepted", **more):
    return ("softmax", json.dumps({"verdict": verdict, **more}), "mine.cu")


def grade(client, *arguments, **more):
    problem, text, name = item(*arguments, **more)
    return client.grade(problem, text, name=name)


def submit(client, *arguments, **more):
    problem, text, name = item(*arguments, **more)
    return client.submit(problem, text, name=name)


class WithAService(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        self.client = kgrade.Client(self.service.url, "", timeout=20)

    def threads(self):
        return sum(each.name == "kgrade-wait" for each in threading.enumerate())


class Waiting(WithAService):
    def test_many_handles_share_one_thread_and_its_requests(self):
        verdicts = ["accepted", "wrong_answer", "time_limit"] * 500
        handles = self.client.submit_many([item(each, seconds=0.2 * (number % 5)) for number, each in enumerate(verdicts)])
        ended = []
        for handle in self.client.as_completed(handles):
            ended.append(handle)
            self.assertLessEqual(self.threads(), 1)
        self.assertEqual(len(ended), 1500)
        self.assertEqual([each.result().verdict for each in handles], verdicts)
        self.assertEqual(self.service.most_waiting, 1)

    def test_threads_share_one_thread_too(self):
        with ThreadPoolExecutor(64) as pool:
            found = list(pool.map(lambda number: grade(self.client, seconds=0.01 * number).verdict, range(64)))
        self.assertEqual(found, ["accepted"] * 64)
        waits = sum(path == "/v1/wait" for path, _, _ in self.service.seen)
        self.assertLess(waits, 64)

    def test_a_new_job_need_not_wait_for_a_long_one(self):
        slow = submit(self.client, seconds=60)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(slow.result)
            time.sleep(1.5)  # until the request for the slow one waits long
            begin = time.monotonic()
            self.assertEqual(grade(self.client, "wrong_answer").verdict, "wrong_answer")
            self.assertLess(time.monotonic() - begin, 10, "it waited until the long request ended")
            self.assertTrue(slow.cancel())
            self.assertEqual((waiting.result().outcome, waiting.result().fault), ("failed", None))

    def test_results_come_while_jobs_are_added_all_the_time(self):
        # Each answer takes longer than until the next job is added.
        self.service.faults["/v1/wait"] = [0.05] * 10000
        begin, added = time.monotonic(), []
        with ThreadPoolExecutor(400) as pool:
            first = pool.submit(grade, self.client, seconds=0.5)
            while not first.done() and time.monotonic() - begin < 10:
                added.append(pool.submit(grade, self.client, seconds=0.3))
                time.sleep(0.02)
            self.assertTrue(first.done(), "a result waited for as long as jobs were added")
            self.assertEqual({each.result().verdict for each in added}, {"accepted"})

    def test_the_thread_ends_with_the_last_job(self):
        self.assertEqual(grade(self.client).verdict, "accepted")
        with self.assertRaises(kgrade.DeadlineExceeded):
            submit(self.client, seconds=60).result(timeout=0.1)
        end = time.monotonic() + 5
        while self.threads() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.threads(), 0)

    def test_an_ended_job_is_found_without_time_to_wait(self):
        with mock.patch.object(_client, "_LAST_LOOK", 20.0):
            self.assertEqual(submit(self.client).result(timeout=0).verdict, "accepted")
        with self.assertRaises(TimeoutError):
            submit(self.client, seconds=60).result(timeout=0)

    def test_two_handles_of_one_job(self):
        handle = submit(self.client, seconds=0.1)
        copy = pickle.loads(pickle.dumps(handle))
        self.assertEqual({each for each in self.client.as_completed([handle, copy, handle])}, {handle, copy})


class Items(WithAService):
    def test_a_request_has_options_of_its_own(self):
        problem, text, name = item()
        found = self.client.grade_many([kgrade.Request(problem, text, name, {"client_ref": "its own"}), item()],
                                       client_ref="of all", group="g")
        self.assertEqual([(each.client_ref, each.group) for each in found], [("its own", "g"), ("of all", "g")])
        body = self.service.seen[0][2]["items"][0]
        self.assertEqual(body["deadline_s"], 20.0)
        # What nobody asked for is not sent: a contest decides it.
        self.assertTrue({"effort", "priority"}.isdisjoint(body), body)

    def test_a_request_is_as_its_text_says(self):
        found = doctest.testmod(_request)
        self.assertEqual((found.failed, found.attempted > 0), (0, True))

    def test_a_problem_need_not_be_a_file(self):
        problem = {"name": "1_Square.py", "source": "class Model: ..."}
        self.client.grade(problem, "{}", name="mine.cu")
        self.assertEqual(self.service.seen[0][2]["items"][0]["problem"], problem)

    def test_without_the_program_only_paths_into_sets_are_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, PATH=folder, KGRADE_PROGRAM=""):
            task, plain = Path(folder, "task.yml"), Path(folder, "1_Square.py")
            task.write_text("tests: []\n")
            plain.write_text("class Model: ...\n")
            self.client.grade(plain, "{}", name="mine.cu")
            self.assertEqual(self.service.seen[0][2]["items"][0]["problem"]["source"], "class Model: ...\n")
            with self.assertRaisesRegex(kgrade.BadRequest, "task.yml is a path into a public set.*install the wheel"):
                self.client.grade(task, "{}", name="mine.cu")
            os.environ["KGRADE_PROGRAM"] = f"{folder}/kgrade"
            [found] = self.client.grade_many([(task, "{}", "mine.cu")])
            self.assertEqual(found.fault, "problem")
            self.assertRegex(found.reason, f"{folder}/kgrade, .*cannot be started: No such file")

    def test_only_regular_python_files_of_up_to_1_mib_are_sent(self):
        with tempfile.TemporaryDirectory() as folder:
            large, other, pipe = Path(folder, "large.py"), Path(folder, "secret"), Path(folder, "pipe.py")
            large.write_bytes("é".encode() * (1 << 19))
            self.client.grade(large, "{}", name="mine.cu")
            sent = len(self.service.seen)
            self.assertEqual(len(self.service.seen[0][2]["items"][0]["problem"]["source"]), 1 << 19)
            large.write_bytes("aé".encode() * (1 << 19))
            other.write_text("secret")
            os.mkfifo(pipe)
            for path, message in ((large, "larger than 1 MiB"), (other, "does not end in .py"), (pipe, "not a regular file"),
                                  ("/dev/zero", "not a regular file"), ("a\0b/c.json", r"'a\\x00b/c.json' has a zero byte"),
                                  ("a\0b", "zero byte")):
                [found] = self.client.grade_many([(path, "{}", "mine.cu")])
                self.assertEqual(found.fault, "problem")
                self.assertRegex(found.reason, message)
                self.assertNotIn("\0", found.reason)
            [found] = self.client.grade_many([("softmax", Path("/dev/zero"))])
            self.assertRegex(found.reason, "not a regular file")
            self.assertEqual(len(self.service.seen), sent)

    def test_a_made_file_that_is_gone_or_large_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, KGRADE_PROGRAM=f"{folder}/kgrade"):
            made, task = Path(folder, "made.py"), Path(folder, "task.yml")
            Path(folder, "kgrade").write_text(f"#!/bin/sh\necho {made}\n")
            os.chmod(f"{folder}/kgrade", 0o700)
            with self.assertRaisesRegex(kgrade.BadRequest, "made.py' cannot be read: No such file"):
                self.client.grade(task, "{}", name="mine.cu")
            made.write_bytes(bytes((1 << 20) + 1))
            with self.assertRaisesRegex(kgrade.BadRequest, "task.yml becomes one file of more than 1 MiB"):
                self.client.grade(task, "{}", name="mine.cu")

    def test_a_refused_item_has_a_handle_with_its_failure(self):
        right, wrong, absent = self.client.submit_many([item(), ("no-such-problem", "{}", "a.cu"), ("softmax", "/nowhere/a.cu")])
        self.assertEqual(right.result().verdict, "accepted")
        for handle in (wrong, absent):
            self.assertEqual((handle.id, handle.result().fault, handle.cancel()), ("", "problem", False))
        self.assertEqual(self.client.record(right)["id"], right.id)

    def test_a_failure_is_no_verdict(self):
        found = grade(self.client, None, fault="machine")
        self.assertEqual((found.ok, found.verdict, found.fault, found.retryable), (False, None, "machine", True))
        with self.assertRaises(kgrade.GradeFailed):
            found.raise_for_fault()


class Interface(unittest.TestCase):
    """The names of the client are those of the service's own description."""

    @classmethod
    def setUpClass(cls):
        cls.schemas = json.loads((ROOT / "harness" / "serve" / "openapi.json").read_text())["components"]["schemas"]

    def test_every_member_of_a_job_can_be_sent(self):
        options = {name: _request.WORDS.get(name, [60])[-1] for name in _request.Options.__annotations__}
        options.update(cases="tiny", headers={"a.cuh": "// none"})
        job = _request.job("softmax", "// a kernel", "mine.cu", **options)
        self.assertEqual(set(job), set(self.schemas["Request"]["properties"]))
        self.assertEqual(set(job["candidate"]), set(self.schemas["Request"]["properties"]["candidate"]["properties"]))
        self.assertEqual((job["time_limit_s"], job["cases"], job["group"]), (60, ["tiny"], 60))

    def test_options_are_generated_from_the_description(self):
        tool = [sys.executable, ROOT / "tools/python_options.py"]
        text = subprocess.run(tool, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        self.assertEqual(text, (ROOT / "python/kgrade/_options.py").read_text(), "tools/python_options.py > python/kgrade/_options.py")

    def test_figures_have_the_names_of_the_service(self):
        figures = set(self.schemas["Figures"]["properties"]) - {"speedup_low", "speedup_high"}  # the ends of speedup_interval
        self.assertEqual({each for each in figures if not hasattr(kgrade.Grade("graded", "accepted"), each)}, set())


class Example(WithAService):
    def test_answers_of_a_model(self):
        with tempfile.TemporaryDirectory() as folder:
            problem, answers = Path(folder) / "1_Square.py", Path(folder) / "answers"
            problem.write_text("class Model: ...")
            answers.mkdir()
            for number in range(64):
                text = {"verdict": "accepted" if number < 5 else "wrong_answer"} if number < 63 else {"fault": "machine"}
                (answers / f"{number:02}.txt").write_text(json.dumps(text))
            ended = subprocess.run([sys.executable, ROOT / "examples" / "grade_answers.py", problem, answers],
                                   env={**os.environ, "KGRADE_URL": self.service.url, "PYTHONPATH": str(ROOT / "python")},
                                   stdout=subprocess.PIPE, text=True, check=True)
        lines = ended.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["00.txt", "accepted", "2.00x"])
        self.assertEqual(lines[63].split(), ["63.txt", "machine"])
        self.assertEqual(lines[64], "63 of 64 answers have a verdict: 5 right, 5 faster")


class Faults(WithAService):
    def test_an_answer_that_is_lost_grades_nothing_twice(self):
        for path, call in (("/v1/grades/batch", grade), ("/v1/grades", submit)):
            self.service.forget()
            self.service.faults[path] = ["lose", "drop", "lose"]
            call(self.client)
            self.assertEqual(len(self.service.jobs), 1)

    def test_a_busy_service_is_asked_again_when_it_says(self):
        self.service.faults["/v1/grades/batch"] = [Refused(503, "no lane", 2)]
        self.service.faults["/v1/wait"] = [Refused(503, "draining", 1), "drop", "lose", 0.3]
        begin = time.monotonic()
        self.assertEqual(grade(self.client).verdict, "accepted")
        self.assertGreater(time.monotonic() - begin, 3.0)

    def test_a_late_answer_is_no_verdict(self):
        self.service.faults["/v1/grades/batch"] = [30]
        client = kgrade.Client(self.service.url, "", timeout=1)
        begin = time.monotonic()
        found = grade(client)
        self.assertLess(time.monotonic() - begin, 20, "it waited for the answer")
        self.assertEqual((found.outcome, found.fault, found.verdict, found.retryable), ("failed", "service", None, True))

    def test_an_answer_that_is_no_answer_is_no_verdict(self):
        self.service.wait = lambda body: {"nothing": "of use"}
        found = grade(self.client)
        self.assertEqual((found.outcome, found.fault), ("failed", "service"))
        self.assertIn("cannot be read", found.reason)

    def test_a_job_that_is_unknown_after_a_restart(self):
        handle = submit(self.client, seconds=60)
        threading.Timer(0.3, self.service.forget).start()
        found = handle.result()
        self.assertEqual((found.outcome, found.fault, found.retryable, found.id), ("failed", "service", True, handle.id))

    def test_a_full_queue(self):
        # Each call asks once, and the answer has all of its time.
        self.service.room, self.service.retry_after = 0, 60
        client = kgrade.Client(self.service.url, "", timeout=4)
        with self.assertRaises(kgrade.QueueFull) as caught:
            submit(client)
        self.assertEqual(caught.exception.retry_after, 60.0)
        self.assertIsInstance(caught.exception, kgrade.Unavailable)
        for found in (grade(client), client.submit_many([item()])[0].result()):
            self.assertEqual((found.outcome, found.fault, found.reason), ("failed", "service", "too many jobs are queued"))

    def test_a_queue_with_little_room_takes_all_in_the_end(self):
        self.service.room = 5
        found = self.client.grade_many([item(seconds=0.05) for _ in range(12)])
        self.assertEqual({each.verdict for each in found}, {"accepted"})

    def test_a_token_that_is_withdrawn_raises_in_each_thread(self):
        handles = [submit(self.client, seconds=60) for _ in range(4)]
        self.service.token = "another"
        with ThreadPoolExecutor(4) as pool:
            for waiting in [pool.submit(each.result) for each in handles]:
                with self.assertRaises(kgrade.Unauthorized):
                    waiting.result()

    def test_a_key_is_bound_to_its_content(self):
        transport = self.client._transport
        body = json.dumps({"problem": "softmax", "candidate": {"name": "a.cu", "source": "{}"}}).encode()
        first = transport.attempt("POST", "/v1/grades", body, "key", 5.0)
        self.assertEqual(transport.attempt("POST", "/v1/grades", body, "key", 5.0), first)
        with self.assertRaises(kgrade.BadRequest) as caught:
            transport.attempt("POST", "/v1/grades", body + b" ", "key", 5.0)
        self.assertEqual(caught.exception.status, 422)


class Streams(WithAService):
    EVENT = ["id: 18", "event: queued", 'data: {"id": "g_1"}', ""]

    def asked_after(self):
        return [headers["Last-Event-ID"] for path, headers, _ in self.service.seen if path == "/v1/events"]

    def test_a_connection_that_is_lost_before_the_first_event(self):
        self.service.streams = [["retry: 2000", "id: 17", ""], self.EVENT]
        self.assertEqual(next(self.client.events()).id, "18")
        self.assertEqual(self.asked_after(), [None, "17"])

    def test_a_block_that_is_cut_off_tells_nothing(self):
        self.service.streams = [["id: 17", "", "id: 18", "event: queued"], self.EVENT]
        self.assertEqual(next(self.client.events()).id, "18")
        self.assertEqual(self.asked_after(), [None, "17"])

    def test_the_time_to_give_up_begins_when_the_service_is_lost(self):
        # Both connections are quiet for longer than the timeout.
        quiet = ["id: 17", "", 3.0]
        self.service.streams = [quiet, quiet, self.EVENT]
        client = kgrade.Client(self.service.url, "", timeout=2)
        events = client.events()
        self.assertEqual(next(events).id, "18")
        # So is the caller, before the service goes away for good.
        time.sleep(3.0)
        begin = time.monotonic()
        with self.assertRaises(kgrade.Unavailable):
            next(events)
        self.assertTrue(0.2 < time.monotonic() - begin < 20)


class Processes(WithAService):
    def test_pickling(self):
        handle = submit(self.client, seconds=0.5)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(handle.result)
            time.sleep(0.1)
            copy = pickle.loads(pickle.dumps(handle))  # while a thread waits
            self.assertEqual(copy.result(), waiting.result())
        client = pickle.loads(pickle.dumps(kgrade.AsyncClient(self.service.url, "", timeout=7)))
        self.assertEqual(client._client.timeout, 7)
        for error in (kgrade.QueueFull("full", 2.0), kgrade.BadRequest("wrong", 422), kgrade.DeadlineExceeded("late"),
                      kgrade.GradeFailed(copy.result())):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.__dict__), (type(error), str(error), error.__dict__))

    def test_a_fork_while_threads_wait(self):
        slow = submit(self.client, seconds=3)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(slow.result)
            time.sleep(1.0)
            children = []
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    good = False
                    try:
                        good = grade(self.client, "wrong_answer").verdict == "wrong_answer" and slow.result().accepted
                    finally:
                        os._exit(0 if good else 1)
                children.append(child)
            self.assertEqual({os.waitpid(child, 0)[1] for child in children}, {0})
            self.assertEqual(waiting.result().verdict, "accepted")


class Coroutines(WithAService):
    def run_async(self, use, timeout=20):
        async def run():
            async with kgrade.AsyncClient(self.service.url, "", timeout=timeout) as client:
                return await use(client)

        return asyncio.run(run())

    def test_two_hundred_at_a_time(self):
        async def use(client):
            grades = asyncio.gather(*(client.grade_item(item("accepted" if number % 2 else "wrong_answer", seconds=60))
                                      for number in range(200)))
            end = time.monotonic() + 30
            while self.service.most_running < 200 and time.monotonic() < end:
                await asyncio.sleep(0.02)
            with self.service.changed:
                for job in self.service.jobs.values():
                    job["end"] = 0.0
            return await grades

        found = self.run_async(use, timeout=50)
        self.assertEqual([each.verdict for each in found], ["wrong_answer", "accepted"] * 100)
        self.assertGreater(self.service.most_running, 150, "they did not wait side by side")

    def test_each_method(self):
        async def use(client):
            handles = await client.submit_many([item(), item("wrong_answer", seconds=0.3), item(seconds=60)])
            order = []
            async for handle in client.as_completed(handles[:2]):
                order.append(handle)
            self.assertEqual(order, handles[:2])
            with self.assertRaises(TimeoutError):
                await client.result(handles[2], 0.1)
            self.assertTrue(await client.cancel(handles[2]))
            self.assertEqual((await client.result(handles[2])).outcome, "failed")
            self.assertEqual((await client.record(handles[0]))["id"], handles[0].id)
            with self.assertRaises(kgrade.BadRequest):
                await client.grade("no-such-problem", "{}", name="a.cu")
            self.assertEqual((await client.grade_item(("no-such-problem", "{}", "a.cu"))).fault, "problem")
            self.assertEqual((await client.grade_many([item()]))[0].verdict, "accepted")
            handle = await client.submit("softmax", item()[1], name="a.cu")
            return await client.result(handle)

        self.assertEqual(self.run_async(use).verdict, "accepted")

    def test_a_service_that_goes_away(self):
        async def use(client):
            grades = [asyncio.ensure_future(client.grade_item(item(seconds=60))) for _ in range(3)]
            while not any(path == "/v1/wait" for path, _, _ in self.service.seen) and not grades[0].done():
                await asyncio.sleep(0.02)
            self.service.faults["/v1/wait"] = ["drop"] * 100
            return await asyncio.gather(*grades)

        # A request that waits already is not dropped. So none waits as long as the client does.
        with mock.patch.object(_waiter, "_LONGEST_WAIT", 0.3):
            for found in self.run_async(use, timeout=6):
                self.assertEqual((found.outcome, found.fault, found.retryable), ("failed", "service", True))
                self.assertIn("cannot be reached", found.reason)

    def test_a_cancelled_task_waits_no_longer(self):
        async def use(client):
            task = asyncio.ensure_future(client.grade_item(item(seconds=60)))
            await asyncio.sleep(0.5)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertFalse(client._client._waiter()._watches)

        self.run_async(use)


if __name__ == "__main__":
    unittest.main()
