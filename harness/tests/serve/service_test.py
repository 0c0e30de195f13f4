#!/usr/bin/env python3
"""Tests `kgrade serve` from outside: its interface, and that no accepted job is lost or graded twice.

    service_test.py KGRADE [--grades N] [--clients N]

Clients send right, wrong, hanging, crashing and huge candidates with fixed seeds, while the service, its front and one of
its lanes are killed with SIGKILL. Every job has to end once, with the verdict of `kgrade grade`.
"""

import argparse
import hashlib
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from kills_test import test_kills, test_nothing_is_left
from running_service import (CANDIDATES, RIGHT, ROOT, SLUG, Service, UnixConnection, check, exit_without_boost,
                             lines_until_listening, request, until, verdicts_of_grade)


def test_interface(service):
    status, problems = service.call("GET", "/v1/problems")
    check(status == 200 and SLUG in [each["slug"] for each in problems["problems"]], problems)
    status, problem = service.call("GET", f"/v1/problems/{SLUG}")
    check(status == 200 and "solution" in problem["signature"] and problem["statement"], problem)
    check(problem["cases"][0] == {"name": "tiny", "role": "sample", "parameters": {"n": 7}}, problem)
    check(service.call("GET", "/v1/problems/none")[0] == 404)
    status, error = service.call("GET", "/v1/problems/vector-additio")
    check(status == 404 and "did you mean 'vector-addition'" in error["detail"], error)
    check(service.call("GET", "/v1/nothing")[0] == 404)
    check(service.call("POST", "/v1/grades", "{")[0] == 400)
    status, error = service.call("POST", "/v1/grades", {**request("right"), "problem": "vector-additio"})
    check(status == 404 and "did you mean 'vector-addition'" in error["detail"], error)
    status, error = service.call("POST", "/v1/grades", {**request("right"), "efort": "quick"})
    check(status == 400 and "efort" in error["detail"], error)
    check(service.call("GET", "/v1/grades/g_none")[0] == 404)
    check("<html" in service.call("GET", "/")[1])

    status, graded = service.call("POST", "/v1/grades?wait=50", request("right", client_ref="mine"))
    check(status == 200 and graded["verdict"] == "accepted", graded)
    check(graded["client_ref"] == "mine" and graded["figures"]["correct"] is True, graded)
    status, record = service.call("GET", f"/v1/grades/{graded['id']}?view=record")
    check(status == 200 and record["candidates"][0]["path"] == "right.cu", record["candidates"][0]["path"])
    check(Path(service.socket).parent.name not in json.dumps(record), "the record names the service's folders")
    status, line = service.call("GET", f"/v1/grades/{graded['id']}?view=agent")
    check(status == 200 and line["verdict"] == "accepted", line)
    check(service.call("DELETE", f"/v1/grades/{graded['id']}")[0] == 409)

    key = {"Idempotency-Key": "once"}
    first = service.call("POST", "/v1/grades", request("right"), key)[1]["id"]
    check(service.call("POST", "/v1/grades", request("right"), key)[1]["id"] == first)
    check(service.call("POST", "/v1/grades", request("wrong"), key)[0] == 422)

    # What waits can be cancelled, and what runs too.
    hanging = service.call("POST", "/v1/grades", request("hangs"))[1]["id"]
    late = service.call("POST", "/v1/grades", request("right", deadline_s=0.001, effort="ranked"))[1]["id"]
    status, cancelled = service.call("DELETE", f"/v1/grades/{hanging}")
    check(status == 200 and cancelled["state"] == "cancelled" and cancelled["fault"] is None, cancelled)
    status, expired = service.call("GET", f"/v1/grades/{late}?wait=30")
    check(expired["state"] == "expired" and expired["fault"] == "expired", expired)
    check(expired["outcome"] == "failed" and expired["verdict"] is None, expired)

    # The run limit covers all that a candidate causes, and is a verdict.
    slow = RIGHT + "\nstruct Slow { Slow() { for (volatile long i = 0;; i = i + 1) {} } } slow;\n"
    body = {**request("right", run_limit_s=2, effort="default"), "candidate": {"name": "slow.cu", "source": slow}}
    status, overrun = service.call("POST", "/v1/grades?wait=50", body)
    check(overrun["verdict"] == "time_limit" and overrun["outcome"] == "graded", overrun)

    # A wrong problem is nobody's kernel's fault.
    body = {**request("right", dtype="float99", effort="default")}
    status, wrong = service.call("POST", "/v1/grades?wait=50", body)
    check(wrong["outcome"] == "failed" and wrong["fault"] == "problem", wrong)

    status, batch = service.call("POST", "/v1/grades/batch", {"items": [request("right"), {"problem": 1}]})
    check("id" in batch["items"][0] and batch["items"][1]["error"]["status"] == 400, batch)
    status, answer = service.call("POST", "/v1/wait", {"ids": [batch["items"][0]["id"], "g_none"], "timeout_s": 0})
    check(answer["unknown"] == ["g_none"], answer)
    status, capacity = service.call("GET", "/v1/capacity")
    check(len(capacity["lanes"]) == 2, capacity)
    check('kgrade_jobs_ended_total{as="accepted"}' in service.call("GET", "/metrics")[1])

    def watch(url):
        return subprocess.run([service.command[0], "watch", url], capture_output=True, text=True, check=False)

    shown = watch(f"unix:{service.socket}")
    check(watch(f"unix://{service.socket}").returncode == 0)
    check(shown.returncode == 0 and "grades a minute" in shown.stdout and shown.stdout.count("emulated") == 2, shown)
    for url, code in (("unix:///nobody", 3), ("http://127.0.0.1:1", 3), ("ftp://x", 2)):
        refused = watch(url)
        check(refused.returncode == code and url in refused.stderr, refused)


