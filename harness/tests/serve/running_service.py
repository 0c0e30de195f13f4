"""A running `kgrade serve` for tests, with candidates for it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness/tests/support"))

from boost import exit_without_boost  # noqa: E402,F401

SLUG = "vector-addition"
SEEDS = {"seed": 11, "hidden_seed": 12, "hidden": 1}
PATIENCE = 600

RIGHT = (ROOT / "solutions" / SLUG / "naive.cu").read_text()
RELU = (ROOT / "solutions" / "relu" / "naive.cu").read_text()
SIGNATURE = 'extern "C" void solution(const float* d_input1, const float* d_input2, float* d_output, size_t n)'
CANDIDATES = {
    "right": RIGHT,
    "right_too": RIGHT + "\n// the same kernel in another file\n",
    "wrong": RIGHT.replace("] + ", "] - "),
    "no_kernel": SIGNATURE + " {}\n",
    "not_cuda": "this is no kernel\n",
    "hangs": SIGNATURE + " { for (volatile int i = 0;; i = i + 1) {} }\n",
    "crashes": SIGNATURE + " { *(volatile int*)8 = 1; }\n",
    "huge": RIGHT + "\n//" + "x" * 900_000 + "\n",
    "relu": RELU,
    "relu_wrong": RELU.replace("x > 0", "x > 1"),
}
# All others are for SLUG.
PROBLEM_OF = {"relu": "relu", "relu_wrong": "relu"}


def proc_file(process, name):
    """A file of a process below /proc; empty if the process has ended, which may happen at any moment."""
    try:
        return Path(f"/proc/{process}/{name}").read_text()
    except OSError:
        return ""


def children_of(process):
    """The processes that a process has started."""
    return [int(child) for child in proc_file(process, f"task/{process}/children").split()]


class UnixConnection(http.client.HTTPConnection):
    """A connection over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


NEVER_BEGINS = ["--lane-command", "exec sleep 100000"]


class Service:
    """A running `kgrade serve`. Its temporary files are in `temporary`, which no other program of this machine uses.

    environment: of the service, beside that of the test. jobs: how many lanes; 0: one that never
    begins; None: as the options say.
    """

    def __init__(self, program, folder, *options, jobs=2, environment=None):
        self.command = [program, "serve", "--listen", f"unix:{folder}/socket", "--state", f"{folder}/state",
                        *({None: [], 0: NEVER_BEGINS}.get(jobs, ["--device", "emulated", "--jobs", str(jobs)])), *options]
        self.socket = f"{folder}/socket"
        self.log = open(f"{folder}/log", "ab")
        self.temporary = Path(folder, "tmp")
        self.temporary.mkdir(exist_ok=True)
        self.environment = {**os.environ, "TMPDIR": str(self.temporary), **(environment or {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=self.log, stdin=subprocess.DEVNULL, env=self.environment)
        for _ in range(600):
            try:
                self.call("GET", "/healthz")
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the service did not start")

    def call(self, method, path, body=None, headers=(), timeout=PATIENCE):
        """The status and the body of the answer: JSON as an object, and other text as text."""
        connection = UnixConnection(self.socket, timeout)
        try:
            text = json.dumps(body) if isinstance(body, (dict, list)) else body
            connection.request(method, path, text, dict(headers))
            answer = connection.getresponse()
            content = answer.read().decode()
            is_json = "json" in (answer.getheader("Content-Type") or "")
            return answer.status, json.loads(content) if is_json else content
        finally:
            connection.close()

    def insist(self, *arguments, **options):
        """Like call(), but tries again while the service is down."""
        for _ in range(600):
            try:
                return self.call(*arguments, **options)
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
        raise AssertionError("the service did not come back")

    def lanes(self):
        """The processes of the lanes."""
        return [child for child in children_of(self.process.pid) if "\0lane\0" in proc_file(child, "cmdline")]

    def front(self):
        """The process that parses HTTP, below its launchers. None if there is none for half a second."""
        for _ in range(10):
            left = children_of(self.process.pid)
            while left:
                process = left.pop()
                if proc_file(process, "comm").strip() == "kgrade-front":
                    return process
                left += children_of(process)
            time.sleep(0.05)
        return None

    def kill(self):
        """Ends the service at once, if it runs."""
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)

    def stop(self, sent=signal.SIGTERM):
        self.process.send_signal(sent)
        return self.process.wait(30)


def lines_until_listening(process):
    """What a service says on standard error, which is a pipe, until it listens. The last line ends with its address."""
    lines = []
    while not lines or "listening at" not in lines[-1]:
        lines.append(process.stderr.readline())
        check(lines[-1], "the service has ended:", lines)
    return lines


def request(name, **more):
    return {"problem": PROBLEM_OF.get(name, SLUG), "candidate": {"name": f"{name}.cu", "source": CANDIDATES[name]}, **SEEDS, **more}


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(each) for each in what))


def until(condition, what, seconds=60):
    """What the condition returns, as soon as that is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        check(time.monotonic() < end, f"not within {seconds} s:", what)
        time.sleep(0.05)
    return found


def verdicts_of_grade(program, folder, names=tuple(CANDIDATES)):
    """What `kgrade grade` says of each candidate, with the same seeds. Leaves NAME.json, the record, in the folder."""
    verdicts = {}
    for name in names:
        path = Path(folder) / f"{name}.cu"
        path.write_text(CANDIDATES[name])
        record = Path(folder) / f"{name}.json"
        subprocess.run([program, "grade", PROBLEM_OF.get(name, SLUG), path, "--quick", "--device", "emulated", "--seed", str(SEEDS["seed"]),
                        "--hidden", str(SEEDS["hidden"]), "--hidden-seed", str(SEEDS["hidden_seed"]),
                        "--json", record], cwd=ROOT, capture_output=True, check=False)
        verdicts[name] = json.loads(record.read_text())["candidates"][0]["verdict"]
    return verdicts
