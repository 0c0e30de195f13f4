#!/usr/bin/env python3
"""Tests the process of `kgrade serve` that parses HTTP, from outside: what it holds, what it may do, and what becomes of the
service when it is killed.

    front_test.py KGRADE
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from running_service import (NEVER_BEGINS, ROOT, Service, UnixConnection, check, exit_without_boost, lines_until_listening,
                             proc_file, until)

WITHOUT_NAMESPACES = ROOT / "tools" / "without_namespaces.py"
OWNERS = ("ann", "bob", "eve")
MIB = 1 << 20
PATIENCE = 30


def token(owner):
    return {"Authorization": f"Bearer {owner}s"}


def write_tokens(folder):
    tokens = Path(folder) / "tokens"
    tokens.touch(0o600)
    tokens.write_text("".join(f"{owner} {hashlib.sha256(f'{owner}s'.encode()).hexdigest()}\n" for owner in OWNERS))
    return tokens


def ask(service, path, owner, length, method="POST", expects=True, body=b""):
    """A connection that has sent the header of a request and `body`, which may be a part of it."""
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.settimeout(PATIENCE)
    one.connect(service.socket)
    expect = "Expect: 100-continue\r\n" if expects else ""
    one.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner}s\r\n{expect}"
                f"Content-Length: {length}\r\n\r\n".encode() + body)
    return one


def first_line(one):
    return one.recv(4096).split(b"\r\n")[0].decode()


def status_of(process):
    """The lines of /proc/PID/status by name; empty if the process has ended."""
    lines = proc_file(process, "status").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_holds_nothing(service, confined):
    front = service.front()
    status = status_of(front)
    check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status)
    check(int(status["CapEff"], 16) == 0 and int(status["CapPrm"], 16) == 0 and status["Threads"] == "1", status)
    check(Path(f"/proc/{front}/environ").read_bytes() == b"", "it has an environment")

    def held():
        found = []
        for each in os.listdir(f"/proc/{front}/fd"):
            with contextlib.suppress(FileNotFoundError):  # a client's, closed meanwhile
                found.append(os.readlink(f"/proc/{front}/fd/{each}"))
        return found

    # The listening socket and the one to the service, when no client is there.
    until(lambda: sum(name.startswith("socket:") for name in held()) == 2, "two sockets are open")
    check(all(name.startswith(("socket:", "pipe:", "anon_inode:")) for name in held()), held())
    check(sum(name.startswith("pipe:") for name in held()) <= 2, held())
    if not confined:
        return
    for kind in ("net", "pid", "mnt", "ipc", "user"):
        mine, its = (os.readlink(f"/proc/{process}/ns/{kind}") for process in (os.getpid(), front))
        check(mine != its, "it shares the namespace", kind)
    for path in ("etc/passwd", "home", f"{ROOT}/problems".lstrip("/"), f"{Path(service.socket).parent}".lstrip("/")):
        check(not Path("/proc", str(front), "root", path).exists(), "it sees", path)


def test_bodies_after_permission(service):
    for path, owner, expected in (("/v1/grades", "nobody", 401), ("/v1/nothing", "ann", 404), ("/v1/grades", "ann", 413)):
        length = 99 * MIB if expected == 413 else 30 * MIB
        for expects in (True, False):
            one = ask(service, path, owner, length, expects=expects)
            line = first_line(one)
            check(line.startswith(f"HTTP/1.1 {expected} "), path, owner, line)
            one.close()
    # A client that sends its body without asking still gets the answer.
    one = ask(service, "/v1/grades", "nobody", 2 * MIB, expects=False)
    try:
        one.sendall(b" " * 2 * MIB)
    except OSError:
        pass
    check(first_line(one).startswith("HTTP/1.1 401 "))
    one.close()
    # Such a connection is not used again, since the rest of it is no request.
    one = ask(service, "/healthz", "nobody", 20, "GET", expects=False, body=b"GET / HTTP/1.1\r\n\r\n" * 2)
    answer = b"".join(iter(lambda: one.recv(65536), b""))
    check(answer.count(b"HTTP/1.1 ") == 1 and b"\r\nConnection: close\r\n" in answer, answer[:300])


def test_errors_of_the_parser(service):
    """Each error of the parser has its own status, and an answer says what was wrong."""
    def answer_to(request):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.settimeout(PATIENCE)
        one.connect(service.socket)
        one.sendall(request)
        head, body = b"".join(iter(lambda: one.recv(65536), b"")).split(b"\r\n\r\n", 1)
        one.close()
        check(b"Content-Type: application/problem+json" in head, head)
        found = json.loads(body)
        check(found["status"] == int(head.split()[1]), head, found)
        return found["status"], found["detail"]

    start = b"POST /v1/grades HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer anns\r\n"
    long_field = b"X-Long: " + b"a" * (20 << 10)
    for request, expected, words in (
            (start + long_field + b"\r\n\r\n", 431, "16384 bytes"),
            (start + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "Content-Length"),
            (start + b"Content-Length: 99999999999999999999999\r\n\r\n", 400, "Content-Length"),
            (start + b"Content-Length: 18446744073709551615\r\n\r\n", 413, "longer than any"),
            (start + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "chunk"),
            (b"GET / HTTP/9.9\r\n\r\n", 400, "version")):
        status, detail = answer_to(request)
        check(status == expected and words in detail, request[:80], status, detail)


def test_bodies_in_both_forms(service):
    """A body whose length is named and one in chunks are accepted alike."""
    job = json.dumps({"problem": "vector-addition", "candidate": {"name": "a.cu", "source": "x"}}).encode()
    for chunked in (False, True):
        client = UnixConnection(service.socket, PATIENCE)
        body = iter([job[:7], job[7:]]) if chunked else job
        client.request("POST", "/v1/grades", body, token("ann"), encode_chunked=chunked)
        answer = client.getresponse()
        accepted = json.loads(answer.read())
        check(answer.status == 202, chunked, accepted)
        check(service.call("DELETE", f"/v1/grades/{accepted['id']}", None, token("ann"))[0] == 200)


def test_limits_of_bodies(service):
    """An owner may send 128 MiB at a time, and all together 256 MiB."""
    held = []

    def take(owner):
        one = ask(service, "/v1/grades", owner, 32 * MIB)
        line = one.recv(4096).decode()
        held.append(one)
        return line

    for owner in ("ann", "bob"):
        for _ in range(4):
            check(take(owner) == "HTTP/1.1 100 Continue\r\n\r\n")
        line = take(owner)
        check(line.startswith("HTTP/1.1 429 ") and "\r\nRetry-After: 1\r\n" in line, line)
    line = take("eve")
    check(line.startswith("HTTP/1.1 503 ") and "\r\nRetry-After: 1\r\n" in line, line)
    check(service.call("GET", "/v1/capacity", None, token("eve"))[0] == 200)
    for one in held:
        one.close()
    until(lambda: take("eve").startswith("HTTP/1.1 100 "), "bodies of clients that have gone are forgotten")
    held[-1].close()


def test_kill(service):
    """The front is killed: jobs and the service stay, and clients are served by another one."""
    unseeded = {"problem": "vector-addition", "candidate": {"name": "a.cu", "source": "x"}}
    job = service.call("POST", "/v1/grades", unseeded, token("ann"))[1]["id"]
    stream = UnixConnection(service.socket, PATIENCE)
    stream.request("GET", "/v1/events", headers=token("ann"))
    answer = stream.getresponse()
    check(answer.readline() == b"retry: 2000\n")
    waiting = UnixConnection(service.socket, PATIENCE)
    waiting.request("POST", "/v1/wait", json.dumps({"ids": [job], "timeout_s": 50}), token("ann"))
    # What no front has accepted yet stays in the queue of the socket, and is served by the next one.
    until(lambda: service.call("GET", "/v1/capacity", None, token("ann"))[0] == 200, "the requests before it are read")
    front = service.front()
    os.kill(front, signal.SIGKILL)
    begin = time.monotonic()
    try:
        waiting.getresponse()
        raise AssertionError("a waiting client got an answer")
    except (OSError, http.client.HTTPException):
        pass
    check(service.insist("GET", f"/v1/grades/{job}", None, token("ann"))[1]["state"] == "queued")
    print(f"served again {time.monotonic() - begin:.2f} s after a kill of the front")
    check(service.process.poll() is None and service.front() not in (None, front))
    check("the front, which reads HTTP, is started again: it has ended" in Path(service.log.name).read_text())
    stream.close()
    # Fronts that die at once are started less often, and served again all the same.
    killed = {front}
    for _ in range(3):
        found = until(lambda: next(iter({service.front()} - killed - {None}), None), "another front")
        os.kill(found, signal.SIGKILL)
        killed.add(found)
    check(service.insist("DELETE", f"/v1/grades/{job}", None, token("ann"))[0] == 200)


def test_end(service):
    """The front does not outlive the service."""
    front = service.front()
    service.stop(signal.SIGKILL)
    until(lambda: status_of(front).get("State", "Z").startswith("Z"), "the front ends")


def test_without_namespaces(program, folder):
    """An address that others reach is refused, and the front has at least its filter of system calls."""
    listen = [WITHOUT_NAMESPACES, program, "serve", "--device", "emulated", "--jobs", "1", "--state", f"{folder}/other",
              "--tokens", write_tokens(folder)]
    refused = subprocess.run([*listen, "--listen", "0.0.0.0:0"], capture_output=True, text=True, check=False, timeout=60)
    check(refused.returncode == 3 and "allows no namespaces" in refused.stderr and "kgrade doctor" in refused.stderr, refused)
    path = f"{folder}/other.socket"
    with subprocess.Popen([*listen, "--listen", f"unix:{path}"], stderr=subprocess.PIPE, text=True) as process:
        try:
            said = lines_until_listening(process)
            check("grades on emulated" in said[0] and "not confined" in said[1] and len(said) == 3, said)
            service = Service.__new__(Service)
            service.process, service.socket = process, path
            status = status_of(service.front())
            check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and int(status["CapEff"], 16) == 0, status)
            check(service.call("GET", "/v1/capacity", None, token("ann"))[0] == 200)
        finally:
            process.terminate()


def test_names_with_two_addresses(program, folder):
    """A client tries all addresses of a name, of which one may be nobody's."""
    command = [program, "serve", "--listen", "127.0.0.1:0", "--state", f"{folder}/tcp", *NEVER_BEGINS]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            port = int(lines_until_listening(process)[-1].rsplit(":", 1)[1])
            hosts = Path(folder) / "hosts"
            for addresses in (("127.0.0.1", "127.0.0.2"), ("127.0.0.2", "127.0.0.1"), ("127.0.0.2", "127.0.0.3")):
                hosts.write_text("".join(f"{address} two.test\n" for address in addresses))
                script = 'mount --bind "$1" /etc/hosts && exec "$2" watch "http://two.test:$3"'
                tried = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", hosts, program,
                                        str(port)], capture_output=True, text=True, check=False, timeout=60)
                expected = 0 if "127.0.0.1" in addresses else 3
                check(tried.returncode == expected and (expected == 0 or "refused" in tried.stderr), addresses, tried)
        finally:
            process.terminate()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgrade")
    program = str(Path(parser.parse_args().kgrade).absolute())
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="kgrade-front-test-") as folder:
        exit_without_boost(program)
        confined = "has   namespaces" in subprocess.run([program, "doctor"], capture_output=True, text=True, check=False).stdout
        service = Service(program, folder, "--tokens", str(write_tokens(folder)), jobs=0)
        try:
            test_holds_nothing(service, confined)
            test_bodies_after_permission(service)
            test_errors_of_the_parser(service)
            test_bodies_in_both_forms(service)
            test_limits_of_bodies(service)
            test_kill(service)
            test_end(service)
        finally:
            service.stop()
            print(Path(folder, "log").read_text()[-3000:])
        if os.uname().machine in ("x86_64", "aarch64"):
            test_without_namespaces(program, folder)
        if confined:
            test_names_with_two_addresses(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
