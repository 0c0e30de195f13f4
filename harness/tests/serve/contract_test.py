#!/usr/bin/env python3
"""Tests what `kgrade serve` shows to whom: tokens and their words, feedback, uploaded problems, boards, and its log.

    contract_test.py KGRADE

SECURITY.md names these tests. The real service grades on the emulated device.
"""

import contextlib
import datetime
import hashlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from running_service import (CANDIDATES, ROOT, SIGNATURE, SLUG, Service, UnixConnection, check, exit_without_boost, proc_file,
                             until)

sys.path.insert(0, str(ROOT / "harness" / "tests" / "support"))

from processes import descendants  # noqa: E402

# With their words in the tokens' file.
OWNERS = {"ann": "", "bob": "seeds problems", "carol": "problems", "contestant": "feedback=verdict", "learner": "feedback=agent",
          "late": "expires=2001-02-03", "teacher": "teacher"}
MARK = "a_mark_that_no_log_has"
# A token for some other service, in the environment of this one.
SECRET = "a_token_for_another_service"
# The compiler quotes the marked line, and the kernel prints the mark.
LOUD = (CANDIDATES["wrong"].replace("{", '{ printf("' + MARK + '\\n");', 1), f"#error {MARK}\n", f"void {MARK}(\n")
PROBLEM = {"name": "double.py", "source": """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + x


def get_inputs():
    return [torch.rand(64, 64)]


def get_init_inputs():
    return []
"""}
CONTEST = f"---\ntitle: Week 3\nstart: 2001-01-01T00:00Z\nend: 2999-01-01T00:00Z\nproblems:\n  - {{slug: {SLUG}, hide: [test]}}\n---\n"
DIGEST = hashlib.sha256(PROBLEM["source"].encode()).hexdigest()


def unseeded(name, **more):
    return {"problem": SLUG, "candidate": {"name": f"{name}.cu", "source": CANDIDATES[name]}, "hidden": 1, **more}


class Tokens:
    """A service with a token for each owner."""

    def __init__(self, program, folder, *options, jobs=1):
        self.file = Path(folder, "tokens")
        self.write(OWNERS)
        self.service = Service(program, folder, "--tokens", str(self.file), *options, jobs=jobs,
                               environment={"KGRADE_TOKEN": SECRET})

    def write(self, owners):
        fresh = self.file.with_suffix(".new")
        fresh.touch(0o600)
        fresh.write_text("".join(f"{owner} {hashlib.sha256(f'token of {owner}'.encode()).hexdigest()} {words}\n"
                                 for owner, words in owners.items()))
        fresh.rename(self.file)

    def __call__(self, owner, method, path, body=None, **headers):
        return self.service.call(method, path, body, {"Authorization": f"Bearer token of {owner}", **headers})

    def graded(self, owner, body):
        job = self(owner, "POST", "/v1/grades", body)[1]["id"]
        while True:
            view = self(owner, "GET", f"/v1/grades/{job}?wait=50")[1]
            if view["outcome"]:
                return view

    @contextlib.contextmanager
    def events(self, owner):
        """What the owner is told until the job ends that the block puts into the list, as text: read it after the block."""
        connection = UnixConnection(self.service.socket, 10)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer token of {owner}"})
        answer = connection.getresponse()
        lines = []
        yield lines
        job = lines.pop()
        with contextlib.suppress(OSError, http.client.HTTPException):
            while line := answer.readline().decode():
                lines.append(line)
                if f'"id":"{job}"' in line and '"outcome":"' in line:
                    break
        connection.close()