class Stream:
    """A client that follows the events."""

    def __init__(self, service, last=""):
        self.connection = UnixConnection(service.socket, 60)
        self.connection.request("GET", "/v1/events", headers={"Last-Event-ID": last})
        self.answer = self.connection.getresponse()
        first = self.lines()
        check(self.answer.status == 200 and first[0] == "retry: 2000" and first[1].startswith("id: "), first)
        self.begin = first[1].removeprefix("id: ")

    def lines(self):
        lines = []
        while not lines or lines[-1]:
            lines.append(self.answer.readline().decode().strip())
        return lines[:-1]

    def next(self, job=None):
        """The number, the kind and the data of the next event (of that job)."""
        while True:
            members = dict(line.split(": ", 1) for line in self.lines())
            data = json.loads(members["data"])
            if job in (None, data.get("id")):
                return members.get("id"), members["event"], data


def test_events(service):
    """Clients see what happens to their jobs, and again after their last event."""
    stream = Stream(service)
    job = service.call("POST", "/v1/grades?wait=50", request("not_cuda", client_ref="followed"))[1]
    events = [stream.next(job["id"]) for _ in range(3)]
    check([kind for _, kind, _ in events] == ["queued", "started", "finished"], events)
    check(events[0][2]["client_ref"] == "followed" and events[2][2] == job, events)
    stream.connection.close()
    again = Stream(service, events[0][0])
    check([again.next(job["id"]) for _ in range(2)] == events[1:])
    again.connection.close()
    check(again.begin == events[0][0], again.begin)
    # So does a client that has lost its connection before its first event.
    early = Stream(service, stream.begin)
    check([early.next(job["id"]) for _ in range(3)] == events)
    early.connection.close()
    old = Stream(service, "1")
    check(old.next()[1] == "gap")
    old.connection.close()


def test_idle_waits(service, count):
    """Waiting clients cost no thread, and do not slow others down. Returns the seconds of calls beside them."""
    hanging = service.call("POST", "/v1/grades", request("right", effort="ranked"))[1]["id"]
    sockets = []
    body = json.dumps({"ids": [hanging, "g_x"], "timeout_s": 20, "until": "all"})
    text = f"POST /v1/wait HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    for _ in range(count):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.settimeout(60)
        one.connect(service.socket)
        one.sendall(text.encode())
        sockets.append(one)
    seconds = []
    for _ in range(100):
        begin = time.monotonic()
        check(service.call("POST", "/v1/grades", request("not_cuda"))[0] == 202)
        seconds.append(time.monotonic() - begin)
    for one in sockets:
        check(one.recv(100).startswith(b"HTTP/1.1 200"), "a waiting client got no answer")
        one.close()
    return seconds


