#!/usr/bin/env python3
"""kernelbench_files.py FOLDER OUTPUT [--kgrade KGRADE] [--device DEVICE,...] [--minutes M] [--limit SECONDS] [--jobs N]
grades KernelBench's files, or others in their form, with their own Model as the candidate and with wrong variants of it:

    right       Model itself: must be accepted
    half        Model in half precision: must be refused
    zero NAME   Model without one parameter, which is set to zero in each call: must be refused, one candidate for each

FOLDER holds level1, level2 and so on, or the files. All that is found out is kept in OUTPUT, a JSON for each file, so that
the next call goes on where the last one ended. What was cut off is done again. Then, in place of grading:

    --prepare       makes the problem files and candidates, without a device
    --table PATH    writes PATH.md and PATH.json: a row for each file, and the exceptions with their reasons
    --summary       prints the counts
    --self N        grades Model against itself as a user would, for N files, one at a time: faster, slower or same
    --eager N       compares kgrade's time of the reference with that of plain PyTorch (tools/kernelbench_plain.py)

Verdicts need no quiet clock: files are graded side by side, as cases of role `test`, so that nothing is measured. What
another one may have disturbed, for want of memory or time, is graded once more alone."""

import argparse
import collections
import functools
import hashlib
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAIN = Path(__file__).resolve().with_name("kernelbench_plain.py")
RIGHT, HALF, ZERO = "right", "half", "zero "
REFUSED = ("wrong_answer", "low_precision")
# Verdicts and exit codes that may be another process's doing.
DISTURBED_VERDICTS = ("unstable", "memory_limit", "time_limit", "runtime_error")
DISTURBED_CODES = (3, 70)
CUT_OFF = "cut off"
CASE = "verdict"
# Parameters that are tried before other files have had their turn.
FIRST_PARAMETERS = 8
MOST_AT_ONCE = 24
# A run that cannot end in time is not begun.
LEAST_SECONDS = 20
SECONDS_FOR_ONE = {"emulated": 6.0, "cuda": 1.5}
# Of a device's memory, in GiB. A run's processes have contexts; inputs and outputs are held by the referee, the oracle in
# double precision, the reference and a candidate.
CONTEXTS, COPIES = 5, 6
UNKNOWN_MEMORY = 76
ITEM_BYTES = {"int64": 8, "double": 8, "float64": 8, "int8": 1, "uint8": 1, "bool": 1}
# Below it a float32 answer cannot tell.
INVISIBLE = 1e-5

