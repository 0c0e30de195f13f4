"""A service for tests of kgrade.join: it lends jobs as `kgrade serve` does, and fails as it is told."""

import json
import threading
import time

from background_server import BackgroundServer


class LendingService:
    """Jobs of one problem, which it lends in leases of up to `most`. `ended` has what each job got, in order."""

    def __init__(self, sources, most=32, lease_s=60.0, **options):
        """sources: the candidates' texts. options: members of each job's request."""
        self.changed = threading.Condition()
        self.requests = {f"g_{number}": {"problem": "softmax", "candidate": {"name": "a.cu", "source": source}, **options}
                         for number, source in enumerate(sources)}
        self.queue = list(self.requests)
        self.most, self.lease_s, self.token = most, lease_s, ""
        self.leases = {}                # by id: {"jobs": ids without a result, "until": time, "cancelled": ids}
        self.ended = []                 # (id, result)
        self.begun = set()
        self.lost, self.released = [], []
        self.reports = []               # bodies
        self.seen = []                  # (path, body)
        # What happens to the next requests: "drop" it, "lose" its answer, a status, or a number of seconds that the
        # answer is late, as a float.
        self.faults, self.report_faults = [], []
        self.server = BackgroundServer(self.handle)
        self.url = self.server.url

    def close(self):
        self.server.close()

    def wait(self, condition, seconds=20.0):
        end = time.monotonic() + seconds
        with self.changed:
            while not condition():
                self.look_at_the_clock()
                if time.monotonic() > end:
                    raise AssertionError(f"after {seconds} s: {len(self.ended)} ended, {self.leases}")
                self.changed.wait(0.05)

    def wait_for_all(self, seconds=20.0):
        self.wait(lambda: len({id for id, _ in self.ended}) == len(self.requests), seconds)

    def handle(self, request):
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        is_report = request.path != "/v1/leases"
        faults = self.report_faults if is_report else self.faults
        fault = faults.pop(0) if faults else None
        with self.changed:
            self.seen.append((request.path, body))
        status, answer = 200, {}
        if fault == "drop":
            request.close_connection = True
            return
        if isinstance(fault, int):
            status, answer = fault, {"title": "As it was told"}
        elif self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            status, answer = 401, {"title": "A token is needed"}
        else:
            status, answer = self.report(request.path.rpartition("/")[2], body) if is_report else (200, self.lend(body))
        if isinstance(fault, float):
            time.sleep(fault)
        if fault == "lose":
            request.close_connection = True
            return
        content = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def look_at_the_clock(self):
        for lease, lent in list(self.leases.items()):
            if time.monotonic() > lent["until"]:
                self.lost.append(lease)
                self.queue = self.leases.pop(lease)["jobs"] + self.queue
                self.changed.notify_all()

    def lend(self, body):
        assert body["lane"].isprintable() and 1 <= body["most"] <= 32, body
        end = time.monotonic() + body["wait_s"]
        with self.changed:
            while not self.queue and time.monotonic() < end:
                self.changed.wait(0.05)
                self.look_at_the_clock()
            if not self.queue:
                return {"lease": None, "lease_s": self.lease_s, "jobs": []}
            ids, self.queue = self.queue[:self.most], self.queue[self.most:]
            lease = f"lease{len(self.seen)}"
            self.leases[lease] = {"jobs": ids, "until": time.monotonic() + self.lease_s, "cancelled": []}
            return {"lease": lease, "lease_s": self.lease_s, "jobs": [{"id": id, "request": self.requests[id]} for id in ids]}

    def report(self, lease, body):
        with self.changed:
            self.look_at_the_clock()
            lent = self.leases.get(lease)
            if lent is None:
                return 410, {"title": "The lease is lost"}
            lent["until"] = time.monotonic() + self.lease_s
            self.reports.append(body)
            self.begun.update(body.get("begun", ()))
            for result in body.get("results", ()):
                if result["id"] in lent["jobs"]:
                    lent["jobs"].remove(result["id"])
                    self.ended.append((result["id"], result))
            cancelled, lent["cancelled"] = lent["cancelled"], []
            if body.get("released"):
                self.released.append(lent["jobs"])
                self.queue = lent["jobs"] + self.queue
                lent["jobs"] = []
            if not lent["jobs"]:
                del self.leases[lease]
            self.changed.notify_all()
            return 200, {"cancelled": cancelled}

    def cancel(self, id):
        with self.changed:
            for lent in self.leases.values():
                if id in lent["jobs"]:
                    lent["jobs"].remove(id)
                    lent["cancelled"].append(id)
                    self.ended.append((id, {"id": id, "cancelled": True}))