def test_hostile_bytes(service):
    """What is not HTTP is answered or cut off, and the service goes on."""
    for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 50, b"A" * 20000,
                 b"POST /v1/grades HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                 b"POST /v1/grades HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                 b"POST /v1/grades HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                 b"GET /v1/grades/%00%ff?wait=nan HTTP/1.1\r\nHost: x\r\n\r\n",
                 b"POST /v1/wait HTTP/1.1\r\nContent-Length: 200000\r\n\r\n" + b"[" * 200000):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.settimeout(5)
        one.connect(service.socket)
        try:
            one.sendall(text)
            one.shutdown(socket.SHUT_WR)
            one.recv(1000)
        except OSError:
            pass
        one.close()
    check(service.call("GET", "/healthz")[0] == 200)


def test_other_pages(program, folder):
    """A browser does not use a service without tokens for a page of somebody else."""
    command = [program, "serve", "--listen", "127.0.0.1:0", "--state", f"{folder}/tcp", "--device", "emulated", "--jobs", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = lines_until_listening(process)
            check(said[0] == "kgrade serve: grades on emulated\n", said)
            port = int(said[-1].rsplit(":", 1)[1])

            def status(headers, method="GET", path="/v1/capacity"):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request(method, path, "{}" if method == "POST" else None, headers)
                found = connection.getresponse().status
                connection.close()
                return found

            own = f"127.0.0.1:{port}"
            for headers in ({}, {"Origin": f"http://{own}"}, {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}):
                check(status(headers) == 200 and status(headers, "POST", "/v1/grades") == 400, headers)
            for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"},
                            {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}):
                check(status(headers) == 403 and status(headers, "POST", "/v1/grades") == 403, headers)
        finally:
            process.terminate()