def test_feedback_levels(ask):
    """A contestant learns the verdict, a learner also a wrong element, and only `full` shows seeds and hidden shapes."""
    views = ("agent", "record")
    for name, verdict in (("right", "accepted"), ("wrong", "wrong_answer"), ("crashes", "runtime_error"), ("not_cuda", "compile_error")):
        for owner, asked, level, shown in (("ann", {}, "full", views), ("ann", {"feedback": "agent"}, "agent", views[:1]),
                                           ("ann", {"feedback": "verdict"}, "verdict", ()), ("learner", {}, "agent", views[:1]),
                                           ("learner", {"feedback": "full"}, "agent", views[:1]),
                                           ("contestant", {"feedback": "full"}, "verdict", ())):
            if name != "wrong" and (owner, asked) not in (("ann", {}), ("contestant", {"feedback": "full"})):
                continue
            with ask.events(owner) as events:
                view = ask.graded(owner, unseeded(name, **asked))
                events.append(view["id"])
            what = name, owner, asked
            check((view["verdict"], view["feedback"]) == (verdict, level), what, view)
            for each in views:
                status, answer = ask(owner, "GET", f"/v1/grades/{view['id']}?view={each}")
                check(status == (200 if each in shown else 404), what, each, answer)
                waited = ask(owner, "POST", "/v1/wait", {"ids": [view["id"]], "view": each})[1]["finished"][0]
                check(waited == (answer if each in shown else view), what, each)
            tells_reason = level != "verdict" or verdict == "compile_error"
            check(bool(view["untrusted_reason"]) == (tells_reason and verdict != "accepted"), what, view)
            check((view["figures"]["cases_passed"] is None) == (level == "verdict"), what, view)
            check(f'"verdict":"{verdict}"' in "".join(events), what, events)
            if name == "wrong":
                text = json.dumps(view) + "".join(events)
                check(("the worst at" in text) == (level != "verdict"), what, text)
    # The owner sees what its job does.
    job, told = ask("ann", "POST", "/v1/grades", unseeded("hangs"))[1]["id"], ""
    while not told and (pending := ask("ann", "POST", "/v1/wait", {"ids": [job], "timeout_s": 0.1})[1]["pending"]):
        told = pending[0]["doing"]
    check(told)
    ask("ann", "DELETE", f"/v1/grades/{job}")
    # A contestant does not see what its job does, since it would name cases.
    job = ask("contestant", "POST", "/v1/grades", unseeded("hangs", run_limit_s=4))[1]["id"]
    told = set()
    while ask("contestant", "GET", f"/v1/grades/{job}?wait=0.1")[1]["outcome"] is None:
        told |= {lane["doing"] for lane in ask("ann", "GET", "/v1/capacity")[1]["lanes"]}
    check(told == {""}, told)