TAIL = {
    RIGHT: """
class ModelNew(Model):
    pass
""",
    HALF: """
import torch as _kernelbench_torch


def _kernelbench_as(value, kind):
    if isinstance(value, _kernelbench_torch.Tensor):
        return value.to(kind) if value.is_floating_point() else value
    return type(value)(_kernelbench_as(each, kind) for each in value) if isinstance(value, (list, tuple)) else value


class ModelNew(Model):
    def forward(self, *inputs):
        self.half()
        answer = super().forward(*_kernelbench_as(inputs, _kernelbench_torch.half))
        return _kernelbench_as(answer, _kernelbench_torch.float32)
""",
    ZERO: """
import torch as _kernelbench_torch


class ModelNew(Model):
    def forward(self, *inputs):
        with _kernelbench_torch.no_grad():
            self.get_parameter({name!r}).zero_()
        return super().forward(*inputs)
""",
}


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--kgrade", default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--python", default=os.environ.get("KGRADE_PYTHON", "python3"), help="a Python with PyTorch")
    parser.add_argument("--device", default="cuda", help="cuda, emulated, or several: cuda:0,cuda:1")
    parser.add_argument("--minutes", type=float, default=9.5, help="of this call (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a file (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=4, help="files side by side on each device (default: %(default)s)")
    parser.add_argument("--only", default="", help="only files whose name has this in it")
    parser.add_argument("--measured", action="store_true", help="grade files as they are, with --quick")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--prepare", action="store_true")
    what.add_argument("--table", type=Path)
    what.add_argument("--summary", action="store_true")
    what.add_argument("--self", type=int, metavar="N", dest="against_self")
    what.add_argument("--eager", type=int, metavar="N")
    options = parser.parse_args(arguments)
    options.devices = options.device.split(",")
    options.output = options.output.absolute()
    options.deadline = time.monotonic() + 60 * options.minutes
    return options


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def find_files(folder, only=""):
    """{name: path}, in order: "level1/23_Softmax", or "softmax" of a file that lies in the folder itself."""
    found = {f"{path.parent.name}/{path.stem}": path for path in folder.glob("level*/*.py")}
    found = found or {path.stem: path for path in folder.glob("*.py")}
    return {name: found[name].absolute() for name in sorted(found, key=natural) if only in name}


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_whole(path, text):
    """All of it or nothing: a call may be ended at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{threading.get_ident()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1) + "\n")


def run_process(command, seconds):
    """(exit code, output, errors); the exit code is None where it took longer. It gets time to clean up."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, errors = process.communicate(timeout=max(seconds, 0.1))
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        process.terminate()
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return None, "", ""


def last_line(text):
    """The line that says why: the first that names an error, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "note:" not in line]
    told = [line for line in lines if "error:" in line]
    return (told or lines[-1:] or ["no word"])[0]


@functools.lru_cache
def version_of(kgrade):
    return run_process([kgrade, "--version"], 60)[1].strip()


# A file as a problem.


class Prepared:
    """A file with its problem and its candidates. `why`: what kgrade says where it is none."""

    def __init__(self, name, source, options):
        self.name, self.source = name, source
        self.folder = options.output / "problems" / name
        self.text = source.read_text(encoding="utf-8-sig")
        self.sha256 = hashlib.sha256(self.text.encode()).hexdigest()
        self.problem, self.why, self.parameters, self.gibibytes = None, "", [], 0.0
        facts = read_json(self.folder / "prepared.json")
        if not facts or (facts.get("sha256"), facts.get("kgrade")) != (self.sha256, version_of(options.kgrade)):
            facts = self.import_file(options)
        if facts is None:
            return
        self.why = facts["why"]
        self.problem = self.folder / facts["problem"] if facts["problem"] else None
        contract = self.problem.read_text(encoding="utf-8") if self.problem else ""
        self.parameters = parameters_of(contract)
        self.gibibytes = tensor_bytes(contract) / 2**30

    def import_file(self, options):
        for old in [*self.folder.glob("*.md"), *self.folder.glob("*.py")]:
            old.unlink()
        self.folder.mkdir(parents=True, exist_ok=True)
        code, _, errors = run_process([options.kgrade, "import", str(self.source), "--output", str(self.folder),
                                       "--python", options.python], min(150, options.deadline - time.monotonic()))
        made = sorted(self.folder.glob("*.md"))
        # Only a refusal is known for good: 2 is the file's own fault.
        if code not in (0, 2):
            print(f"{self.name}: kgrade import: {'too slow' if code is None else last_line(errors)}", file=sys.stderr)
            return None
        if made:
            contract = made[0].read_text(encoding="utf-8")
            # Nothing is measured in a case that is no bench.
            bench = "  - {name: kernelbench, role: bench}\n"
            write_whole(made[0], contract.replace(bench, f"{bench}  - {{name: {CASE}, role: test}}\n"))
        facts = {"sha256": self.sha256, "kgrade": version_of(options.kgrade), "problem": made[0].name if made else "",
                 "why": "" if made else last_line(errors)}
        write_json(self.folder / "prepared.json", facts)
        return facts

    def labels(self):
        return [RIGHT, HALF, *(ZERO + name for name in self.parameters)]

    def candidate(self, label):
        """The path of a candidate, which is written."""
        name = label if not label.startswith(ZERO) else f"zero_{self.parameters.index(label[len(ZERO):])}"
        path = self.folder / "candidates" / f"{name}.py"
        write_whole(path, candidate_text(self.text, label))
        return path


def candidate_text(text, label):
    tail = TAIL[ZERO].format(name=label[len(ZERO):]) if label.startswith(ZERO) else TAIL[label]
    return f"# kgrade: entry ModelNew\n{text}\n\n{tail}"


def parameters_of(contract):
    """Names of Model's parameters, of a problem file that `kgrade import` wrote: its values are JSON."""
    found = re.search(r"^  weights: (\{.*\})$", contract, re.MULTILINE)
    return list(json.loads(found.group(1)).values()) if found else []


def tensor_bytes(contract):
    total = 0
    for line in re.findall(r"^  - \{name: .*$", contract, re.MULTILINE):
        shape, kind = re.search(r"shape: \[([\d, ]*)\]", line), re.search(r'type: "?\[?(\w+)', line)
        if shape:
            total += math.prod(map(int, shape.group(1).split(", "))) * ITEM_BYTES.get(kind.group(1) if kind else "", 4)
    return total


# Grading.


def memory_of(device):
    """In GiB; none for a device that is not a GPU."""
    if device == "emulated":
        return None
    number = device.partition(":")[2] or "0"
    try:
        code, output, _ = run_process(["nvidia-smi", f"--id={number}", "--query-gpu=memory.total",
                                       "--format=csv,noheader,nounits"], 30)
        return float(output) / 1024 - 1 if code == 0 else UNKNOWN_MEMORY
    except (OSError, ValueError):
        return UNKNOWN_MEMORY


class Devices:
    """Lends devices to runs: so many at once on each, and no more than their memory holds."""

    def __init__(self, names, jobs):
        self.total = {name: memory_of(name) for name in names}
        self.running = {name: [] for name in names}
        self.jobs = jobs
        # kgrade measures a GPU's ceilings in its first run, and keeps them.
        self.unknown = {name for name in names if self.total[name] is not None}

    def lend(self, need):
        """(device, what is lent of it) where a run of so many GiB can begin now, or None. math.inf: it runs alone."""
        for name, running in sorted(self.running.items(), key=lambda item: len(item[1])):
            lent = math.inf if name in self.unknown else need
            is_full = len(running) >= self.jobs or math.inf in running or (running and lent == math.inf)
            is_short = running and self.total[name] is not None and sum(running) + lent > self.total[name]
            if not is_full and not is_short:
                running.append(lent)
                return name, lent
        return None

    def take_back(self, name, lent):
        self.running[name].remove(lent)
        self.unknown.discard(name)


class Queue:
    """What is left to do: the first task that fits is taken."""

    def __init__(self, devices, deadline):
        self.devices, self.deadline = devices, deadline
        self.tasks, self.active = [], 0
        self.changed = threading.Condition()

    def add(self, task):
        with self.changed:
            self.tasks.append(task)
            self.tasks.sort(key=lambda each: (each.stage, each.is_alone, -each.need()))
            self.changed.notify_all()

    def take(self, is_more_coming):
        """(task, device, what is lent of it), or None when nothing is left, or no time."""
        with self.changed:
            while time.monotonic() < self.deadline - LEAST_SECONDS:
                for task in self.tasks:
                    place = self.devices.lend(task.need())
                    if place is not None:
                        self.tasks.remove(task)
                        self.active += 1
                        return task, *place
                    if task.is_alone:
                        break  # The others would not let it begin.
                if not self.tasks and not self.active and not is_more_coming():
                    return None
                self.changed.wait(0.5)
        return None

    def give_back(self, device, lent):
        with self.changed:
            self.devices.take_back(device, lent)
            self.active -= 1
            self.changed.notify_all()


class Task:
    """One file, and what is known of it so far."""

    def __init__(self, name, source, options):
        self.name, self.source, self.options = name, source, options
        self.place = options.output / "files" / f"{name}.json"
        self.prepared = None
        self.state = read_json(self.place)
        if self.state and self.state["why"] == CUT_OFF and self.state["limit"] < options.limit:
            self.state = None
        self.is_alone = bool(self.state and self.state["again"])
        # 0: not begun. 1: parameters are left.
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
        """What this run grades, and what is left for later ones."""
        if self.state is None or self.is_alone:
            labels = self.prepared.labels()
            zeros = spread(labels[2:], FIRST_PARAMETERS)
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
        return [self.options.kgrade, "grade", str(problem), *[str(self.prepared.candidate(label)) for label in labels],
                "--device", device, "--python", self.options.python, "--json", str(record), *how]

    def run(self, device):
        """Grades one more part, and keeps what came out; False where the end of the call cut it off."""
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
        self.keep({**outcome, **facts_of(found)}, seconds, graded, left)
        return True

    def keep(self, outcome, seconds, graded, left):
        first = self.state is None or self.is_alone
        before = {} if first else self.state
        answers = dict(before.get("answers", {}))
        for label, candidate in graded:
            answers[label] = answer_of(candidate)
        total = before.get("seconds", 0) + seconds
        is_disturbed = not self.is_alone and self.options.jobs > 1 and disturbed(outcome, answers)
        self.state = {
            "file": self.name, "sha256": self.prepared.sha256, "device": outcome.get("device", before.get("device", "")),
            "kgrade": outcome.get("kgrade", before.get("kgrade", {})), "code": outcome["code"] if first else before["code"],
            "why": outcome["why"] or before.get("why", ""), "answers": answers,
            "left": left if outcome["code"] in (0, 1) else [],
            "missing": before.get("missing", []) + ([] if outcome["code"] in (0, 1) else left),
            "seconds": round(total, 2), "first_seconds": before.get("first_seconds", round(seconds, 2)),
            "seconds_for_one": round(pace(seconds, len(graded), self.options), 2),
            "stages": dict(collections.Counter(before.get("stages", {})) + collections.Counter(outcome.get("stages", {}))),
            "limit": self.options.limit, "alone": self.is_alone, "again": is_disturbed}
        write_json(self.place, self.state)
        self.is_alone, self.stage = is_disturbed, 0 if is_disturbed else 1


def pace(seconds, candidates, options):
    """Of one candidate more. The first ones waited for the oracle, too."""
    usual = SECONDS_FOR_ONE["emulated" if options.device == "emulated" else "cuda"]
    return max(usual / 3, seconds / candidates * 0.7) if candidates else usual


def spread(items, count):
    """At most so many of them, evenly."""
    if len(items) <= count:
        return list(items)
    return [items[i * len(items) // count] for i in range(count)]


def facts_of(record):
    if not record:
        return {}
    return {"device": record["device"]["name"], "kgrade": record["tool"], "stages": record["stages_seconds"]}


def answer_of(candidate):
    ran = [case for case in candidate["cases"] if case["run"]]
    return {"verdict": candidate["verdict"], "precision": candidate["precision"], "message": candidate["message"],
            "error": ran[0]["error"]["relative"] if ran else None}


def disturbed(outcome, answers):
    if outcome["code"] is None or outcome["code"] in DISTURBED_CODES or outcome["code"] < 0:
        return True
    return any(answer["verdict"] in DISTURBED_VERDICTS for answer in answers.values())


def say(options, text):
    print(f"[{max(0, options.deadline - time.monotonic()):4.0f} s left] {text}", flush=True)


def end_of(state):
    return "no exit code" if state["code"] is None else f"exit code {state['code']}"


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
        if time.monotonic() < options.deadline - LEAST_SECONDS:
            try:
                task.prepare()
            except (OSError, ValueError, KeyError) as error:
                say(options, f"{task.name}: {error!r}")
                return
            # Of a description that was cut off nothing is known.
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
                # The time of the others is dear: this file is left for the next call.
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


# What came out.


def states_of(options):
    found = {}
    for name in find_files(options.folder, options.only):
        found[name] = read_json(options.output / "files" / f"{name}.json")
    return found


def explain(options, states):
    """{name: {label: how far plain PyTorch's answer moves}} of wrong candidates that were accepted; kept in a file."""
    place = options.output / "differences.json"
    known = read_json(place) or {}
    files = find_files(options.folder, options.only)
    wanted = {name: accepted_wrong(state) for name, state in states.items()}
    device = "cpu" if options.devices[0] == "emulated" else options.devices[0]

    def look(name):
        if time.monotonic() > options.deadline - LEAST_SECONDS:
            return name, None
        names = [label.removeprefix(ZERO) for label in wanted[name]]
        code, output, errors = run_process([options.python, str(PLAIN), "difference", str(files[name]), *names, "--device",
                                            device], min(120, options.deadline - time.monotonic()))
        moved = json.loads(output) if code == 0 else {}
        return name, {label: moved.get(label.removeprefix(ZERO), last_line(errors)) for label in wanted[name]}

    unknown = [name for name, labels in wanted.items() if not set(labels) <= set(known.get(name, {}))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, moved in pool.map(look, unknown):
            if moved is not None:
                known[name] = moved
                write_json(place, known)
    return known


def accepted_wrong(state):
    answers = state["answers"] if state else {}
    return [label for label, answer in answers.items() if label != RIGHT and answer["verdict"] == "accepted"]


def reason_of(moved):
    if not isinstance(moved, float):
        return f"not known: {moved}" if moved else "not looked at"
    if moved < INVISIBLE:
        return f"it does not change Model's answer (by {moved:.1e})"
    return f"it changes Model's answer by {moved:.1e}"


def exceptions_of(states, differences):
    """(file, what, why) of all that is not as it must be."""
    found = []
    for name, state in states.items():
        if state is None:
            found.append((name, "not graded", "no time"))
            continue
        right = state["answers"].get(RIGHT)
        if right is None:
            found.append((name, f"Model is not graded ({end_of(state)})", state["why"]))
        elif right["verdict"] != "accepted":
            found.append((name, f"Model is refused: {right['verdict']}", right["message"]))
        for label, answer in state["answers"].items():
            if label == RIGHT or answer["verdict"] in REFUSED:
                continue
            if answer["verdict"] == "accepted":
                found.append((name, f"{label} is accepted", reason_of(differences.get(name, {}).get(label))))
            else:
                found.append((name, f"{label} could not be tried: {answer['verdict']}", answer["message"]))
        left = state["left"] + state["missing"]
        if left and right:
            shown = ", ".join(label.removeprefix(ZERO) for label in left[:8]) + (", ..." if len(left) > 8 else "")
            found.append((name, f"{len(left)} variants are not tried: {shown}",
                          f"more than {state['limit']:.0f} s" if state["left"] else state["why"]))
    return found


def counts_of(states):
    known = [state for state in states.values() if state]
    right = collections.Counter(state["answers"][RIGHT]["verdict"] if RIGHT in state["answers"]
                                else end_of(state) for state in known)
    wrong = collections.Counter(group_of(answer["verdict"]) for state in known
                                for label, answer in state["answers"].items() if label != RIGHT)
    return {"files": len(states), "graded": len(known), "right": dict(right.most_common()), "wrong": dict(wrong),
            "not_tried": sum(len(state["left"]) + len(state["missing"]) for state in known),
            "seconds": round(sum(state["seconds"] for state in known), 1),
            "median_first_seconds": statistics.median([state["first_seconds"] for state in known]) if known else 0}


def group_of(verdict):
    return "refused" if verdict in REFUSED else verdict


def in_words(counts):
    def listed(counter):
        return ", ".join(f"{count} {name}" for name, count in counter.items()) or "none"

    return (f"{counts['graded']} of {counts['files']} files graded. Model itself: {listed(counts['right'])}. Wrong variants: "
            f"{listed(counts['wrong'])}; {counts['not_tried']} variants not tried. A file took "
            f"{counts['median_first_seconds']:.1f} s (median), all together {counts['seconds']:.0f} s of runs side by side.")


def stages_in_words(states):
    total = collections.Counter()
    for state in states.values():
        total.update(state["stages"] if state else {})
    return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in total.most_common(8))


def devices_in_words(states):
    return ", ".join(sorted({state["device"] for state in states.values() if state and state["device"]})) or "no device"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def row_of(name, state):
    if state is None:
        return [name, "not graded", "", "", "", ""]
    right = state["answers"].get(RIGHT, {})
    error = right.get("error")
    half = state["answers"].get(HALF, {}).get("verdict", "")
    zeros = [answer["verdict"] for label, answer in state["answers"].items() if label.startswith(ZERO)]
    tried = f"{sum(verdict in REFUSED for verdict in zeros)} of {len(zeros)}" if zeros else "no parameters"
    return [name, right.get("verdict", end_of(state)), "" if error is None else f"{error:.1e}",
            f"{state['first_seconds']:.1f}", half, tried]


def markdown(states, differences):
    heads = ["file", "Model itself", "error", "seconds", "in half precision", "without a parameter: refused"]
    lines = ["# KernelBench's files, graded with their own Model", "", f"Device: {devices_in_words(states)}. "
             f"{in_words(counts_of(states))} Where the time went: {stages_in_words(states)}.", "", "## Exceptions",
             "| file | what | why |", "| --- | --- | --- |"]
    lines += [f"| {' | '.join(map(cell, each))} |" for each in exceptions_of(states, differences)]
    lines += ["", "## All files", f"| {' | '.join(heads)} |", "| --- | --- | --: | --: | --- | --- |"]
    lines += [f"| {' | '.join(map(cell, row_of(name, state)))} |" for name, state in states.items()]
    return "\n".join(lines) + "\n"


def write_table(options):
    states = states_of(options)
    differences = explain(options, states)
    write_whole(options.table.with_suffix(".md").absolute(), markdown(states, differences))
    exceptions = [dict(zip(("file", "what", "why"), each)) for each in exceptions_of(states, differences)]
    write_json(options.table.with_suffix(".json").absolute(),
               {"device": devices_in_words(states), "counts": counts_of(states), "exceptions": exceptions,
                "files": [state for state in states.values() if state]})
    print(in_words(counts_of(states)))


# Times.


def measured(name, source, options):
    """The record of Model against itself, as a user would grade it; None where there is none in time."""
    place = options.output / "self" / f"{name}.json"
    record = read_json(place)
    if record is not None:
        return record
    prepared = Prepared(name, source, options)
    if prepared.problem is None:
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    # The emulated device runs such a case only if it is named.
    case = ["--case", "kernelbench", "--force"] if options.devices[0] == "emulated" else []
    code, _, errors = run_process([options.kgrade, "grade", str(source), str(prepared.candidate(RIGHT)), "--device",
                                   options.devices[0], "--python", options.python, "--no-baselines", "--json", str(place),
                                   *case], min(180, options.deadline - time.monotonic()))
    if code not in (0, 1, None):
        say(options, f"{name}: exit code {code}: {last_line(errors)}")
    return read_json(place)


def chosen(options, count):
    """So many files that are known to be accepted, evenly; where nothing is known, any."""
    files = find_files(options.folder, options.only)
    states = states_of(options)
    good = [name for name in files if states[name] and states[name]["answers"].get(RIGHT, {}).get("verdict") == "accepted"]
    return [(name, files[name]) for name in spread(good or list(files), count)]


def case_of(record):
    ran = [case for case in record["candidates"][0]["cases"] if case["run"]]
    return ran[0] if ran else None


def statement_of(record):
    """(word, speedup) of a record."""
    candidate = record["candidates"][0]
    if candidate["verdict"] != "accepted":
        return candidate["verdict"], None
    against = [each for each in (case_of(record) or {}).get("comparisons", []) if each["against"] == "reference"]
    return (against[0]["statement"], against[0]["speedup"]) if against else ("not measured", None)


def against_self(options):
    counts = collections.Counter()
    for name, source in chosen(options, options.against_self):
        if time.monotonic() > options.deadline - LEAST_SECONDS:
            break
        record = measured(name, source, options)
        if record is None:
            continue
        word, speedup = statement_of(record)
        counts[word] += 1
        say(options, f"{name}: {word}" + (f" ({speedup:.4f})" if speedup else f" {record['candidates'][0]['message']}"))
    print("Model against itself: " + (", ".join(f"{count} {word}" for word, count in counts.most_common()) or "nothing"))


def against_eager(options):
    ratios = {}
    device = "cpu" if options.devices[0] == "emulated" else options.devices[0]
    for name, source in chosen(options, options.eager):
        if time.monotonic() > options.deadline - LEAST_SECONDS:
            break
        record = measured(name, source, options)
        case = case_of(record) if record else None
        if not case or not case["reference"]["summary"]:
            continue
        code, output, errors = run_process([options.python, str(PLAIN), "time", str(source), "--device", device],
                                           min(120, options.deadline - time.monotonic()))
        if code != 0:
            say(options, f"{name}: {last_line(errors)}")
            continue
        ours, plain = case["reference"]["summary"]["median_ms"], json.loads(output)["median_ms"]
        ratios[name] = ours / plain
        say(options, f"{name}: kgrade {ours:.4f} ms, plain PyTorch {plain:.4f} ms, ratio {ours / plain:.3f}")
        write_json(options.output / "eager.json", ratios)
    if ratios:
        print(f"kgrade's reference over plain PyTorch: {len(ratios)} files, median {statistics.median(ratios.values()):.3f}, "
              f"from {min(ratios.values()):.3f} to {max(ratios.values()):.3f}")


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


def main():
    options = parse()
    if not find_files(options.folder, options.only):
        print(f"error: {options.folder}: no level*/*.py and no *.py", file=sys.stderr)
        return 2
    if options.prepare:
        prepare_only(options)
    elif options.table:
        write_table(options)
    elif options.summary:
        states = states_of(options)
        print(in_words(counts_of(states)) + "\nStages: " + stages_in_words(states))
    elif options.against_self is not None:
        against_self(options)
    elif options.eager is not None:
        against_eager(options)
    else:
        grade_all(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
