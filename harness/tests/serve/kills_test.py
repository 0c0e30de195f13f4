"""The part of service_test.py that kills a lane, the front and the service while clients wait for their jobs."""

import collections
import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from running_service import CANDIDATES, PROBLEM_OF, ROOT, SLUG, check, request, until

sys.path.insert(0, str(ROOT / "harness" / "tests" / "support"))

from processes import descendants, is_alive, marked  # noqa: E402


class JournalReader:
    """Reads what a service appends to its journal, also what is there only for a while.

    A service replaces the file when it starts. `files` has the lines of each file that was there, the latest last.
    """

    def __init__(self, service, folder):
        self.service = service
        self.path = Path(folder, "state", "journal.jsonl")
        self.files = []
        self.open()
        self.is_stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def open(self):
        self.file = open(self.path, "rb")
        self.whole = 0  # bytes of the lines that were read
        self.files.append([])

    def read(self):
        # A file that was replaced can still be read, so no line is missed.
        is_replaced = os.fstat(self.file.fileno()).st_ino != self.path.stat().st_ino
        self.file.seek(self.whole)
        lines = self.file.read().split(b"\n")[:-1]  # A killed service may leave half a line at the end.
        self.whole += sum(len(line) + 1 for line in lines)
        self.files[-1] += [json.loads(line) for line in lines]
        if is_replaced:
            self.file.close()
            self.open()
            self.read()

    def run(self):
        while not self.is_stopped.wait(0.05):
            self.read()

    def stop(self):
        self.is_stopped.set()
        self.thread.join()
        self.read()
        self.file.close()


def check_journal(files, ended):
    """Each accepted job has one line that ends it, in every file of the journal that has one, with the result that the
    client got."""
    accepted = collections.defaultdict(set)
    for lines in files:
        for line in lines:
            if line["type"] == "job":
                accepted[line["key"]].add(line["id"])
        twice = [job for job, count in collections.Counter(line["id"] for line in lines if line["type"] == "ended").items()
                 if count != 1]
        check(not twice, "ended twice:", twice)
        for line in lines:
            if line["type"] == "ended" and line["id"] in ended:
                check(json.loads(line["result"])["verdict"] == ended[line["id"]]["verdict"], "the result changed:", line)
    for i, view in enumerate(sorted(ended.values(), key=lambda view: int(view["client_ref"]))):
        check(accepted[f"kills-{i}"] == {view["id"]}, "a request made more than one job, or none:", accepted[f"kills-{i}"])
    last = {line["id"] for line in files[-1] if line["type"] == "ended"}
    check(set(ended) <= last, "jobs without an end in the journal:", set(ended) - last)


class Killed:
    """What was below the processes that were killed."""

    def __init__(self):
        self.below = set()

    def kill(self, process):
        self.below |= descendants(process)
        os.kill(process, signal.SIGKILL)

    def check_gone(self):
        """No process outlives the one that it worked for."""
        until(lambda: not [pid for pid, start in self.below if is_alive(pid, start)], "killed processes leave others behind")


def test_kills(service, folder, expected, grades, clients):
    """Every accepted job ends once, with the verdict of `kgrade grade`, and killed processes leave none behind."""
    names = [random.Random(i).choice(list(CANDIDATES)) for i in range(grades)]
    of_problem = collections.Counter(PROBLEM_OF.get(name, SLUG) for name in names)
    check(len(of_problem) == 2, "the jobs are of one problem:", of_problem)
    ended = {}
    failures = []
    lock = threading.Lock()

    def client(number):
        try:
            for i in range(number, grades, clients):
                key = {"Idempotency-Key": f"kills-{i}"}
                status, job = service.insist("POST", "/v1/grades", request(names[i], client_ref=str(i)), key)
                check(status in (200, 202), status, job)
                while True:
                    status, answer = service.insist("POST", "/v1/wait", {"ids": [job["id"]], "timeout_s": 10})
                    check(not answer["unknown"], "an accepted job was lost:", i)
                    if answer["finished"]:
                        break
                with lock:
                    check(i not in ended)
                    ended[i] = answer["finished"][0]
        except Exception as error:  # pylint: disable=broad-except
            failures.append(repr(error))

    killed = Killed()
    journal = JournalReader(service, folder)
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    try:
        while len(ended) < grades // 4 and not failures:
            time.sleep(0.1)
        for lane in service.lanes()[:1]:
            with contextlib.suppress(ProcessLookupError):  # it has just been replaced
                killed.kill(lane)
        while len(ended) < grades // 3 and not failures:
            time.sleep(0.1)
        front = service.front()
        killed.kill(front)
        check(service.insist("GET", "/healthz")[0] == 200 and service.front() != front)
        while len(ended) < grades // 2 and not failures:
            time.sleep(0.1)
        killed.kill(service.process.pid)
        service.process.wait()
        service.start()
        killed.check_gone()
    finally:
        for thread in threads:
            thread.join()
        journal.stop()
    check(not failures, failures[:3])
    check(len(ended) == grades)
    for i, view in ended.items():
        check(view["client_ref"] == str(i), "an answer to another job:", view)
        check(view["verdict"] == expected[names[i]], names[i], "got", view["verdict"], view["fault"], view["untrusted_reason"],
              "and not", expected[names[i]])
        check(service.call("GET", f"/v1/grades/{view['id']}")[1] == view, "the result changed")
    check_journal(journal.files, {view["id"]: view for view in ended.values()})
    check(len(journal.files) >= 2, "the journal of the service that was started again was not read")
    print(f"{dict(of_problem)}, {len(killed.below)} processes were below those that were killed")


def test_nothing_is_left(service, folder):
    """The files of jobs go when the jobs have ended. When the service has ended, no process and no file of it is left."""
    def is_idle():
        capacity = service.call("GET", "/v1/capacity")[1]
        return capacity["queued"] == 0 and all(lane["state"] == "idle" for lane in capacity["lanes"])

    until(is_idle, "the jobs do not end")
    left = list(Path(folder, "state", "work").iterdir())
    check(not left, "left behind:", left)
    temporary = str(service.temporary)
    # Lanes have it in their environment, and so do some programs that they start. Others name files there.
    files = ("environ", "cmdline")
    check(len(marked(temporary, files)) > 1, "the processes of the service are not found")
    below = descendants(service.process.pid)
    service.stop()
    until(lambda: not marked(temporary, files) and not [pid for pid, start in below if is_alive(pid, start)],
             "a process is left")
    left = sorted(service.temporary.rglob("*"))
    check(not left, "files are left behind:", left)