def test_large_bodies(service):
    """Clients such as curl ask before they send more than 1 MiB, and wait for 100 or for a refusal."""
    body = json.dumps(request("right", group="x", candidate={
        "name": "no.cu", "source": "//" + "x" * 700_000, "headers": {"h.h": "//" + "x" * 700_000}})).encode()

    def ask(size, expect="100-continue", version="1.1"):
        """A connection whose request has this header, and whose body is still to be sent."""
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.settimeout(30)
        one.connect(service.socket)
        one.sendall((f"POST /v1/grades HTTP/{version}\r\nHost: x\r\nExpect: {expect}\r\n"
                     f"Content-Length: {size}\r\n\r\n").encode())
        return one

    for expect in ("100-continue", "100-Continue"):
        one = ask(len(body), expect)
        check(one.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n", expect)
        one.sendall(body)
        check(one.recv(1000).startswith(b"HTTP/1.1 202 "), "after 100 Continue")
        one.close()
    one = ask(99_999_999)
    check(one.recv(1000).startswith(b"HTTP/1.1 413 "), "a body that is too large is refused before it is sent")
    one.close()
    one = ask(len(body), version="1.0")
    one.sendall(body)
    check(one.recv(1000).startswith(b"HTTP/1.1 202 "), "a client of HTTP/1.0 gets only one answer")
    one.close()
    # Nothing recurses for each level of a client's JSON.
    for method in ("/v1/grades", "/v1/grades/batch", "/v1/wait"):
        for member in ("problem", "items", "until", "begun"):
            deep = f'{{"ids": [], "{member}": {"[" * 1_000_000}{"]" * 1_000_000}}}'
            check(service.call("POST", method, deep)[0] == 400, method, member)
    for key in ("k" * 201, "\xfc"):
        status, error = service.call("POST", "/v1/grades/batch", {"items": []}, {"Idempotency-Key": key})
        check(status == 400 and "Idempotency-Key" in error["detail"], error)


def test_lanes_elsewhere(program, folder):
    """Lanes that a command starts: one that is killed costs no job, and SIGTERM ends all of them."""
    command = f"echo Welcome; exec {program} lane --device emulated"
    service = Service(program, folder, "--lane-command", command, "--lanes", "2", jobs=None)
    try:
        if service.call("GET", "/healthz")[0] != 200:
            until(lambda: service.call("GET", "/healthz")[0] == 200, "a lane is there")
        hangs = service.call("POST", "/v1/grades", request("hangs", client_ref="hangs"))[1]["id"]
        ids = [service.call("POST", "/v1/grades", request(name))[1]["id"] for name in ("right", "wrong", "right_too")]
        until(lambda: service.call("GET", f"/v1/grades/{ids[0]}")[1]["state"] == "finished", "one is graded")
        for lane in service.lanes():
            os.kill(int(lane), signal.SIGKILL)
        for job, verdict in zip(ids, ("accepted", "wrong_answer", "accepted")):
            view = until(lambda job=job: (lambda view: view if view["state"] == "finished" else None)(
                service.call("GET", f"/v1/grades/{job}")[1]), "all are graded", 120)
            check(view["verdict"] == verdict, view)
        check(service.call("DELETE", f"/v1/grades/{hangs}")[0] in (200, 409))
        lanes = service.call("GET", "/v1/capacity")[1]["lanes"]
        check({lane["name"] for lane in lanes} <= {os.uname().nodename, None} and len(lanes) == 2, lanes)
        mine = [int(lane) for lane in service.lanes()]
        service.stop()
        until(lambda: not any(Path(f"/proc/{lane}").exists() for lane in mine), "the lanes have ended")
    finally:
        service.kill()


def test_tokens(program, folder):
    """What each token can do and cannot (SECURITY.md)."""
    tokens = Path(folder) / "tokens"
    tokens.touch(0o600)
    hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("anns", "bobs", "eves")}
    tokens.write_text(f"ann {hashes['anns']}\nbob {hashes['bobs']} seeds\n"
                      f"eve {hashes['eves']} quota=0.001\n")
    service = Service(program, folder, "--tokens", str(tokens))
    try:
        ann, bob, eve = ({"Authorization": f"Bearer {token}"} for token in hashes)
        unseeded = {"problem": SLUG, "candidate": {"name": "a.cu", "source": CANDIDATES["not_cuda"]}}
        for method, path in (("POST", "/v1/grades"), ("POST", "/v1/wait"), ("GET", "/v1/capacity"), ("GET", "/metrics"),
                             ("GET", "/v1/problems"), ("DELETE", "/v1/grades/g_1")):
            check(service.call(method, path, unseeded)[0] == 401, method, path)
            for wrong in ("ann", "\xfc\xff", "anns anns"):
                check(service.call(method, path, unseeded, {"Authorization": f"Bearer {wrong}"})[0] == 401, method, path, wrong)
        check(service.call("GET", "/")[0] == 200)
        job = service.call("POST", "/v1/grades", unseeded, ann)[1]["id"]
        for method in ("GET", "DELETE"):
            check(service.call(method, f"/v1/grades/{job}", None, bob)[0] == 404, "another owner's job")
        check(service.call("POST", "/v1/wait", {"ids": [job]}, bob)[1]["unknown"] == [job])
        status, error = service.call("POST", "/v1/grades", {**unseeded, "seed": 1}, ann)
        check(status == 400 and "seeds" in error["detail"], error)
        check(service.call("POST", "/v1/grades", {**unseeded, "seed": 1}, bob)[0] == 202)
        # Who has used up a quota is told when to come again. Others are served.
        check(service.call("POST", "/v1/grades?wait=50", unseeded, eve)[0] == 200)
        status, error = service.call("POST", "/v1/grades", unseeded, eve)
        check(status == 429 and "0.001 s" in error["detail"], error)
        # A key is its owner's: another owner's request with it is another job.
        key = {"Idempotency-Key": "k"}
        mine = service.call("POST", "/v1/grades", unseeded, {**ann, **key})[1]["id"]
        check(service.call("POST", "/v1/grades", unseeded, {**bob, **key})[1]["id"] != mine)
        for path in ("/shutdown", "/v1/shutdown", "/v1/records/../journal.jsonl", "/v1/grades/..%2fjournal.jsonl"):
            for method in ("GET", "POST"):
                # The last one is the path of a job, which takes no POST.
                takes_no_post = method == "POST" and path.startswith("/v1/grades/")
                check(service.call(method, path, None, bob)[0] == (405 if takes_no_post else 404), path)
    finally:
        service.stop()
    refused = subprocess.run([program, "serve", "--listen", "0.0.0.0:0", "--state", f"{folder}/other"],
                             capture_output=True, text=True, check=False)
    check(refused.returncode == 2 and "--tokens" in refused.stderr, refused.stderr)
    tokens.chmod(0o644)
    refused = subprocess.run([program, "serve", "--tokens", str(tokens)], capture_output=True, text=True, check=False)
    check(refused.returncode == 2 and "chmod 600" in refused.stderr, refused.stderr)


