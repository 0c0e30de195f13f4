#!/usr/bin/env python3
"""service_limits.py [--kgrade KGRADE] [--json FILE]: the limits of a service's journal and queue, without a GPU.

It measures `kgrade serve` without lanes, so nothing is graded:
- the time to submit jobs in batches of 256 until the queue is full (10,000 jobs), by six owners;
- the time until the service answers after it was killed with that queue;
- with 1,000 clients that wait, the time of each of 200 submissions a second.

The clients run on the same cores as the service. Jobs have the text of a real candidate.
"""

import argparse
import asyncio
import hashlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CANDIDATE = (ROOT / "solutions" / "softmax" / "naive.cu").read_text()
OWNERS = 6
BATCHES_OF_OWNER = 7        # an owner may have 2,000 jobs in the queue
BATCH = 256
CLIENTS = 1000
RATE = 200
SECONDS = 20


class Service:
    def __init__(self, program, folder):
        self.program = program
        self.folder = Path(folder)
        self.socket = self.folder / "socket"
        tokens = self.folder / "tokens"
        tokens.touch(0o600)
        tokens.write_text("".join(f"owner{i} {hashlib.sha256(f'token{i}'.encode()).hexdigest()}\n" for i in range(OWNERS)))
        self.command = [program, "serve", f"--listen=unix:{self.socket}", f"--state={self.folder / 'state'}", 
                        "--lane-command=exec sleep 100000", f"--tokens={tokens}"]
        self.process = None

    def start(self):
        """Starts the service. Returns the seconds until it answers."""
        self.socket.unlink(missing_ok=True)
        begin = time.monotonic()
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while time.monotonic() - begin < 300:
            try:
                asyncio.run(self.call("GET", "/v1/capacity"))
                return time.monotonic() - begin
            except OSError:
                time.sleep(0.005)
        raise SystemExit("the service does not answer")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def memory(self):
        """The service's resident memory in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def journal(self):
        """The size of the service's journal in MB."""
        return (self.folder / "state" / "journal.jsonl").stat().st_size / 1e6

    async def call(self, method, path, body=None, owner=0):
        """The status and the JSON of the answer."""
        reader, writer = await asyncio.open_unix_connection(self.socket, limit=1 << 24)
        try:
            content = json.dumps(body).encode() if body is not None else b""
            writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer token{owner}\r\n"
                         f"Content-Length: {len(content)}\r\n\r\n".encode() + content)
            await writer.drain()
            head, _, text = (await reader.read(-1)).partition(b"\r\n\r\n")
            return int(head.split()[1]), json.loads(text)
        finally:
            writer.close()


def job(number):
    return {"problem": "softmax", "candidate": {"name": f"c{number}.cu", "source": f"{CANDIDATE}// {number}\n"},
            "run_limit_s": 60, "deadline_s": 3600, "group": f"step-1/{number // 16}"}


def percentile(values, percent):
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def fill(service):
    """Submits batches until the queue is full, and returns the figures."""
    accepted, seconds, refused = 0, [], None
    while refused is None:
        items = [job(accepted + number) for number in range(BATCH)]
        begin = time.monotonic()
        _, answer = asyncio.run(service.call("POST", "/v1/grades/batch", {"items": items}, len(seconds) // BATCHES_OF_OWNER))
        seconds.append(time.monotonic() - begin)
        errors = [each["error"] for each in answer["items"] if "error" in each]
        accepted += len(items) - len(errors)
        refused = errors[0] if errors else None
    return {"accepted": accepted, "seconds": sum(seconds), "batch_ms_median": 1000 * statistics.median(seconds),
            "batch_ms_95": 1000 * percentile(seconds, 95), "refused_with": refused["status"],
            "job_bytes": len(json.dumps(job(1))), "memory_mib": service.memory(), "journal_mb": service.journal()}


async def wait_and_submit(service):
    first = (await service.call("POST", "/v1/grades", job(0)))[1]["id"]
    waiting = [asyncio.ensure_future(service.call("POST", "/v1/wait", {"ids": [first], "timeout_s": 50})) for _ in range(CLIENTS)]
    await asyncio.sleep(3)
    taken = []
    late = []

    async def submit(number, at):
        late.append(time.monotonic() - at)
        begin = time.monotonic()
        status, _ = await service.call("POST", "/v1/grades", job(number), 1 + number % (OWNERS - 1))
        taken.append((time.monotonic() - begin, status))

    begin = time.monotonic()
    tasks = []
    for number in range(RATE * SECONDS):
        at = begin + number / RATE
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        tasks.append(asyncio.ensure_future(submit(number, at)))
    await asyncio.gather(*tasks)
    took = time.monotonic() - begin
    still = sum(not each.done() for each in waiting)
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    ms = [1000 * seconds for seconds, status in taken if status == 202]
    return {"waiting": still, "submitted": len(ms), "of": RATE * SECONDS, "a_second": len(ms) / took,
            "ms_median": statistics.median(ms), "ms_95": percentile(ms, 95), "ms_99": percentile(ms, 99), "ms_most": max(ms),
            "client_late_ms_95": 1000 * percentile(late, 95), "memory_mib": service.memory()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--kgrade", type=os.path.abspath, default=str(ROOT / "build/release/bin/kgrade"))
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    figures = {"cores": os.cpu_count()}
    for part in ("queue", "clients"):
        with tempfile.TemporaryDirectory(prefix="kgrade-limits-") as folder:
            service = Service(arguments.kgrade, folder)
            empty = service.start()
            try:
                if part == "queue":
                    figures["queue"] = fill(service)
                    service.kill()
                    figures["restart"] = {"seconds": service.start(), "seconds_empty": empty, "memory_mib": service.memory()}
                    queued = asyncio.run(service.call("GET", "/v1/capacity"))[1]["queued"]
                    if queued != figures["queue"]["accepted"]:
                        raise SystemExit(f"{queued} jobs are queued after the restart")
                else:
                    figures["clients"] = asyncio.run(wait_and_submit(service))
            finally:
                service.kill()
    print(json.dumps(figures, indent=1))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
