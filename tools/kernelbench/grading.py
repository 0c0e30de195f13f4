"""Grades files with their Model and with wrong variants of it, side by side."""

import collections
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor

from .common import (HALF, REFUSED, RIGHT, end_of, find_files, has_time, last_line, read_json, run_process, say, spread,
                     write_json)
from .devices import Devices, Queue
from .prepared import CASE, Prepared

# Verdicts and exit codes that another process may have caused.
DISTURBED_VERDICTS = ("unstable", "memory_limit", "time_limit", "runtime_error")
DISTURBED_CODES = (3, 70)
CUT_OFF = "cut off"
MOST_AT_ONCE = 24
SECONDS_FOR_ONE = {"emulated": 6.0, "cuda": 1.5}
# The device memory of a run: the GiB that the contexts of its processes take, and the number of copies of inputs and
# outputs. The referee, the oracle (in double precision), the reference and a candidate hold copies.
CONTEXTS, COPIES = 5, 9


class Task:
    """One file, with its results so far."""

    def __init__(self, name, source, options):
        self.name, self.source, self.options = name, source, options
        self.place = options.output / "files" / f"{name}.json"
        self.prepared = None
        self.state = read_json(self.place)
        if self.state and self.state["why"] == CUT_OFF and self.state["limit"] < options.limit:
            self.state = None
        self.is_alone = bool(self.state and self.state["again"])
        # 0: grading has not begun. 1: some candidates without one parameter are still to be graded.
        self.stage = 0 if self.state is None or self.is_alone else 1

    def prepare(self):
        if self.prepared is None:
            self.prepared = Prepared(self.name, self.source, self.options)
        if self.state is not None and self.state["sha256"] != self.prepared.sha256:
            self.state, self.is_alone, self.stage = None, False, 0

    def need(self):
        if self.is_alone:
            return math.inf
        return CONTEXTS + COPIES * self.prepared.gibibytes if self.prepared.problem else CONTEXTS

    def is_done(self):
        if self.state is None or self.state["again"]:
            return False
        return not self.state["left"] or self.state["seconds"] + 10 > self.options.limit

    def next_labels(self):
        """The labels of the candidates that this run grades, and the labels that are left for later runs."""
        if self.state is None or self.is_alone:
            labels = self.prepared.labels()
            zeros = spread(labels[2:], self.options.first)
            return [RIGHT, HALF, *zeros], [label for label in labels[2:] if label not in zeros]
        seconds = self.options.limit - self.state["seconds"]
        count = max(1, min(MOST_AT_ONCE, int(seconds / self.state["seconds_for_one"])))
        zeros = spread(self.state["left"], count)
        return zeros, [label for label in self.state["left"] if label not in zeros]

    def command(self, labels, device, record):
        if self.options.measured:
            problem, how = self.source, ["--quick", "--no-baselines"]
        else:
            problem, how = self.prepared.problem, ["--case", CASE]
        if device == "emulated":
            how.append("--force")  # also run cases that take long on the emulated device
        return [self.options.kgrade, "grade", str(problem), *[str(self.prepared.candidate(label)) for label in labels],
                "--device", device, "--python", self.options.python, "--json", str(record), *how]

    def run(self, device):
        """Grades one more part of the candidates, and keeps the results. False if the deadline cut the run off."""
        if self.prepared.problem is None:
            self.keep({"code": 2, "why": self.prepared.why}, 0.0, [], [])
            return True
        labels, left = self.next_labels()
        record = self.prepared.folder / f"record-{os.getpid()}.json"
        record.unlink(missing_ok=True)
        begin = time.monotonic()
        until_end = self.options.deadline - begin
        code, _, errors = run_process(self.command(labels, device, record), min(3 * self.options.limit, until_end))
        seconds = time.monotonic() - begin
        if code is None and time.monotonic() > self.options.deadline - 1:
            return False
        outcome = {"code": code, "why": CUT_OFF if code is None else "" if code in (0, 1) else last_line(errors)}
        found = read_json(record) or {}
        record.unlink(missing_ok=True)
        graded = list(zip(labels, found.get("candidates", [])))
        if code not in (0, 1):
            left = labels[len(graded):] + left
        if found:
            outcome |= {"device": found["device"]["name"], "kgrade": found["tool"], "stages": found["stages_seconds"]}
        self.keep(outcome, seconds, graded, left)
        return True

    def keep(self, outcome, seconds, graded, left):
        first = self.state is None or self.is_alone
        before = {} if first else self.state
        answers = dict(before.get("answers", {}))
        for label, candidate in graded:
            answers[label] = answer_of(candidate)
        total = before.get("seconds", 0) + seconds
        # The expected seconds for one more candidate: less than the mean so far, which includes waiting for the oracle.
        usual = SECONDS_FOR_ONE["emulated" if self.options.device == "emulated" else "cuda"]
        pace = max(usual / 3, seconds / len(graded) * 0.7) if graded else usual
        is_disturbed = not self.is_alone and self.options.jobs > 1 and disturbed(outcome, answers)
        self.state = {
            "file": self.name, "sha256": self.prepared.sha256, "device": outcome.get("device", before.get("device", "")),
            "kgrade": outcome.get("kgrade", before.get("kgrade", {})), "code": outcome["code"] if first else before["code"],
            "why": outcome["why"] or before.get("why", ""), "answers": answers,
            "left": left if outcome["code"] in (0, 1) else [],
            "missing": before.get("missing", []) + ([] if outcome["code"] in (0, 1) else left),
            "seconds": round(total, 2), "first_seconds": before.get("first_seconds", round(seconds, 2)),
            "seconds_for_one": round(pace, 2),
            "stages": dict(collections.Counter(before.get("stages", {})) + collections.Counter(outcome.get("stages", {}))),
            "limit": self.options.limit, "alone": self.is_alone, "again": is_disturbed}
        write_json(self.place, self.state)
        self.is_alone, self.stage = is_disturbed, 0 if is_disturbed else 1