def test_members(ask):
    """The members of a result say what they should."""
    view = ask.graded("ann", unseeded("right", hidden=4))
    check(view["candidate"] == "right.cu" and view["valid"] == {"correctness": True, "speed": False}, view)
    check(view["board"]["name"].endswith(", float32, fp32") and view["board"]["speedup"] is None, view)
    check(view["figures"]["by_baseline"] == {} and view["device"]["uuid"] is None, "neither on the emulated device", view)
    check(view["candidate_sha256"] == hashlib.sha256(CANDIDATES["right"].encode()).hexdigest(), view)
    expires = datetime.datetime.strptime(view["expires_at"] + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
    check(86_300 < expires.timestamp() - time.time() <= 86_400, view["expires_at"])
    new = CANDIDATES["right"] + f"// {time.time()}\n"
    built = ask.graded("ann", {**unseeded("right"), "candidate": {"name": "a.cu", "source": new}})["times_s"]["build"]
    check(built is not None and built > 0, built)
    unfinished = ask("ann", "POST", "/v1/grades", unseeded("right"))[1]
    check(unfinished["position"] is None or unfinished["estimate_s"] > 0, unfinished)
    wrong = ask.graded("ann", unseeded("wrong"))
    check(wrong["valid"] == {"correctness": True, "speed": False} and wrong["board"] is None, wrong)
    cancelled = ask("ann", "DELETE", f"/v1/grades/{unfinished['id']}")
    check(cancelled[0] == 409 or list(cancelled[1]) == list(view) and not cancelled[1]["valid"]["correctness"], cancelled)


def test_boards(ask, shows_others):
    """Without --board, owners see only their own results. With it, others' best speed."""
    path = f"/v1/problems/{SLUG}/board"
    whole = {"hidden": 4}
    for name, more in (("right", whole), ("right", whole), ("right_too", whole), ("wrong", whole), ("right", {"cases": ["n-1"]})):
        ask.graded("carol", unseeded(name, **more))
    for more in ({**whole, "seed": 7}, {**whole, "hidden_seed": 7}, {"hidden": 0}):
        ask.graded("bob", unseeded("right", **more))
    own = ask("carol", "GET", path)[1]["boards"][0]["entries"]
    mine = [entry for entry in own if entry["is_own"]]
    check([entry["candidate"] for entry in mine] == ["right.cu", "right_too.cu"], own)
    check(all(entry["rank"] is None and entry["speedup"] is None for entry in own), "without a GPU nothing is ranked", own)
    seen = ask("bob", "GET", path)[1]
    check(seen["shows_others"] == shows_others, seen)
    entries = [entry for board in seen["boards"] for entry in board["entries"]]
    others = [entry for entry in entries if entry["owner"] == "carol"]
    check(len(others) == shows_others and not any(entry["is_own"] for entry in entries), "results with chosen seeds or without hidden cases do not count", seen)
    for entry in others:
        check([entry[name] for name in ("candidate", "id", "sent_at")] == [None] * 3, entry)
    check(ask("ann", "GET", f"/v1/problems/{DIGEST}/board")[0] == 404, "no board for uploaded problems")


def test_uploads(ask):
    """An uploaded problem is its owner's, survives a kill, and makes a job. Nobody can upload a reference in CUDA."""
    path = f"/v1/problems/{DIGEST}"
    check(ask("ann", "PUT", path, PROBLEM)[0] == 403)
    of_a_set = {"name": "reference.py", "source": "def ref_kernel(data): pass\n"}
    for body, words in (({**PROBLEM, "name": "a.md"}, "references in CUDA"), ({**PROBLEM, "source": "x"}, "SHA-256"),
                        (of_a_set, "task.yml"), ({"name": "definition.json", "source": "{}"}, "kgrade show --file")):
        status, error = ask("bob", "PUT", path, body)
        check(status == 400 and words in error["detail"], error)
    status, error = ask("bob", "POST", "/v1/grades", {"problem": of_a_set, "candidate": {"name": "a.py", "source": "x"}})
    check(status == 400 and "reference.py" in error["detail"] and "task.yml" in error["detail"], error)
    check(ask("bob", "PUT", path, PROBLEM)[0] == 201)
    ask.service.stop(signal.SIGKILL)
    ask.service.start()
    check(ask("bob", "GET", path)[1] == {"sha256": DIGEST, **PROBLEM})
    job = {"problem": {"sha256": DIGEST}, "candidate": {"name": "a.cu", "source": "x"}}
    for method in ("GET", "DELETE"):
        check(ask("carol", method, path)[0] == 404, "another owner's problem")
    check(ask("carol", "GET", "/v1/problems")[1]["uploaded"] == [])
    check(ask("carol", "POST", "/v1/grades", job)[0] == 404, "nor is it graded for others")
    accepted = ask("bob", "POST", "/v1/grades", job)[1]["id"]
    check(ask("bob", "DELETE", path)[0] == 200)
    view = ask("bob", "DELETE", f"/v1/grades/{accepted}")[1]
    check(view.get("problem", "double.py") == "double.py", view)


def test_owners_do_not_see_each_other(ask):
    """Jobs, waits, cancelling, events, keys and what lanes do belong to their owner."""
    with ask.events("bob") as events:
        job = ask("ann", "POST", "/v1/grades", unseeded("hangs", run_limit_s=20, client_ref=MARK), **{"Idempotency-Key": "k"})[1]["id"]
        while ask("ann", "GET", f"/v1/grades/{job}?wait=0.2")[1]["state"] in ("queued", "building"):
            pass
        for method in ("GET", "DELETE"):
            check(ask("bob", method, f"/v1/grades/{job}")[0] == 404, method)
        begin = time.monotonic()
        answer = ask("bob", "POST", "/v1/wait", {"ids": [job], "timeout_s": 20})[1]
        check(answer["unknown"] == [job] and time.monotonic() - begin < 10, "a wait for another owner's job")
        for view in ("agent", "record"):
            check(ask("bob", "GET", f"/v1/grades/{job}?view={view}")[0] == 404, view)
        mine = ask("bob", "POST", "/v1/grades", unseeded("right"), **{"Idempotency-Key": "k"})[1]["id"]
        check(mine != job, "another owner's key")
        ask("bob", "DELETE", f"/v1/grades/{mine}")
        check(MARK not in json.dumps(ask("bob", "GET", "/v1/capacity")[1]))
        check(ask("ann", "DELETE", f"/v1/grades/{job}")[0] == 200)
        events.append(mine)
    check(mine in "".join(events) and job not in "".join(events) and MARK not in "".join(events), events)


def test_words_of_tokens(ask):
    """Each word gives one right, and no other."""
    for owner, words in OWNERS.items():
        if owner == "late":
            continue
        for member in ("seed", "hidden_seed"):
            status, answer = ask(owner, "POST", "/v1/grades", unseeded("not_cuda", **{member: 1}))
            check(status == (202 if "seeds" in words else 400), owner, member, answer)
        check(ask(owner, "PUT", "/v1/problems/x", PROBLEM)[0] == (400 if "problems" in words else 403), owner)


def test_expired_tokens(ask):
    for method, path in (("GET", "/v1/capacity"), ("POST", "/v1/grades"), ("GET", "/v1/events")):
        status, error = ask("late", method, path, {} if method == "POST" else None)
        check(status == 401 and "expired: it was valid until 2001-02-04" in error["detail"], error)


def becomes(ask, owner, wanted):
    until(lambda: ask(owner, "GET", "/v1/capacity")[0] == wanted, f"{owner} gets {wanted}")


def test_changed_tokens(ask):
    """A token that is taken out of the file ends within seconds, and a wrong file opens nothing."""
    ask.write({"dave": "", **{owner: words for owner, words in OWNERS.items() if owner != "ann"}})
    becomes(ask, "dave", 200)
    becomes(ask, "ann", 401)
    ask.file.write_text("dave\n")
    # The log says so, although nobody asks the service for anything.
    until(lambda: "former ones stay" in Path(ask.service.log.name).read_text(), "a wrong file is in the log")
    time.sleep(1.5)
    becomes(ask, "dave", 200)
    ask.write(OWNERS)
    ask.file.chmod(0o644)  # Others can read it now, so it is not used until that is mended.
    time.sleep(1.5)
    ask.file.chmod(0o600)
    becomes(ask, "dave", 401)
    becomes(ask, "ann", 200)


def test_candidates_reach_nothing_of_the_service(ask):
    """A candidate reads neither the tokens' file nor the journal, the state folder or the service's memory."""
    state = Path(ask.service.socket).parent
    paths = [str(ask.file), str(state), str(state / "state"), str(state / "state/journal.jsonl"), str(state / "state/records"),
             str(state / "socket"), f"/proc/{ask.service.process.pid}/mem", f"/proc/{ask.service.process.pid}/environ"]
    tries = "".join(f'found |= ::open("{path}", 0) >= 0;\n' for path in paths)
    source = ("#include <fcntl.h>\n" + SIGNATURE + " {\nbool found = false;\n" + tries +
              # A candidate that reaches one of them crashes, and all others write nothing.
              "if (found) *(volatile int*)8 = 1;\n}\n")
    body = {**unseeded("right"), "candidate": {"name": "spy.cu", "source": source}}
    view = ask.graded("ann", body)
    if view["confined"]:
        check(view["verdict"] == "wrong_answer", view)
    else:
        print("not tested: this machine has no namespaces, so that candidates are not confined")
    # The compiler shows it no file either.
    for path in paths[:1] + paths[3:4]:
        body["candidate"]["source"] = f'#include "{path}"\n'
        view = ask.graded("ann", body)
        check(view["verdict"] == "compile_error", view)
        for secret in (hashlib.sha256(b"token of ann").hexdigest(), '\\"type\\"', "body_sha256"):
            check(secret not in json.dumps(ask("ann", "GET", f"/v1/grades/{view['id']}?view=record")[1]), path)


def test_environment(ask):
    """A token in the environment of the service reaches neither a candidate nor a compiler."""
    prints = ('#include <cstdio>\nextern "C" char** environ;\n' + SIGNATURE +
              ' { for (char** each = environ; *each != nullptr; ++each) printf("%s\\n", *each); }\n')
    view = ask.graded("ann", unseeded("right", cases=["tiny"], candidate={"name": "prints.cu", "source": prints}))
    record = ask("ann", "GET", f"/v1/grades/{view['id']}?view=record")[1]
    printed = record["candidates"][0]["cases"][0]["printed"]
    check("LC_ALL=C" in printed["lines"] and not printed["more_lines"], "it did not print its environment:", printed)
    check("KGRADE_TOKEN" not in json.dumps(record) and SECRET not in json.dumps(record), printed)

    # The compiler works for seconds, and sees no file that shows its environment.
    slow = ("constexpr int count() { int n = 0; for (int i = 0; i < 1800; ++i) for (int j = 0; j < 1800; ++j) n ^= i ^ j; return n; }\n"
            "constexpr int counted = count();\n" + SIGNATURE + " { d_output[0] = counted; }\n" +
            f"// {time.time()}: not in the cache\n")
    job = ask("ann", "POST", "/v1/grades", unseeded("right", candidate={"name": "slow.cu", "source": slow}))[1]["id"]

    def sees_compiler():
        found = set()  # names of programs
        for process, _ in descendants(ask.service.process.pid):
            with contextlib.suppress(OSError):  # it has ended
                program = Path(os.readlink(f"/proc/{process}/exe")).name
                environment = Path(f"/proc/{process}/environ").read_bytes()
                if environment and (program == "cc1plus" or "g++" in program):
                    found.add(program)
                    check(SECRET.encode() not in environment, program)
        return len(found) == 2

    check(SECRET in proc_file(ask.service.process.pid, "environ"), "the service has no token in its environment")
    until(sees_compiler, "a compiler runs")
    ask("ann", "DELETE", f"/v1/grades/{job}")


def test_untrusted_text(ask):
    """Text of candidates is in members with `untrusted_` in their names, and in no line of the log."""
    quotes = 0
    for source in LOUD:
        view = ask.graded("ann", {**unseeded("right"), "candidate": {"name": "loud.cu", "source": source}})
        quotes += MARK in view.pop("untrusted_reason")
        check(MARK not in json.dumps(view), view)
        line = ask("ann", "GET", f"/v1/grades/{view['id']}?view=agent")[1]
        line.pop("untrusted_reason")
        check(MARK not in json.dumps(line), line)
    check(quotes > 0, "no reason quotes the candidate")
    for path in ("/v1/capacity", "/metrics", "/healthz"):
        check(MARK not in str(ask("ann", "GET", path)[1]), path)


def test_feedback_of_lanes_elsewhere(ask, reason):
    """A lane hands in all that it knows. The owner sees no more than allowed."""
    reason.write_text(MARK)
    view = ask("contestant", "POST", "/v1/grades?wait=50", unseeded("wrong", feedback="agent"))[1]
    check((view["fault"], view["feedback"], view["untrusted_reason"]) == ("problem", "verdict", ""), view)
    reason.unlink()


def test_open_requests_of_expired_tokens(ask, reason):
    """Whoever has lost the token gets what was asked for before, and nothing more."""
    opened = {}
    for owner in ("ann", "bob"):
        job = ask(owner, "POST", "/v1/grades", unseeded("right"))[1]["id"]
        stream, waiting = (UnixConnection(ask.service.socket, 60) for _ in range(2))
        token = {"Authorization": f"Bearer token of {owner}"}
        stream.request("GET", "/v1/events", headers=token)
        events = stream.getresponse()
        check(events.readline() == b"retry: 2000\n", owner)
        waiting.request("POST", "/v1/wait", json.dumps({"ids": [job], "timeout_s": 50}), token)
        # The front reads what comes in turn, so the service has the wait then.
        check(ask(owner, "GET", "/v1/capacity")[0] == 200, owner)
        opened[job] = owner, stream, events, waiting
    ask.write({**{owner: words for owner, words in OWNERS.items() if owner != "bob"}, "ann": "expires=2001-02-03"})
    for job, (owner, *_) in opened.items():
        becomes(ask, owner, 401)
        for path in (f"/v1/grades/{job}", "/v1/events"):
            check(ask(owner, "GET", path)[0] == 401, owner, path)
    # The jobs go on as well.
    reason.write_text("the reason")
    for job, (owner, stream, events, waiting) in opened.items():
        answer = waiting.getresponse()
        finished = json.loads(answer.read())["finished"]
        check(answer.status == 200 and [view["id"] for view in finished] == [job], owner, finished)
        check("the reason" in finished[0]["untrusted_reason"], owner, finished)
        lines = []
        while not lines or "finished" not in lines[-1]:
            lines.append(events.readline().decode())
            check(lines[-1], "the stream has ended:", lines)
        check(json.loads(events.readline().decode().removeprefix("data: ")) == finished[0], owner, lines)
        stream.close()
        waiting.close()
    ask.write(OWNERS)


def test_contest(ask, file):
    """A student learns the verdict of own kernels and nothing of others, whatever happens to the service meanwhile."""
    sent = {name: {"problem": SLUG, "candidate": {"name": f"{name}.cu", "source": CANDIDATES[name]}} for name in ("right", "wrong", "crashes")}
    check([each["slug"] for each in ask("ann", "GET", "/v1/problems")[1]["problems"]] == [SLUG])
    check({each["role"] for each in ask("ann", "GET", f"/v1/problems/{SLUG}")[1]["cases"]} == {"sample", "bench"})
    check("test" in {each["role"] for each in ask("teacher", "GET", f"/v1/problems/{SLUG}")[1]["cases"]})
    for path in ("/v1/problems/relu", "/v1/problems/relu/board"):
        check(ask("ann", "GET", path)[0] == 404 and ask("teacher", "GET", path)[0] == 200, path)
    hidden = {each["name"] for each in ask("teacher", "GET", f"/v1/problems/{SLUG}")[1]["cases"] if each["role"] == "test"}
    for name, verdict in (("wrong", "wrong_answer"), ("crashes", "runtime_error")):
        with ask.events("ann") as events:
            view = ask.graded("ann", {**sent[name], "feedback": "full"})
            events.append(view["id"])
        check((view["verdict"], view["feedback"], view["untrusted_reason"]) == (verdict, "verdict", ""), view)
        told = json.dumps(view) + "".join(events)
        check(not any(f"'{each}'" in told for each in hidden) and "hidden-" not in told, told)
        for each in ("agent", "record"):
            check(ask("ann", "GET", f"/v1/grades/{view['id']}?view={each}")[0] == 404, each)
            check(ask("teacher", "GET", f"/v1/grades/{view['id']}?view={each}")[0] == 200, each)
    job = ask("ann", "POST", "/v1/grades", sent["right"])[1]["id"]
    ask.service.kill()  # before or while it is graded
    ask.service.start()
    view = ask("ann", "GET", f"/v1/grades/{job}?wait=50")[1]
    check(view["verdict"] == "accepted", view)
    ask.service.kill()
    ask.service.start()
    mine = ask("ann", "GET", "/v1/grades")[1]["grades"]
    check([each["grade"]["verdict"] for each in mine] == ["accepted", "runtime_error", "wrong_answer"], mine)
    for owner, shown in (("ann", True), ("teacher", True), ("bob", False)):
        status, answer = ask(owner, "GET", f"/v1/grades/{job}?view=source")
        check(status == (200 if shown else 404) and (not shown or answer["source"] == CANDIDATES["right"]), owner, answer)
        waited = ask(owner, "POST", "/v1/wait", {"ids": [job], "view": "source"})[1]
        check(bool(waited["finished"]) == shown, owner, waited)
        listed = ask(owner, "GET", "/v1/grades?owner=ann")
        check((listed[0] == 200) == shown, owner, listed)
    check(ask("teacher", "DELETE", f"/v1/grades/{job}")[0] == 404)
    check(ask("bob", "GET", "/v1/grades")[1] == {"owner": "bob", "grades": []})
    rows = {owner: ask(owner, "GET", "/v1/standings")[1]["rows"] for owner in ("ann", "bob", "teacher")}
    check([row["owner"] for row in rows["ann"]] == ["ann"] and [row["owner"] for row in rows["bob"]] == ["bob"], rows)
    check((rows["teacher"][0]["owner"], rows["teacher"][0]["solved"], rows["teacher"][0]["cells"][0]["attempts"]) == ("ann", 1, 3), rows)
    check("teacher" not in {row["owner"] for row in rows["teacher"]}, rows)
    status, table = ask("teacher", "GET", "/v1/standings.csv")
    check(status == 200 and "\r\n1,ann,vector-addition,3,accepted," in table and "each thread computes one element" in table, table)
    # The end comes earlier, by the teacher's hand.
    file.write_text(file.read_text().replace("2999", "2002"))
    ask.service.stop()
    ask.service.start()
    status, answer = ask("ann", "POST", "/v1/grades", sent["right"])
    check(status == 403 and "the contest ended at 2002-01-01" in answer["detail"], answer)
    check(len(ask("ann", "GET", "/v1/grades")[1]["grades"]) == 3)


def test_errors_of_contests(program, folder):
    """What is wrong with a contest is said before the service starts."""
    file, tokens = Path(folder, "wrong.md"), Path(folder, "students")
    tokens.touch(0o600)
    tokens.write_text(f"ann {'0' * 64}\n")
    for text, more, said in ((CONTEST.replace("T00:00Z", "", 1), [], f"{file}:3:8: error: start: '2001-01-01' is no time with a zone"),
                             (CONTEST, [], "--contest needs tokens"), (CONTEST, ["--tokens", tokens], "no token is a teacher's")):
        file.write_text(text)
        done = subprocess.run([program, "serve", "--contest", file, *more, "--state", f"{folder}/none", "--device", "emulated"], capture_output=True, text=True, check=False)
        check(done.returncode == 2 and said in done.stderr and "hint:" in done.stderr, done)


def test_log(folder):
    """After all this, the log names no token, nor its hash, nor text of a candidate."""
    text = Path(folder, "log").read_text()
    check("tokens were read again" in text and "former ones stay" in text, text)
    for owner in OWNERS:
        check(f"token of {owner}" not in text and SECRET not in text and hashlib.sha256(f"token of {owner}".encode()).hexdigest() not in text, owner)
    check(MARK not in text and "torch" not in text, text)


def test_page_escapes():
    """The page makes no markup from text."""
    page = "".join((ROOT / "harness/serve" / name).read_text(encoding="utf-8") for name in ("page.html", "formulas.js"))
    check(not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|DOMParser|setHTML", page))


def main():
    program = str(Path(sys.argv[1]).resolve())
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="kgrade-contract-test-") as folder:
        exit_without_boost(program)
        ask = Tokens(program, folder)
        try:
            test_members(ask)
            test_boards(ask, False)
            test_feedback_levels(ask)
            test_words_of_tokens(ask)
            test_expired_tokens(ask)
            test_owners_do_not_see_each_other(ask)
            test_uploads(ask)
            test_candidates_reach_nothing_of_the_service(ask)
            test_environment(ask)
            test_untrusted_text(ask)
            test_changed_tokens(ask)
        finally:
            ask.service.stop()
            print(Path(folder, "log").read_text()[-3000:])
        test_log(folder)
    with tempfile.TemporaryDirectory(prefix="kgrade-contract-test-") as folder:
        ask = Tokens(program, folder, "--board")
        try:
            test_boards(ask, True)
        finally:
            ask.service.stop()
    with tempfile.TemporaryDirectory(prefix="kgrade-contract-test-") as folder:
        test_errors_of_contests(program, folder)
        file = Path(folder, "contest.md")
        file.write_text(CONTEST)
        ask = Tokens(program, folder, "--contest", str(file))
        try:
            test_contest(ask, file)
        finally:
            ask.service.stop()
    with tempfile.TemporaryDirectory(prefix="kgrade-contract-test-") as folder:
        reason = Path(folder, "reason")
        lane = f"exec {sys.executable} {ROOT}/harness/tests/serve/failing_lane.py {program} {reason}"
        ask = Tokens(program, folder, "--lane-command", lane, jobs=None)
        try:
            test_feedback_of_lanes_elsewhere(ask, reason)
            test_open_requests_of_expired_tokens(ask, reason)
        finally:
            ask.service.stop()
    test_page_escapes()


if __name__ == "__main__":
    main()
