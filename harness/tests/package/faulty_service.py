"""A service for tests of the Python client: it has the interface of `kgrade serve`, grades nothing, and fails as it is told."""

import collections
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NO_FIGURES = dict.fromkeys(("compiled", "correct", "cases_passed", "cases", "precision", "speedup", "speedup_low",
                            "speedup_high", "log_speedup", "log_standard_error", "against"))
FIGURES = {**NO_FIGURES, "compiled": True, "correct": True, "cases_passed": 3, "cases": 3, "precision": "fp32", "speedup": 2.0,
           "speedup_low": 1.9, "speedup_high": 2.1, "against": "reference"}


PROBLEM = {"slug": "softmax", "title": "Softmax", "difficulty": "EASY", "family": None, "statement": "Normalise each row.",
           "signature": 'extern "C" void solution(const float* x, float* y, size_t n);'}


class BackgroundServer:
    """An HTTP server in threads of its own. It calls `handle` with each request, a BaseHTTPRequestHandler, until close(). `url` is its address."""

    def __init__(self, handle):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                handle(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass  # A client that has gone away.

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Refused(Exception):
    def __init__(self, status, detail, retry_after=None):
        super().__init__(detail)
        self.status, self.retry_after = status, retry_after
        self.problem = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
        if retry_after is not None:
            self.problem["retry_after"] = retry_after


class Service:
    """A candidate's text is what becomes of it: JSON with `verdict` or `fault`, and `seconds` until then.

    `"begun": false` says that no lane has begun it yet, and `"record": false` that there is a verdict without a record.
    """

    def __init__(self):
        self.changed = threading.Condition()
        self.jobs = {}
        self.keys = {}
        self.token = ""
        self.room = 1 << 30             # how many jobs can be queued
        self.retry_after = 1            # seconds, where there is no room
        self.lanes = []                 # as /v1/capacity shows them
        # What happens to the next requests of a path: a Refused; or "drop" (before the request is read), "lose" (its
        # answer) or a number of seconds that the answer is late.
        self.faults = collections.defaultdict(list)
        self.streams = []               # of /v1/events: the lines of each connection, which ends then; a number is a pause
        self.seen = []                  # (path, headers, body)
        self.most_waiting = self.most_running = 0
        self.server = BackgroundServer(self.handle)
        self.url = self.server.url

    def close(self):
        self.server.close()

    def forget(self):
        """Like a restart with an empty state."""
        with self.changed:
            self.jobs.clear()
            self.keys.clear()

    def handle(self, request):
        path, _, query = request.path.partition("?")
        faults = self.faults[path]
        fault = faults.pop(0) if faults else None
        if fault == "drop":
            request.close_connection = True
            return
        text = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        body = json.loads(text) if text else None
        with self.changed:
            self.seen.append((path, request.headers, body))
        status, answer, headers = 200, None, {}
        try:
            if isinstance(fault, Refused):
                raise fault
            if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
                raise Refused(401, "the service does not know the token")
            if path != "/v1/events":
                answer = self.answer(request.command, path, query, request.headers.get("Idempotency-Key"), text, body)
            status = 202 if (request.command, path) == ("POST", "/v1/grades") else 200
        except Refused as error:
            status, answer = error.status, error.problem
            if error.retry_after is not None:
                headers["Retry-After"] = str(error.retry_after)
        if isinstance(fault, (int, float)):
            time.sleep(fault)
        if fault == "lose":
            request.close_connection = True
            return
        if path == "/v1/events":
            return self.stream(request)
        content = json.dumps(answer).encode()
        request.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    def stream(self, request):
        request.close_connection = True
        if not self.streams:
            return
        request.send_response(200)
        request.end_headers()
        for line in self.streams.pop(0):
            if isinstance(line, str):
                request.wfile.write(line.encode() + b"\n")
            else:
                time.sleep(line)

    def answer(self, method, path, query, key, text, body):
        if (method, path) == ("POST", "/v1/wait"):
            return self.wait(body)
        with self.changed:
            if method == "POST" and path in ("/v1/grades", "/v1/grades/batch"):
                if not key:
                    raise Refused(400, "there is no Idempotency-Key")
                digest = hashlib.sha256(text).hexdigest()
                before = self.keys.get(key)
                if before is not None and before[0] != digest:
                    raise Refused(422, "the Idempotency-Key was used with other content")
                if before is None:
                    made = self.submit(body) if path == "/v1/grades" else {"items": [self.item(each) for each in body["items"]]}
                    self.keys[key] = before = digest, made
                return before[1]
            if path == "/v1/problems":
                return {"problems": [PROBLEM]}
            if path == "/v1/problems/softmax":
                return PROBLEM
            if path == "/v1/capacity":
                return {"lanes": self.lanes}
            job = self.jobs.get(path.rpartition("/")[2])
            if job is None or "record" in query and not job["result"].get("record", True):
                raise Refused(404, "there is no such thing")
            if method == "DELETE":
                if self.state(job) != "running":
                    raise Refused(409, "it has ended")
                job["cancelled"] = True
                self.changed.notify_all()
            return {"schema": "kgrade-record", "id": job["id"]} if "record" in query else self.view(job)

    def item(self, body):
        try:
            return self.submit(body)
        except Refused as error:
            return {"error": error.problem}

    def submit(self, body):
        if body["problem"] == "no-such-problem":
            raise Refused(422, "there is no problem 'no-such-problem'")
        if sum(self.state(each) == "running" for each in self.jobs.values()) >= self.room:
            raise Refused(429, "too many jobs are queued", self.retry_after)
        id = f"g_{len(self.jobs):08x}"
        result = json.loads(body["candidate"]["source"])
        self.jobs[id] = {"id": id, "body": body, "result": result, "end": time.monotonic() + result.get("seconds", 0.0)}
        return {"id": id, "state": "queued", "position": 0}

    def state(self, job):
        if job.get("cancelled"):
            return "cancelled"
        return "finished" if time.monotonic() >= job["end"] else "running"

    def view(self, job):
        state, result = self.state(job), job["result"]
        verdict = result.get("verdict") if state == "finished" else None
        fault = result.get("fault") if state == "finished" else None
        return {"schema": "kgrade-grade", "schema_version": 1, "id": job["id"], "client_ref": job["body"].get("client_ref", ""),
                "group": job["body"].get("group", ""), "state": state, "fault": fault, "retryable": fault == "machine",
                "outcome": "graded" if verdict else None if state == "running" else "failed", "verdict": verdict,
                "stage": "done" if verdict else None, "reason": "",
                "attempts": int(result.get("begun", True)), "figures": FIGURES if verdict == "accepted" else NO_FIGURES}

    def wait(self, body):
        if len(body["ids"]) > 1024 or body["timeout_s"] > 50:
            raise Refused(422, "too much")
        end = time.monotonic() + body["timeout_s"]
        with self.changed:
            waiting = self.waiting = getattr(self, "waiting", 0) + 1
            self.most_waiting = max(self.most_waiting, waiting)
            try:
                while True:
                    known = [self.jobs[id] for id in body["ids"] if id in self.jobs]
                    ended = [each for each in known if self.state(each) != "running"]
                    unknown = [id for id in body["ids"] if id not in self.jobs]
                    running = len(known) - len(ended)
                    self.most_running = max(self.most_running, running)
                    if ended or unknown or time.monotonic() >= end:
                        pending = [each for each in known if each not in ended] if len(known) < 50 else []
                        return {"finished": [self.view(each) for each in ended], "unknown": unknown,
                                "pending": [{"id": each["id"], "state": "running", "position": None} for each in pending]}
                    self.changed.wait(0.02)
            finally:
                self.waiting -= 1
