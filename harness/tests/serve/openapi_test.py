#!/usr/bin/env python3
"""Tests that harness/serve/openapi.json says what the service does: its paths, its answers, and what it accepts.

    openapi_test.py KGRADE [--jsonschema]

The real service answers every operation of the document, with every status that a test can cause. It accepts exactly
the values that the document allows. --jsonschema also checks the document's schemas, and every answer, with the package
jsonschema.
"""

import argparse
import hashlib
import json
import os
import re
import tempfile
import urllib.parse
from pathlib import Path

from json_schema import Schemas, different, values_for
from large_bodies import test_too_large
from running_service import CANDIDATES, ROOT, SLUG, Service, UnixConnection, check, exit_without_boost, request

DOCUMENT = ROOT / "harness/serve/openapi.json"
RECORD = "record.schema.json"
METHODS = ("get", "post", "put", "patch", "delete")
# Each with its rights. The last ones fill the queue.
OWNERS = {"ann": "seeds problems", "bob": "feedback=verdict", "node": "problems", "teacher": "teacher", **{f"owner{i}": "" for i in range(5)}}


class Description(Schemas):
    """The document, and the record's schema to which it refers."""

    def __init__(self):
        self.document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
        record = json.loads((ROOT / "results" / RECORD).read_text(encoding="utf-8"))
        super().__init__({"openapi": self.document, RECORD: record})
        self.second = None  # another check of the same

    def whole(self, part):
        """The part that a reference means. Members beside the reference are left out."""
        return self.resolve(part["$ref"], "openapi")[0] if "$ref" in part else part

    def schema(self, name):
        return self.document["components"]["schemas"][name]

    def wrong(self, value, schema):
        found = self.errors(value, schema, "openapi")
        if self.second:
            check(bool(found) != self.second(value, schema), "jsonschema disagrees:", found, str(value)[:500])
        return found

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    shared = [self.whole(each) for each in item.get("parameters", [])]
                    yield method, path, item[method], shared + [self.whole(each) for each in item[method].get("parameters", [])]

    def use_jsonschema(self):
        import jsonschema  # pylint: disable=import-outside-toplevel
        import referencing.jsonschema  # pylint: disable=import-outside-toplevel

        def adapted(part, key=""):
            """References name their document. In Python, $ would also match before a line break."""
            if isinstance(part, dict):
                return {name: adapted(each, name) for name, each in part.items()}
            if isinstance(part, list):
                return [adapted(each) for each in part]
            if key == "$ref":
                return f"file:///{part}" if part[0] != "#" else f"file:///openapi{part}"
            return part.replace("$", r"\Z") if key == "pattern" else part

        dialect = referencing.jsonschema.DRAFT202012
        # The references of the record's schema stay in it.
        registry = referencing.Registry().with_resources([
            ("file:///openapi", dialect.create_resource(adapted(self.document))),
            (f"file:///{RECORD}", dialect.create_resource(self.documents[RECORD]))])
        for schema in self.document["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)
        self.second = lambda value, schema: jsonschema.Draft202012Validator(
            adapted(schema), registry=registry).is_valid(value)


class Caller:
    """Calls operations of the document, and checks that each answer is in it."""

    def __init__(self, description, service):
        self.description, self.service = description, service
        self.operations = {(method, path): operation for method, path, operation, _ in description.operations()}
        self.seen = set()

    def __call__(self, method, path, body=None, query="", owner="ann", headers=(), **values):
        """The status and the content of the answer."""
        target = re.sub(r"\{(\w+)\}", lambda name: urllib.parse.quote(values[name[1]]), path)
        target += "?" + query if query else ""
        sent = {"Authorization": f"Bearer token of {owner}"} if owner else {}
        text = json.dumps(body) if isinstance(body, (dict, list)) else body
        connection = UnixConnection(self.service.socket, 120)
        connection.request(method.upper(), target, text, {**sent, **dict(headers)})
        answer = connection.getresponse()
        content = beginning_of(answer)
        connection.close()
        return self.checked(method, path, answer, content)

    def checked(self, method, path, answer, content):
        what = f"{method} {path} {answer.status}"
        responses = self.operations[method, path]["responses"]
        check(str(answer.status) in responses, "not documented:", what, content)
        self.seen.add((method, path, str(answer.status)))
        response = self.description.whole(responses[str(answer.status)])
        media = answer.getheader("Content-Type").split(";")[0]
        check(media in response["content"], "not documented:", what, media)
        value = json.loads(content) if "json" in media else content.decode()
        wrong = self.description.wrong(value, response["content"][media]["schema"])
        check(not wrong, what, wrong)
        if media == "application/problem+json":
            check(value["status"] == answer.status, what, value)
        documented = {name: self.description.whole(header) for name, header in response.get("headers", {}).items()}
        for name in {"Retry-After", "WWW-Authenticate", *documented}:
            text = answer.getheader(name)
            check((text is not None) == (name in documented), what, name, text)
            if text is not None:
                number = int(text) if text.isdecimal() else text
                check(not self.description.wrong(number, documented[name]["schema"]), what, name, text)
        return answer.status, value


def test_document(description):
    """The document's parts fit together."""
    names = [operation["operationId"] for _, _, operation, _ in description.operations()]
    check(len(set(names)) == len(names), names)
    used = set(re.findall(r'"#/components/(\w+/\w+)"', DOCUMENT.read_text(encoding="utf-8")))
    there = {f"{kind}/{name}" for kind, parts in description.document["components"].items() for name in parts}
    check(there - used == {"securitySchemes/token"} and used <= there, used ^ there)
    for method, path, operation, parameters in description.operations():
        in_path = {each["name"] for each in parameters if each["in"] == "path" and each["required"] is True}
        check(in_path == set(re.findall(r"\{(\w+)\}", path)), path, in_path)
        needs_token = operation.get("security", description.document["security"]) != []
        check(needs_token == ("401" in operation["responses"]), method, path, "401")
        check(("413" in operation["responses"]) == (method in ("post", "put")), method, path, "413")


def test_sources(description):
    """The document has what docs/service.md has."""
    text = (ROOT / "docs/service.md").read_text(encoding="utf-8")
    table = text[text.index("| method, path | does |"):].split("\n\n")[0]
    rows = set(re.findall(r"`([A-Z]+) (/\S*)`", table))
    written = {(method.upper(), re.sub(r"\{(\w+)\}", lambda name: name[1].upper(), path))
               for method, path, _, _ in description.operations()}
    check(rows == written - {("GET", "/")}, rows ^ written)

    table = text[text.index("| member | meaning |"):].split("\n\n")[0]
    members = {name for row in table.splitlines()[2:] for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}
    documented = set(description.schema("Request")["properties"])
    check(members == documented - {"candidate"} | {"candidate.headers"}, members ^ documented)
    check(set(description.schema("Request")["required"]) == {"problem", "candidate"})
    example = json.loads(re.search(r'^\{"schema": "kgrade-grade".*?^```', text, re.S | re.M)[0][:-3])
    check(list(example) == description.schema("Grade")["required"], list(example))
    check(list(example["figures"]) == description.schema("Figures")["required"], list(example["figures"]))
    for name in ("Grade", "Figures", "AgentLine", "Capacity", "ProblemFile", "JobStatus"):
        schema = description.schema(name)
        optional = set(schema["properties"]) - set(schema["required"])
        check(not optional and schema["additionalProperties"] is False, name, optional)


def test_documents(description, call):
    """The document and the record's schema need no token, and are those of the repository."""
    check(call("get", "/v1/openapi.json", owner=None)[1] == description.document)
    check(call("get", f"/v1/{RECORD}", owner=None)[1] == description.documents[RECORD])
    for method, path, operation, _ in description.operations():
        if operation.get("security") == []:
            check(call(method, path, owner=None)[0] == 200)
        else:
            for owner in (None, "nobody"):
                check(call(method, path, owner=owner, id="g_1", problem=SLUG)[0] == 401, path)


def test_methods(description, service):
    """What is not in the document does not exist, and HEAD is GET without a body. A path says which methods it takes."""
    token = {"Authorization": "Bearer token of ann"}
    documented = {(method, path) for method, path, _, _ in description.operations()}
    for path in description.document["paths"]:
        target = path.replace("{id}", "g_1").replace("{problem}", SLUG)
        for method in METHODS:
            if (method, path) not in documented:
                status, allow = allowed(service, method.upper(), target, token)
                taken = {each for each, other in documented if other == path}
                taken |= {"head"} if "get" in taken else set()
                check(status == 405 and set(allow.lower().split(", ")) == taken, method, path, status, allow)
        if ("get", path) in documented:
            answers = [raw(service, method, target, token) for method in ("GET", "HEAD")]
            check(answers[0][0] == answers[1][0] and answers[0][1] == answers[1][1] and answers[1][2] == b"", path)
    for path in ("/v1", "/v1/", "/v1/grades/", "/v1/grades/g_1/x", "/v1/grade", "/v1/openapi.yaml", "/v2/grades", "/healthz/"):
        check(service.call("GET", path, None, token)[0] == 404, path)


def allowed(service, method, target, headers):
    """The status and the header `Allow`."""
    connection = UnixConnection(service.socket, 60)
    connection.request(method, target, "{}", headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("Allow") or ""


def test_unknown_parameters(description, call):
    """A parameter that an operation does not have is refused by name, with those that it has."""
    for method, path, operation, parameters in description.operations():
        if "400" not in operation["responses"]:
            check(call(method, path, query="utm_source=x")[0] == 200, path)
            continue
        known = [each["name"] for each in parameters if each["in"] == "query"]
        for query in ("veiw=agent", "wait=0&veiw", "veiw=%20&view=reward"):
            if not any(name + "=" in query for name in ("wait", "view") if name not in known):
                status, answer = call(method, path, query=query, id="g_1", problem=SLUG)
                check(status == 400 and "'veiw'" in answer["detail"], method, path, query, answer)
                check(all(name in answer["detail"] for name in known), known, answer)


def beginning_of(answer):
    """The body, or the first event of a stream."""
    if answer.getheader("Content-Type") != "text/event-stream":
        return answer.read()
    lines = [answer.readline()]
    while lines[-1].strip():
        lines.append(answer.readline())
    return b"".join(lines)


def raw(service, method, target, headers):
    """The status, the media type and the body."""
    connection = UnixConnection(service.socket, 60)
    connection.request(method, target, None, headers)
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Content-Type"), beginning_of(answer) if method == "GET" else answer.read()
    connection.close()
    return found


def test_problems(call, folder):
    for problem in call("get", "/v1/problems")[1]["problems"]:
        check(call("get", "/v1/problems/{problem}", problem=problem["slug"])[1]["title"] == problem["title"])
    check(call("get", "/v1/problems/{problem}", problem="none")[0] == 404)
    board = "/v1/problems/{problem}/board"
    check(call("get", board, problem=SLUG)[1] == {"problem": SLUG, "shows_others": False, "boards": []})
    check(call("get", board, problem="none")[0] == 404)
    for path in ("/v1/standings", "/v1/standings.csv"):
        check(call("get", path)[0] == 404, "without a contest")
    check(call("get", "/v1/me")[1] == {"owner": "ann", "has_token": True, "words": ["seeds", "problems"], "feedback": "full", "contest": None})

    one = "/v1/problems/{problem}"
    file = {"name": "a.py", "source": "import torch\n"}
    digest = hashlib.sha256(file["source"].encode()).hexdigest()
    check(call("put", one, file, problem=digest, owner="bob")[0] == 403)
    for body in ({}, [], {**file, "name": "a.md"}, {**file, "source": "import os\n"}, {**file, "x": 1}):
        check(call("put", one, body, problem=digest)[0] == 400, body)
    check(call("put", one, file, problem=SLUG)[0] == 400)
    Path(folder, "state/problems").rename(f"{folder}/away")
    Path(folder, "state/problems").touch()
    check(call("put", one, file, problem=digest)[0] == 503)
    Path(folder, "state/problems").unlink()
    Path(folder, "away").rename(f"{folder}/state/problems")
    check(call("put", one, file, problem=digest)[0] == 201)
    check(call("put", one, file, problem=digest)[0] == 200)
    check(call("get", one, problem=digest)[1] == {"sha256": digest, **file})
    check(call("post", "/v1/grades", request("right", problem={"sha256": digest}))[0] == 202)
    check(call("delete", one, problem=digest)[0] == 200)
    check(call("delete", one, problem=digest)[0] == 404)
    check(call("post", "/v1/grades", request("right", problem={"sha256": digest}))[0] == 404)


def test_results(call):
    """Jobs of each kind in each view."""
    for name, verdict in (("right", "accepted"), ("wrong", "wrong_answer"), ("not_cuda", "compile_error")):
        key = {"Idempotency-Key": name}
        status, grade = call("post", "/v1/grades", request(name), "wait=50", headers=key)
        check(status == 200 and grade["verdict"] == verdict, grade)
        figures = grade["figures"]
        check(verdict != "accepted" or figures["cases_passed"] == figures["cases"] > 0, "cases for a GPU are counted", figures)
        check(call("post", "/v1/grades", request(name), headers=key) == (200, grade), "a job that has ended")
        check(call("post", "/v1/grades", request("huge"), headers=key)[0] == 422)
        for view, schema in (("", "kgrade-grade"), ("view=reward", "kgrade-grade"), ("view=agent&wait=50", "kgrade-agent"),
                             ("view=record", "kgrade-record"), ("view=source", "kgrade-candidate")):
            check(call("get", "/v1/grades/{id}", query=view, id=grade["id"])[1]["schema"] == schema)
        for view in ("reward", "agent", "record", "source"):
            body = {"ids": [grade["id"], "g_none"], "timeout_s": 50, "until": "all", "view": view}
            status, waited = call("post", "/v1/wait", body)
            check(waited["finished"][0]["schema"].endswith(view.replace("reward", "grade").replace("source", "candidate")) and waited["unknown"] == ["g_none"])
        check(call("delete", "/v1/grades/{id}", id=grade["id"])[0] == 409)
    line = call("get", "/v1/grades/{id}", query="view=agent", id=call("post", "/v1/grades", request("wrong"), headers={
        "Idempotency-Key": "wrong"})[1]["id"])[1]
    check(line["first_wrong"]["index"] is not None, line)
    # No verdict, so neither a record nor a line for agents.
    failed = call("post", "/v1/grades", request("right", dtype="float99"), "wait=50")[1]
    check(failed["fault"] == "problem", failed)
    check(call("get", "/v1/grades/{id}", query="view=record", id=failed["id"])[0] == 404)
    check(call("post", "/v1/wait", {"ids": [failed["id"]], "view": "record"})[1]["finished"] == [failed])
    check(call("get", "/v1/grades/{id}", owner="bob", id=failed["id"])[0] == 404)
    check(call("delete", "/v1/grades/{id}", owner="bob", id=failed["id"])[0] == 404)
    check(call("post", "/v1/grades", request("right", problem="none"))[0] == 404)


def hold_the_lane(call):
    """The only lane is busy afterwards, and every job waits."""
    holding = call("post", "/v1/grades", request("hangs", time_limit_s=86400, run_limit_s=86400))[1]["id"]
    while call("get", "/v1/grades/{id}", query="wait=0.2", id=holding)[1]["state"] != "running":
        pass
    expired = call("post", "/v1/grades", request("right", deadline_s=0.001))[1]["id"]
    check(call("get", "/v1/grades/{id}", query="wait=30", id=expired)[1]["fault"] == "expired")
    queued = call("post", "/v1/grades", request("right"), "wait=0.01")[1]
    check(queued["state"] in ("queued", "building") and queued["position"] == 0, queued)
    pending = call("post", "/v1/wait", {"ids": [holding, queued["id"]]})[1]["pending"]
    check(pending[0]["state"] == "running" and pending[1]["state"] in ("queued", "building"), pending)
    check(call("get", "/v1/grades/{id}", id=queued["id"])[1]["times_s"]["queued"] is None)
    check(call("delete", "/v1/grades/{id}", id=queued["id"])[1]["state"] == "cancelled")
    capacity = call("get", "/v1/capacity")[1]
    check(capacity["lanes"][0]["state"] == "busy" and capacity["running"] == 1, capacity)
    check('kgrade_lanes{state="busy"} 1\n' in call("get", "/metrics")[1])


def is_accepted(description, call, path, body, schema, accepts, owner="ann"):
    """Whether the document allows the body. The service must say the same."""
    wrong = description.wrong(body, description.schema(schema))
    status, answer = call("post", path, body, owner=owner)
    check(status in ((400,) if wrong else accepts), path, status, answer, wrong, str(body)[:300])
    return not wrong


def test_accepted_bodies(description, call):
    """The service accepts a body exactly if the document allows it."""
    accepted = refused = 0

    def compare(*arguments):
        nonlocal accepted, refused
        right = is_accepted(description, call, *arguments)
        accepted, refused = accepted + right, refused + (not right)

    base = {"problem": SLUG, "candidate": {"name": "a.cu", "source": "x"}}
    properties = description.schema("Request")["properties"]
    for name, part in properties.items():
        for value in different(values_for(description, part)):
            compare("/v1/grades", {**base, name: value}, "Request", (200, 202, 404))
    for body in ({}, [], {"problem": SLUG}, {"candidate": base["candidate"]}, {**base, "efort": "quick"}):
        compare("/v1/grades", body, "Request", (202,))
    for schema, path, good in (("Batch", "/v1/grades/batch", {"items": []}), ("Wait", "/v1/wait", {"ids": []})):
        for body in ([], {}, good):
            compare(path, body, schema, (200,))
        for name, part in description.schema(schema)["properties"].items():
            # An item that is wrong is refused alone.
            values = [[], {}, 1, "x", [{}] * 257] if name == "items" else different(values_for(description, part))
            for value in values:
                compare(path, {**good, name: value}, schema, (200,))
    items = [base, {}, {**base, "problem": "none"}]
    answer = call("post", "/v1/grades/batch", {"items": items})[1]["items"]
    check([each.get("error", {}).get("status") for each in answer] == [None, 400, 404], answer)
    check(call("post", "/v1/grades/batch", {"items": [base] * 256})[0] == 200)
    check(accepted > 50 and refused > 100, accepted, refused)
    print(f"{accepted} bodies were accepted and {refused} refused, as the document says")


def test_accepted_parameters(description, call):
    job = call("post", "/v1/grades", request("not_cuda", group="x"))[1]["id"]
    call("delete", "/v1/grades/{id}", id=job)
    schemas = {each["name"]: each["schema"] for _, _, _, parameters in description.operations() for each in parameters}
    for text in ("0", "0.5", "50", "50.5", "51", "-1", "nan", "inf", "x", "5x", "1e1", "1e999"):
        try:
            number = float(text)
        except ValueError:
            number = text
        allowed = number == number and not description.wrong(number, schemas["wait"])
        check((call("get", "/v1/grades/{id}", query=f"wait={text}", id=job)[0] == 200) == allowed, text)
        if not allowed:
            check(call("post", "/v1/grades", request("right"), f"wait={text}")[0] == 400, text)
    for text in ("reward", "agent", "record", "source", "Reward", "x"):
        allowed = not description.wrong(text, schemas["view"])
        check((call("get", "/v1/grades/{id}", query=f"view={text}", id=job)[0] != 400) == allowed, text)
    for text in ("k", "k" * 200, "k" * 201, "a b", "\xe9", "a\tb"):
        allowed = not description.wrong(text, schemas["Idempotency-Key"])
        key = {"Idempotency-Key": text.encode("latin-1")}
        check((call("post", "/v1/grades", request("right"), headers=key)[0] == 202) == allowed, text)
        check((call("post", "/v1/grades/batch", {"items": []}, headers=key)[0] == 200) == allowed, text)
    for text in ("", "0", "17", "9" * 18, "x", "-1", "1 2", "9" * 30):
        allowed = not description.wrong(text, schemas["Last-Event-ID"])
        check((call("get", "/v1/events", headers={"Last-Event-ID": text})[0] == 200) == allowed, text)
    check(call("post", "/v1/grades", request("right", seed=None), owner="bob")[0] == 400, "hidden_seed")
    check(call("post", "/v1/grades", "{")[0] == 400)


def test_full_queue(call):
    """429 for one owner, and then 503 for all."""
    job = {"problem": SLUG, "candidate": {"name": "a.cu", "source": ""}}
    status = 0
    for owner in list(OWNERS)[4:]:
        for _ in range(8):
            answer = call("post", "/v1/grades/batch", {"items": [job] * 256}, owner=owner)[1]["items"]
        check(answer[-1]["error"]["status"] in (429, 503) and answer[-1]["error"]["retry_after"] > 0, answer[-1])
        # Jobs of earlier tests expire meanwhile, and leave their places.
        for _ in range(20):
            status = call("post", "/v1/grades", job, owner=owner)[0]
            if status != 202:
                break
        check(status == 429 or owner == list(OWNERS)[-1], owner, status)
    check(status == 503, "10,000 jobs are queued:", status, call("get", "/v1/capacity")[1])


def test_waiting_lanes(call):
    """A service whose only lane still waits for its machine."""
    check(call("get", "/healthz")[0] == 503)
    job = call("post", "/v1/grades", request("right"))[1]["id"]
    check(call("get", "/v1/grades/{id}", id=job)[1]["state"] == "queued")
    lane = call("get", "/v1/capacity")[1]["lanes"][0]
    check((lane["state"], lane["name"]) == ("starting", None), lane)


def test_contest(call):
    """A service that holds a contest."""
    grades, standings, table = "/v1/grades", "/v1/standings", "/v1/standings.csv"
    check(call("get", "/v1/me")[1]["contest"]["state"] == "running")
    check(call("post", grades, request("right"))[0] == 400, "seeds are the contest's")
    job = {key: request("right")[key] for key in ("problem", "candidate")}
    check(call("post", grades, {**job, "problem": "relu"})[0] == 403)
    check(call("post", f"{grades}/batch", {"items": [{**job, "problem": "relu"}]})[1]["items"][0]["error"]["status"] == 403)
    job = call("post", grades, job)[1]["id"]
    check(call("get", "/v1/grades/{id}", query="view=source", id=job)[1]["source"] == CANDIDATES["right"])
    check(call("get", "/v1/grades/{id}", query="view=source", id=job, owner="bob")[0] == 404)
    check(call("get", grades)[1]["grades"][0]["grade"]["id"] == job)
    check(call("get", grades, query=f"owner=ann&before={job}", owner="teacher")[1] == {"owner": "ann", "grades": []})
    check(call("get", grades, query="owner=ann", owner="bob")[0] == 403)
    for limit, status in (("1", 200), ("200", 200), ("0", 400), ("201", 400), ("x", 400), ("1x", 400)):
        check(call("get", grades, query=f"limit={limit}")[0] == status, limit)
    check(call("get", grades, query="before=g_none")[0] == 404)
    check([row["owner"] for row in call("get", standings)[1]["rows"]] == ["ann"])
    check({"ann", "bob"} < {row["owner"] for row in call("get", standings, owner="teacher")[1]["rows"]})
    check(call("get", table)[0] == 403 and call("get", table, owner="teacher")[0] == 200)
    check([each["slug"] for each in call("get", "/v1/problems")[1]["problems"]] == [SLUG])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgrade")
    parser.add_argument("--jsonschema", action="store_true")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    description = Description()
    if arguments.jsonschema:
        description.use_jsonschema()
    test_document(description)
    test_sources(description)
    with tempfile.TemporaryDirectory(prefix="kgrade-openapi-test-") as folder:
        exit_without_boost(arguments.kgrade)
        tokens = Path(folder, "tokens")
        tokens.touch(0o600)
        tokens.write_text("".join(f"{owner} {hashlib.sha256(f'token of {owner}'.encode()).hexdigest()}"
                                  f" {rights}\n" for owner, rights in OWNERS.items()))
        for each in ("other", "contest"):
            Path(folder, each).mkdir()
        file = Path(folder, "contest.md")
        file.write_text(f"---\ntitle: x\nstart: 2001-01-01T00:00Z\nend: 2999-01-01T00:00Z\nproblems: [{SLUG}]\n---\n")
        service = Service(arguments.kgrade, folder, "--tokens", str(tokens), jobs=1)
        other = Service(arguments.kgrade, f"{folder}/other", "--tokens", str(tokens), jobs=0)
        contest = Service(arguments.kgrade, f"{folder}/contest", "--tokens", str(tokens), "--contest", str(file), jobs=0)
        call = Caller(description, service)
        try:
            test_documents(description, call)
            test_methods(description, service)
            test_unknown_parameters(description, call)
            test_problems(call, folder)
            test_results(call)
            hold_the_lane(call)
            test_accepted_bodies(description, call)
            test_accepted_parameters(description, call)
            test_too_large(description, service, call)
            test_full_queue(call)
            call.service = other
            test_waiting_lanes(call)
            call.service = contest
            test_contest(call)
            documented = {(method, path, status) for method, path, operation, _ in description.operations()
                          for status in operation["responses"]}
            check(documented == call.seen, "not caused:", documented - call.seen)
            print(f"{len(call.seen)} answers of {len(call.operations)} operations were as documented")
        finally:
            service.stop()
            other.stop()
            contest.stop()
            print(Path(folder, "log").read_text()[-3000:])


if __name__ == "__main__":
    main()
