"""The part of service_test.py about lanes on other machines."""

import json
import signal
import threading
import time
from pathlib import Path

from running_service import RIGHT, Service, check, request


def test_leases(program, folder):
    """Lanes on other machines: each job ends once, whatever becomes of the lane that has it."""
    service = Service(program, folder, jobs=0)
    ask = {"lane": "node cuda:0", "device": "NVIDIA H200", "wait_s": 10}

    def submit(name):
        return service.call("POST", "/v1/grades", request(name, client_ref=name))[1]["id"]

    def lease():
        status, given = service.call("POST", "/v1/leases", ask)
        check(status == 200 and given["lease"], given)
        return f"/v1/leases/{given['lease']}", {job["id"]: job["request"] for job in given["jobs"]}

    def state(job):
        return service.call("GET", f"/v1/grades/{job}")[1]["state"]

    try:
        check(service.call("GET", "/healthz")[0] == 503)
        check(service.call("POST", "/v1/leases", {**ask, "wait_s": 0})[1]["lease"] is None)
        for wrong in ({}, {**ask, "most": 0}, {**ask, "lane": ""}, {**ask, "lane": "x" * 101}, {**ask, "wait_s": 51}):
            check(service.call("POST", "/v1/leases", wrong)[0] == 400, wrong)
        answers = []
        waits = threading.Thread(target=lambda: answers.append(service.call("POST", "/v1/leases", {**ask, "wait_s": 8})))
        waits.start()
        while service.call("GET", "/healthz")[0] != 200:
            time.sleep(0.05)
        check(service.call("GET", "/v1/capacity")[1]["lanes"][0]["name"] == "node cuda:0")
        waits.join()
        check(answers and answers[0][0] == 200 and answers[0][1]["lease"] is None, answers)

        right, wrong, third = submit("right"), submit("wrong"), submit("right_too")
        path, jobs = lease()
        check(list(jobs) == [right, wrong, third] and jobs[right]["candidate"]["source"] == RIGHT, jobs)
        check(service.call("POST", path, {"begun": [right]})[1] == {"cancelled": []})
        service.call("DELETE", f"/v1/grades/{third}")
        check(service.call("POST", path, {})[1] == {"cancelled": [third]})
        record = json.loads(Path(folder, "right.json").read_text())
        for nonsense in ({"results": [{"id": right}]}, {"results": [{"id": right, "failed": {"fault": "me"}}]}, []):
            check(service.call("POST", path, nonsense)[0] == 400, nonsense)
        failed = {"id": wrong, "failed": {"fault": "machine", "reason": "it broke"}}
        check(service.call("POST", path, {"results": [{"id": right, "record": record}, failed]})[0] == 200)
        status, graded = service.call("GET", f"/v1/grades/{right}")
        check(graded["verdict"] == "accepted" and graded["client_ref"] == "right", graded)
        check(service.call("POST", path, {"results": [{"id": right, "record": record}]})[0] == 410)

        # The job that failed is tried once more. What a lane gives back is nobody's fault.
        path, jobs = lease()
        check(list(jobs) == [wrong], jobs)
        check(service.call("POST", path, {"begun": [wrong], "released": True})[0] == 200)
        path, jobs = lease()
        check(service.call("POST", path, {"results": [failed]})[0] == 200 and state(wrong) == "finished")
        ended = service.call("GET", f"/v1/grades/{wrong}")[1]
        check(ended["outcome"] == "failed" and ended["fault"] == "machine" and ended["untrusted_reason"] == "it broke", ended)

        # A candidate that takes longer than its run_limit_s has a verdict, and no record.
        overrun = submit("hangs")
        path, jobs = lease()
        check(service.call("POST", path, {"results": [{"id": overrun, "overrun": True}]})[0] == 200, jobs)
        ended = service.call("GET", f"/v1/grades/{overrun}")[1]
        check((ended["outcome"], ended["verdict"]) == ("graded", "time_limit") and "run_limit_s" in ended["reason"], ended)

        # After a restart, the lease of before is not known, and the job waits again.
        again = submit("right")
        path, jobs = lease()
        service.stop(signal.SIGKILL)
        service.start()
        check(service.call("POST", path, {"results": [{"id": again, "record": record}]})[0] == 410)
        path, jobs = lease()
        check(list(jobs) == [again] and state(again) == "queued", state(again))
        check(service.call("POST", path, {"begun": [again]})[0] == 200 and state(again) == "running", state(again))
        check(service.call("POST", path, {"results": [{"id": again, "record": {"nothing": 1}}]})[0] == 200)
        check(state(again) == "queued", "a text that is no record became a verdict")
    finally:
        service.stop()
