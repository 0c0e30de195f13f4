"""A service for tests of the page at /: it has the interface of `kgrade serve`, and grades nothing."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
NO_FIGURES = dict.fromkeys(("compiled", "correct", "cases_passed", "cases", "precision", "speedup", "speedup_low",
                            "speedup_high", "against"))


def problem_of(file: Path) -> dict:
    _, front, statement = file.read_text(encoding="utf-8").split("---\n", 2)
    value = lambda key: (re.search(rf'^{key}: *"?(.*?)"?$', front, re.M) or ["", ""])[1]  # noqa: E731
    return {"slug": file.stem, "title": value("title"), "difficulty": value("difficulty"), "family": value("family"),
            "dtypes": ["float32"], "statement": statement.strip(), "signature": 'extern "C" void solution(\n    const float* input,\n    float* output,\n    size_t n);'}


def page_text(page: Path) -> str:
    """The page with its scripts inside, as cmake/EmbedText.cmake makes it."""
    inside = lambda found: f"<script>{(page.parent / found[1]).read_text(encoding='utf-8')}</script>"  # noqa: E731
    return re.sub(r'<script src="([a-z]+\.js)"></script>', inside, page.read_text(encoding="utf-8"))


def graded(verdict: str, reason: str = "", **figures) -> dict:
    return {"outcome": "graded", "verdict": verdict, "stage": "compare", "untrusted_reason": reason, "figures": {**NO_FIGURES, **figures}}


class Service:
    """What the server knows. Tests change it while it runs."""

    def __init__(self, page: Path, problems: dict[str, dict]):
        self.page, self.problems = page, problems
        self.jobs: dict[str, dict] = {}
        self.keys: list[str] = []       # of POST /v1/grades, refused or not
        self.requests: list[dict] = []  # of those that were not refused: headers and body
        self.token = ""                 # if not empty, every request must have it
        self.refusals: list[tuple[int, dict, dict]] = []  # of the next POST /v1/grades: status, body, headers
        self.results: list[dict] = []   # of the next jobs
        self.delay = 0.5                # seconds until a job starts, and from then to its end
        self.number = 0
        self.records: dict[str, str] = {}
        self.agents: dict[str, dict] = {}  # what the view agent says of a job
        self.boards: list[dict] = []    # of every problem
        self.shows_others = False
        self.me = {"owner": "ann", "has_token": False, "words": ["teacher"], "feedback": "full", "contest": None}
        self.standings: dict = {"shows_others": True, "rows": []}
        self.lanes = [{"device": "NVIDIA H100 80GB HBM3", "state": "idle", "since_s": 12.3, "problem": None, "job": None, "doing": ""}]

    def add(self, result: dict, state: str = "finished", candidate: dict | None = None) -> str:
        self.number += 1
        job_id = f"g_{self.number:032x}"
        candidate = candidate or {"name": "sent.cu", "source": "int sent;\nint twice;"}
        self.jobs[job_id] = {"result": result, "state": state, "at": time.monotonic(), "candidate": candidate}
        return job_id

    def listed(self) -> dict:
        ids = sorted(self.jobs, reverse=True)[:200]
        return {"owner": self.me["owner"], "grades": [{"sent_at": f"2026-01-31T12:{int(job_id[2:], 16) % 60:02}:00Z", "grade": self.view(job_id)}
                                                     for job_id in ids]}

    def state_of(self, job: dict) -> str:
        age = time.monotonic() - job["at"]
        if job["state"] == "timed":
            return "queued" if age < self.delay else "running" if age < 2 * self.delay else "finished"
        return job["state"]

    def view(self, job_id: str) -> dict:
        job = self.jobs[job_id]
        state = self.state_of(job)
        view = {"schema": "kgrade-grade", "id": job_id, "state": state, "outcome": None, "fault": None, "retryable": False,
                "verdict": None, "stage": None, "reason": "", "untrusted_reason": "", "problem": "softmax",
                "candidate": job["candidate"]["name"], "feedback": "full", "figures": NO_FIGURES, "device": None, "expires_at": None,
                "times_s": {"queued": 0.3, "run": None}}
        if state == "finished":
            view |= {"device": {"name": "NVIDIA H100 80GB HBM3"}, "times_s": {"queued": 0.3, "run": 8.25},
                     "expires_at": "2026-01-31T12:00:00Z"} | job["result"]
        return view | (job["result"] if state in ("cancelled", "expired") else {})

    def status(self, job_id: str) -> dict:
        state = self.state_of(self.jobs[job_id])
        return {"id": job_id, "state": state, "position": 3 if state == "queued" else None, "estimate_s": 45.0 if state == "queued" else None,
                "doing": "measuring case site-2" if state == "running" else ""}

    def ended(self, job_id: str) -> bool:
        return self.state_of(self.jobs[job_id]) not in ("queued", "running")

    def wait(self, body: dict) -> dict:
        known = [i for i in body["ids"] if i in self.jobs]
        until = time.monotonic() + body["timeout_s"]
        while known and time.monotonic() < until and not any(map(self.ended, known)):
            time.sleep(0.05)
        return {"finished": [self.view(i) for i in known if self.ended(i)],
                "pending": [self.status(i) for i in known if not self.ended(i)],
                "unknown": [i for i in body["ids"] if i not in self.jobs]}

    def submit(self, headers: dict, body: dict) -> dict:
        self.requests.append({"headers": headers, "body": body})
        return self.status(self.add(self.results.pop(0) if self.results else graded("accepted"), "timed", body["candidate"]))

    def capacity(self) -> dict:
        states = [self.state_of(job) for job in self.jobs.values()]
        return {"lanes": self.lanes, "queued": states.count("queued"), "running": states.count("running"), "by_owner": {},
                "grades_per_minute": 4.5, "version": "1.0.0"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def log_message(self, *_):
        pass

    def answer(self, status: int, body, kind: str = "application/json", **headers) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), "Content-Security-Policy": POLICY,
                            "X-Content-Type-Options": "nosniff", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status: int, title: str, detail: str, **headers) -> None:
        self.answer(status, {"type": "about:blank", "title": title, "status": status, "detail": detail},
                    "application/problem+json", **headers)

    def handle_any(self) -> None:
        service, (path, _, query) = self.service, self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.is_stopped:  # a connection from before
            self.close_connection = True
            return None
        if path == "/":
            return self.answer(200, page_text(service.page), "text/html; charset=utf-8")
        if service.token and self.headers.get("Authorization") != f"Bearer {service.token}":
            return self.refuse(401, "A token is needed", "send the header Authorization: Bearer TOKEN, with a token that this service knows")
        job_id = path.removeprefix("/v1/grades/")
        if (self.command, path) == ("POST", "/v1/grades"):
            service.keys.append(self.headers.get("Idempotency-Key"))
        match self.command, path:
            case "GET", "/v1/me":
                self.answer(200, service.me)
            case "GET", "/v1/standings":
                self.answer(200, service.standings)
            case "GET", "/v1/grades":
                self.answer(200, service.listed())
            case "GET", "/v1/capacity":
                self.answer(200, service.capacity())
            case "GET", "/v1/problems":
                self.answer(200, {"problems": [{k: p[k] for k in ("slug", "title", "difficulty", "family")}
                                               for p in service.problems.values()]})
            case "POST", "/v1/grades" if service.refusals:
                status, problem, headers = service.refusals.pop(0)
                self.refuse(status, problem["title"], problem["detail"], **headers)
            case "POST", "/v1/grades":
                self.answer(202, service.submit(dict(self.headers), json.loads(body)))
            case "POST", "/v1/wait":
                self.answer(200, service.wait(json.loads(body)))
            case "GET", _ if path.endswith("/board"):
                self.answer(200, {"problem": path.split("/")[3], "shows_others": service.shows_others, "boards": service.boards})
            case "GET", _ if path.removeprefix("/v1/problems/") in service.problems:
                self.answer(200, service.problems[path.removeprefix("/v1/problems/")])
            case "GET", _ if job_id in service.jobs:
                self.answer(200, service.records.get(job_id, "{}") if "record" in query else
                            service.agents.get(job_id, {}) if "agent" in query else
                            {**service.jobs[job_id]["candidate"], "headers": {}} if "source" in query else service.view(job_id))
            case "DELETE", _ if job_id in service.jobs:
                service.jobs[job_id] |= {"state": "cancelled", "result": {"outcome": "failed", "reason": "the client cancelled it"}}
                self.answer(200, service.view(job_id))
            case _:
                self.refuse(404, "There is no such thing", "docs/service.md lists the paths and their methods")

    def do_GET(self):
        try:
            self.handle_any()
        except (BrokenPipeError, ConnectionResetError):  # the page has given up a wait
            pass

    do_POST = do_DELETE = do_GET


class Server(ThreadingHTTPServer):
    daemon_threads, block_on_close, is_stopped = True, False, False

    def handle_error(self, *_):  # the browser has closed a connection
        pass


class FakeServer:
    def __init__(self, service: Service, port: int = 0):
        self.server = Server(("127.0.0.1", port), type("Bound", (Handler,), {"service": service}))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.is_stopped = True
        self.server.shutdown()
        self.server.server_close()