def answer_of(candidate):
    ran = [case for case in candidate["cases"] if case["run"]]
    return {"verdict": candidate["verdict"], "precision": candidate["precision"], "message": candidate["message"],
            "error": ran[0]["error"]["relative"] if ran else None}


def disturbed(outcome, answers):
    if outcome["code"] is None or outcome["code"] in DISTURBED_CODES or outcome["code"] < 0:
        return True
    return any(answer["verdict"] in DISTURBED_VERDICTS for answer in answers.values())


def line_of(state):
    right = state["answers"].get(RIGHT, {})
    wrong = [answer["verdict"] for label, answer in state["answers"].items() if label != RIGHT]
    refused = sum(verdict in REFUSED for verdict in wrong)
    word = right.get("verdict") or f"{end_of(state)}: {state['why']}"
    more = f", {len(state['left'])} left" if state["left"] else ""
    again = ", to be graded again alone" if state["again"] else ""
    return f"{state['file']}: {word}; {refused} of {len(wrong)} wrong ones refused{more}{again}; {state['seconds']} s"


def prepare_all(tasks, options, then):
    """Makes problem files on all cores; `then` is called with each task that is ready."""
    def one(task):
        if has_time(options):
            try:
                task.prepare()
            except (OSError, ValueError, KeyError) as error:
                say(options, f"{task.name}: {error!r}")
                return
            # If neither is set, the description of the file was cut off, and nothing is known about the file.
            if task.prepared.problem is not None or task.prepared.why:
                then(task)

    pool = ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2))
    return pool, [pool.submit(one, task) for task in tasks]


def grade_all(options):
    tasks = [Task(name, path, options) for name, path in find_files(options.folder, options.only).items()]
    open_tasks = [task for task in tasks if not task.is_done()]
    print(f"{len(tasks)} files, {len(tasks) - len(open_tasks)} done before")
    queue = Queue(Devices(options.devices, options.jobs), options.deadline)
    pool, preparing = prepare_all(open_tasks, options, queue.add)

    def work():
        while taken := queue.take(lambda: not all(each.done() for each in preparing)):
            task, device, lent = taken
            try:
                if task.run(device):
                    say(options, line_of(task.state))
                    if not task.is_done():
                        queue.add(task)
            except (OSError, ValueError, KeyError) as error:
                # Leave this file for the next call, and go on with the other files.
                say(options, f"{task.name}: {error!r}")
            finally:
                queue.give_back(device, lent)

    with ThreadPoolExecutor(options.jobs * len(options.devices)) as workers:
        working = [workers.submit(work) for _ in range(options.jobs * len(options.devices))]
    pool.shutdown(wait=True, cancel_futures=True)
    for each in working + [each for each in preparing if not each.cancelled()]:
        each.result()
    left = sum(not task.is_done() for task in tasks)
    print(f"{len(tasks) - left} of {len(tasks)} files done" + (": call it again" if left else ""))


def prepare_only(options):
    tasks = [Task(name, path, options) for name, path in find_files(options.folder, options.only).items()]
    pool, preparing = prepare_all(tasks, options, lambda task: None)
    pool.shutdown(wait=True)
    for each in preparing:
        each.result()
    ready = [task.prepared for task in tasks if task.prepared is not None and (task.prepared.problem or task.prepared.why)]
    for prepared in ready:
        if prepared.why:
            print(f"{prepared.name}: {prepared.why}")
    refused = sum(bool(prepared.why) for prepared in ready)
    parameters = sum(len(prepared.parameters) for prepared in ready)
    print(f"{len(ready)} of {len(tasks)} files read, {refused} of them refused; {parameters} parameters")