def test_run_limit(program, folder):
    """Only what the candidate causes counts for its run limit: a slow reference ends no right kernel."""
    problem = (ROOT / "problems" / f"{SLUG}.md").read_text().replace(f"slug: {SLUG}", "slug: slow-addition")
    source = (ROOT / "reference" / f"{SLUG}.cu").read_text()
    for name, text in (("problems/slow-addition.md", problem),
                       ("reference/slow-addition.cu", "#include <unistd.h>\n" + source.replace(") {\n", ") {\n  usleep(700000);\n"))):
        Path(folder, name).parent.mkdir(exist_ok=True)
        Path(folder, name).write_text(text)
    check("usleep" in text, "the reference is not slow")
    service = Service(program, folder, "--problems", f"{folder}/problems", jobs=1)
    try:
        body = {**request("right", run_limit_s=10, cases=["tiny", "warp", "block", "odd"]), "problem": "slow-addition"}
        graded = service.call("POST", "/v1/grades", body)[1]
        for _ in range(6):
            graded = service.call("GET", f"/v1/grades/{graded['id']}?wait=50")[1]
        check(graded.get("verdict") == "accepted" and graded["times_s"]["run"] > 10.5, graded)
    finally:
        service.stop()


def test_ends_in_order(program, folder):
    """A signal ends the service with a line that says what waits, and removes the files of running jobs."""
    service = Service(program, folder, jobs=1)
    try:
        ends_in_order(service, folder)
    finally:
        service.kill()
    idle = Service(program, folder + "/idle", jobs=1)
    idle.stop(signal.SIGINT)
    check(Path(folder, "idle", "log").read_text().endswith("\nkgrade serve: stopped\n"))


def ends_in_order(service, folder):
    jobs = [service.call("POST", "/v1/grades", request(name))[1]["id"] for name in ("hangs", "right", "right_too")]
    for _ in range(300):
        if service.call("GET", f"/v1/grades/{jobs[0]}")[1]["state"] == "running":
            break
        time.sleep(0.1)
    check(any(Path(folder, "state", "work").rglob("*.cu")), "the running job has no files")
    time.sleep(2)  # what is said at the end is made ten times a second
    check(service.stop() == -signal.SIGTERM)
    said = Path(folder, "log").read_text().splitlines()[-1]
    check(said == f"kgrade serve: stopped; 3 jobs wait in {folder}/state and go on when it is started again", said)
    work = Path(folder, "state", "work")
    check(not work.exists() or not list(work.iterdir()), "files of candidates are left")
    service.start()
    for job in jobs[1:]:
        answer = service.call("POST", "/v1/wait", {"ids": [job], "timeout_s": 50})[1]
        check([view["verdict"] for view in answer["finished"]] == ["accepted"], answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgrade")
    parser.add_argument("--grades", type=int, default=48)
    parser.add_argument("--clients", type=int, default=16)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="kgrade-serve-test-") as folder:
        exit_without_boost(arguments.kgrade)
        expected = verdicts_of_grade(arguments.kgrade, folder)
        print("expected:", expected)
        service = Service(arguments.kgrade, folder)
        try:
            test_interface(service)
            test_events(service)
            test_hostile_bytes(service)
            test_other_pages(arguments.kgrade, folder)
            test_large_bodies(service)
            begin = time.monotonic()
            test_kills(service, folder, expected, arguments.grades, arguments.clients)
            print(f"{arguments.grades} grades in {time.monotonic() - begin:.1f} s")
            seconds = test_idle_waits(service, 1000)
            print(f"beside 1000 waiting clients: median {1000 * statistics.median(seconds):.1f} ms, "
                  f"95 % within {1000 * statistics.quantiles(seconds, n=20)[-1]:.1f} ms")
            test_nothing_is_left(service, folder)
        finally:
            service.stop()
            print(Path(folder, "log").read_text()[-3000:])
        test_tokens(arguments.kgrade, folder)
    with tempfile.TemporaryDirectory(prefix="kgrade-serve-test-") as folder:
        test_lanes_elsewhere(arguments.kgrade, folder)
    with tempfile.TemporaryDirectory(prefix="kgrade-serve-test-") as folder:
        test_run_limit(arguments.kgrade, folder)
    with tempfile.TemporaryDirectory(prefix="kgrade-serve-test-") as folder:
        Path(folder, "idle").mkdir()
        test_ends_in_order(arguments.kgrade, folder)


if __name__ == "__main__":
    main()
