"""page_test.py PAGE FOLDER: tests the page of `kgrade serve` in a real browser, with a service that grades nothing.
Screenshots go to FOLDER, or where KGRADE_SCREENSHOTS says. Exit code 77, for a skipped test, if there is no Chromium."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/leaderboard"))
sys.dont_write_bytecode = True

from browser import Browser, find_chromium  # noqa: E402
from fake_service import FakeServer, Service, graded, problem_of  # noqa: E402
from page_formulas import fits_a_phone, shows_formulas  # noqa: E402

SKIPPED = 77
EVIL = "<img src=x onerror=\"window.hit = true\"><script>window.hit = true</script>"
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CARDS = "[...document.querySelectorAll('#{0} article')].map(card => card.innerText)"
FOCUS = "document.activeElement.dataset.do || document.activeElement.id || document.activeElement.innerText"

failures: list[str] = []


def expect(what: str, seen, wanted=True) -> None:
    if seen != wanted:
        failures.append(f"{what}: {seen!r} and not {wanted!r}")


def soon(browser: Browser, what: str, expression: str, patience: float = 15) -> None:
    """Waits until an expression is true."""
    until = time.monotonic() + patience
    while not browser.evaluate(f"Boolean({expression})"):
        if time.monotonic() > until:
            failures.append(f"{what}: not within {patience} s; the page says {browser.evaluate('document.body.innerText')[-800:]!r}")
            return
        time.sleep(0.05)


def text(control: str) -> str:
    return f"document.getElementById('{control}').innerText.replace(/\\n+/g, '\\n')"


def says(browser: Browser, what: str, control: str, words: str) -> None:
    soon(browser, what, f"{text(control)}.includes({json.dumps(words)})")


def visible(control: str) -> str:
    return f"document.getElementById('{control}').checkVisibility()"


def opens(browser: Browser, url: str) -> None:
    """Opens an address afresh, even if only what is behind its # differs."""
    browser.open("about:blank")
    browser.open(url)


def tab_to(browser: Browser, wanted: str, most: int = 60) -> None:
    """Presses Tab until a control, given by id, data-do or text, has the focus."""
    for _ in range(most):
        if browser.evaluate(FOCUS) == wanted:
            return
        browser.press("Tab")
    failures.append(f"Tab does not reach {wanted!r}; it is at {browser.evaluate(FOCUS)!r}")


def write(browser: Browser, control: str, words: str) -> None:
    browser.evaluate(f"document.getElementById('{control}').focus()")
    browser.evaluate(f"document.getElementById('{control}').select()")
    browser.type(words)


def send(browser: Browser, source: str, name: str = "") -> None:
    write(browser, "source", source)
    if name:
        write(browser, "name", name)
    browser.evaluate("document.getElementById('submit').click()")


def lists_problems(browser: Browser, url: str, service: Service) -> None:
    opens(browser, url)
    rows = "document.querySelectorAll('#rows tr').length"
    soon(browser, "a row for each problem", f"{rows} === {len(service.problems)}")
    write(browser, "q", "CONV-2D dilated")
    expect("a search finds by name and family, whatever the case", browser.evaluate(f"{text('rows')}.includes('conv-2d-')"))
    expect("and only what matches", browser.evaluate(f"{rows} < {len(service.problems)}"))
    write(browser, "q", "nothing-like-it")
    says(browser, "a search without a match says so", "rows", "Nothing matches.")
    says(browser, "the queue's length stands on top", "about", "1 lane, 1 idle")


def shows_statements(browser: Browser, url: str, service: Service) -> None:
    service.problems["odd"] = service.problems["softmax"] | {
        "slug": "odd", "title": EVIL, "signature": EVIL,
        "cases": [{"name": "one", "role": "sample", "parameters": {"n": 3, "scale": 0.5}}, {"name": EVIL, "role": "bench", "parameters": {}}],
        "statement": f"# Head {EVIL}\nA **bold** `code <b>` $a_1 \\evil{{b}} * c$\nline\n\n- one\n  more\n- two\n  - deep\n\n1. first\n\n"
                     f"```cpp\nint x; // {EVIL}\n```\n$$\n\\frac{{a}}{{b}}\n$$\n\n| a | b |\n| --- | --- |\n| `x \\| y` | 2 |\n\n"
                     "[safe](https://example.org/) [not](javascript:hit=1)\n\n```\nno end"}
    opens(browser, url + "#problem=odd")
    soon(browser, "the statement", "document.querySelector('#statement pre')")
    shown = "document.getElementById('statement')"
    tags = browser.evaluate(f"[...{shown}.querySelectorAll('*')].map(e => e.localName)")
    expect("a formula is drawn", browser.evaluate(f"{shown}.querySelectorAll('div.math mfrac').length"), 1)
    tags = [tag for tag in tags if tag not in ("math", "mfrac", "mi")]
    expect("only these elements are made", set(tags) <= {"h3", "p", "strong", "code", "span", "ul", "ol", "li", "pre", "div", "table",
                                                         "thead", "tbody", "tr", "th", "td", "br", "a"})
    for name, count in {"h3": 1, "strong": 1, "ul": 2, "ol": 1, "li": 4, "pre": 2, "th": 2, "td": 2, "a": 1}.items():
        expect(f"how many {name}", tags.count(name), count)
    expect("a formula that is not understood stays text", browser.evaluate(f"{shown}.querySelector('.formula').textContent"), "a_1 \\evil{b} * c")
    expect("markup in the title is text", browser.evaluate(text("problem")), EVIL)
    expect("the cases are a table of text", browser.evaluate("[...document.querySelectorAll('#cases td')].map(cell => cell.textContent)"),
           ["one", "sample", "n=3 scale=0.5", EVIL, "bench", ""])
    expect("the signature is text", browser.evaluate("document.getElementById('signature').textContent"), EVIL)
    del service.problems["odd"]
    opens(browser, url + "#problem=no-such")
    says(browser, "an unknown problem is named as one", "problem-about", "There is no problem of this name.")
    expect("and nothing else is shown of it", [browser.evaluate(visible(each)) for each in ("send", "statement", "board-part", "to-form")], [False] * 4)
    browser.evaluate("document.querySelector('#problem-about a').click()")
    soon(browser, "a link leads to the problems", visible("list"))
    opens(browser, url + "#problem=no-such")
    says(browser, "from there", "problem-about", "There is no problem")
    browser.evaluate("location.hash = '#problem=softmax'")
    soon(browser, "another problem is whole again", f"{visible('send')} && {visible('statement')} && {visible('board-part')}")


def shows_a_verdict(browser: Browser, url: str, service: Service) -> None:
    service.results = [graded("accepted", cases=20, cases_passed=20, precision="fp32", speedup=1.834, speedup_low=1.812,
                              speedup_high=1.857, against="cudnn"),
                       graded("wrong_answer", EVIL, cases=20, cases_passed=4)]
    service.delay = 1e6  # the job goes on when this test says so
    opens(browser, url + "#problem=softmax")
    send(browser, "```cuda\n__global__ void f() {}\n```")
    says(browser, "a job waits in the queue", "here", "queued, 3 before it, its turn in about 45 s")
    job = list(service.jobs.values())[-1]
    job["state"] = "running"
    says(browser, "then it runs", "here", "measuring case site-2")
    job["state"] = "finished"
    for words in ("accepted", "20 of 20 cases passed", "1.83×", "1.812–1.857 vs cudnn", "NVIDIA H100"):
        says(browser, "the result", "here", words)
    says(browser, "readers of the screen hear it", "news", "mine.md: accepted")
    request = service.requests[-1]
    expect("what was sent", request["body"], {"problem": "softmax", "effort": "quick", "candidate": {
        "name": "mine.md", "source": "```cuda\n__global__ void f() {}\n```"}})
    service.delay = 0.5
    send(browser, "__global__ void f() {}", "second.cu")
    expect("each job has a key of its own", len({each["headers"].get("Idempotency-Key") for each in service.requests}), len(service.requests))
    says(browser, "the reason is shown as text", "here", EVIL)
    # Whatever name a job has is shown as text, even one that a service refuses.
    list(service.jobs.values())[-1]["candidate"] = {"name": EVIL, "source": EVIL}
    opens(browser, url + "#view=jobs")
    says(browser, "the name is shown as text", "jobs", f"softmax: {EVIL}")
    says(browser, "the reason too", "jobs", f"can explain.\n{EVIL}")
    expect("the newest comes first", browser.evaluate(CARDS.format("jobs") + ".map(t => t.includes('wrong_answer'))")[:2], [True, False])
    expect("no markup was made of it", browser.evaluate("document.querySelectorAll('main img, main script').length"), 0)
    expect("nothing of it was run", browser.evaluate("'hit' in window"), False)


def entry(rank: int | None, owner: str, speedup: float | None, **own) -> dict:
    width = 0.03 * speedup if speedup and rank else None
    return {"rank": rank, "owner": owner, "is_own": bool(own), "candidate": own.get("candidate"), "id": own.get("id"), "speedup": speedup,
            "speedup_low": width and speedup - width, "speedup_high": width and speedup + width,
            "sent_at": "2026-01-31T12:00:00Z" if own else None}


def board_of(service: Service) -> None:
    job = service.add(graded("accepted", cases=20, cases_passed=20))
    service.shows_others = True
    service.boards = [{"name": "NVIDIA H100 80GB HBM3, float32, fp32", "entries": [
        entry(1, "bob", 2.5), entry(2, "ann", 1.84, candidate="mine.cu", id=job), entry(2, "carol-with-a-long-name_" + "x" * 40, 1.82),
        entry(None, "ann", 1.2, candidate="a_long_name_" * 8 + ".cu", id=job)]}]


def shows_the_board(browser: Browser, url: str, service: Service) -> None:
    opens(browser, url + "#problem=softmax")
    says(browser, "a board without results", "board-about", "No accepted result yet. Your best ones will be here.")
    board_of(service)
    service.boards[0]["entries"].append(entry(4, EVIL, 0.5))
    service.boards[0]["name"] += EVIL
    send(browser, "__global__ void f() {}", "mine.cu")
    says(browser, "after a grade the board is asked for again", "boards", "NVIDIA H100 80GB HBM3, float32, fp32")
    says(browser, "what it shows", "board-about", "the best of each other owner. A speedup is over the reference. Equal ranks: the intervals overlap")
    rows = browser.evaluate("[...document.querySelectorAll('#boards tbody tr')].map(row => [...row.children].map(cell => cell.textContent))")
    expect("the first row", rows[0], ["1", "bob", "", "2.50×\u00a02.425–2.575".replace("\u00a0", " "), ""])
    expect("one's own row", rows[1], ["2", "ann", "mine.cu", "1.84× 1.785–1.895", "2026-01-31 12:00 UTC"])
    expect("without an interval", rows[3][::3], ["–", "1.20× no interval"])
    expect("names are text", (rows[4][1], browser.evaluate("document.querySelectorAll('#boards img, #boards script').length"),
                              browser.evaluate("'hit' in window")), (EVIL, 0, False))
    tab_to(browser, "mine.cu")
    browser.press("Enter")
    soon(browser, "a name leads to its job", "location.hash.startsWith('#job=')")
    service.boards = [{"name": "emulated, float32, fp32", "entries": [entry(None, "ann", None, candidate="mine.cu", id="g_1")]}]
    opens(browser, url + "#problem=relu")
    says(browser, "without a GPU", "boards", "no speed")
    says(browser, "it says so", "board-about", "Without a GPU there is no speed, so nothing is ranked")
    service.boards, service.shows_others = [], False


def links_to_a_job(browser: Browser, url: str, service: Service) -> None:
    job = service.add(graded("compile_error", "error: x is undefined", cases=20, cases_passed=0))
    service.records[job] = '{"seed":18446744073709551615,"name":"<img src=x>","of":[{},[1,"a\\"{"]]}'
    opens(browser, f"{url}#job={job}")
    says(browser, "a job that this browser did not send", "jobs", "error: x is undefined")
    soon(browser, "it has the focus", f"document.activeElement.dataset.id === '{job}'")
    tab_to(browser, "record")
    browser.press("Enter")
    says(browser, "the record is text, with all digits", "jobs", '"seed": 18446744073709551615,\n  "name": "<img src=x>"')
    expect("it says the same", browser.evaluate("JSON.stringify(JSON.parse(document.querySelector('.record').textContent).of)"), '[{},[1,"a\\"{"]]')
    opens(browser, f"{url}#job=g_unknown")
    says(browser, "an unknown job is named as one", "jobs", "The service knows no such job of yours.")


def explains_a_failure(browser: Browser, url: str, service: Service) -> None:
    opens(browser, url)
    wrong = graded("wrong_answer", "case 'tiny': 7 of 7 elements wrong", cases=15, cases_passed=11, precision="none")
    job = service.add(wrong | {"device": {"name": "emulated device on 2 CPU cores", "uuid": None}})
    service.agents[job] = {
        "cases": {"run": 15, "all": 22}, "failed_cases_have": "n not divisible by 2", "next": "fix what `untrusted_reason` says",
        "first_wrong": {"case": "one", "tensor": "output" + EVIL, "wrong": 2, "elements": 1500, "never_written": 1, "added_to": 0, "pattern": "",
                        "index": [0, 3], "expected": "-1.86", "got": "0.5"}}
    opens(browser, f"{url}#job={job}")
    for words in ("softmax: sent.cu", "11 of 15 cases passed", "An answer differs from the expected one by more than rounding can explain.", "kept until 2026-01-31 12:00 UTC", "Failed\n4 of 15 cases that ran",
                  "Failed cases have\nn not divisible by 2", f"Smallest failed case\none: output{EVIL}, 2 of 1,500 elements wrong, 1 never written",
                  f"Element\noutput{EVIL}[0, 3] is 0.5, expected -1.86", "Next\nwork out the element above by hand"):
        says(browser, "the card of a failure", "jobs", words)
    service.agents[job]["first_wrong"]["got"] = "never written"
    service.agents[job]["next"] = "run `kgrade check softmax sent.cu`"
    opens(browser, f"{url}#job={job}")
    says(browser, "an element without a value", "jobs", "[0, 3] was never written, expected -1.86")
    shown = browser.evaluate(text("jobs"))
    expect("no command is named, as the reader has no file", "kgrade check" in shown, False)
    expect("no class is shown for it", "none" in shown, False)
    for result, wanted, unwanted in (
            (graded("compile_error", "error: x", cases=0, cases_passed=0, precision="none"), "compile_error", "cases passed"),
            (wrong | {"feedback": "verdict", "figures": dict.fromkeys(wrong["figures"])}, "compare the kernel with the statement", "what this level"),
            ({"outcome": "failed", "fault": "machine", "retryable": True, "untrusted_reason": "PyTorch is not installed"},
             "Send the kernel again. If it ends in the same way, the operator of the service has to fix the machine.", "undefined"),
            ({"outcome": "failed", "fault": "service", "retryable": True}, "Send the kernel again.", "operator")):
        job = service.add(result)
        if result.get("feedback") == "verdict":
            service.agents[job] = {"next": "what this level does not show"}
        opens(browser, f"{url}#job={job}")
        says(browser, "the card", "jobs", wanted)
        time.sleep(0.3)
        expect(f"{wanted}: without {unwanted}", unwanted in browser.evaluate(CARDS.format("jobs"))[0], False)


def keeps_drafts_apart(browser: Browser, url: str, service: Service) -> None:
    signature = 'extern "C" void solution(const float* input, const uint8_t* kernel, float* output, size_t number_of_rows);'
    service.problems["typed"] = service.problems["softmax"] | {"slug": "typed", "signature": signature, "dtypes": ["float32", "float16", "bfloat16"]}
    values = "['source', 'name'].map(id => document.getElementById(id).value)"
    opens(browser, url + "#problem=softmax")
    browser.evaluate("document.getElementById('source').value = ''")  # what earlier tests have left in the tab
    opens(browser, url + "#problem=softmax")
    says(browser, "a problem", "statement", "Softmax")
    write(browser, "source", "import torch\n")
    expect("the name fits", browser.evaluate(values), ["import torch\n", "mine.py"])
    expect("a problem of one type says nothing of types", browser.evaluate(visible("dtype-hint")), False)
    browser.evaluate("location.hash = '#problem=typed'")
    says(browser, "one with types says how to choose one", "dtype-hint",
         "The type is float32 unless the first line names another: // kgrade: dtype float16 or // kgrade: dtype bfloat16.")
    expect("another problem has a form of its own", browser.evaluate(values), ["", "mine.cu"])
    expect("a long signature has a line for each parameter", browser.evaluate("document.getElementById('signature').textContent"),
           signature.replace("(", "(\n    ").replace(", ", ",\n    "))
    browser.evaluate("document.getElementById('starter').click()")
    source = browser.evaluate("document.getElementById('source').value")
    for part in ("#include <cuda_runtime.h>\n#include <cstdint>\n", "__global__ void my_kernel(\n    const float* input,", 'extern "C" void solution(\n',
                 "my_kernel<<<1, 256>>>(input, kernel, output, number_of_rows);"):
        expect(f"the text to start from has {part!r}", part in source)
    expect("the button is for an empty form", browser.evaluate(visible("starter")), False)
    write(browser, "name", "own.cu")
    browser.evaluate("location.hash = '#problem=softmax'")
    says(browser, "the first problem", "problem-about", "softmax")
    expect("has its draft", browser.evaluate(values), ["import torch\n", "mine.py"])
    browser.evaluate("location.hash = '#view=queue'")
    browser.evaluate("location.hash = '#problem=typed'")
    says(browser, "the other problem", "problem-about", "typed")
    expect("has its own", browser.evaluate(values), [source, "own.cu"])
    write(browser, "source", "import torch\n")
    expect("a name that was typed stays", browser.evaluate(values)[1], "own.cu")
    del service.problems["typed"]


def works_by_keyboard(browser: Browser, url: str, service: Service) -> None:
    service.jobs.clear()
    service.results = [graded("time_limit", "case rows took longer than 2 s", precision="fp32")]
    opens(browser, url)
    soon(browser, "the problems", "document.querySelectorAll('#rows a').length")
    browser.press("Tab")
    expect("the first stop skips to the content", browser.evaluate(FOCUS), "skip")
    tab_to(browser, "q")
    browser.type("softmax")
    browser.press("Enter")
    expect("Enter goes to the first that is found", browser.evaluate("document.activeElement.hash").startswith("#problem="))
    wanted = browser.evaluate("document.activeElement.hash")
    browser.press("Enter")
    soon(browser, "it opens, and has the focus", f"location.hash === '{wanted}' && document.activeElement.id === 'problem'")
    tab_to(browser, "submit")
    browser.press("Enter")
    soon(browser, "without a text the form says so, and takes the focus there", "document.activeElement.id === 'source'")
    says(browser, "in words", "send-trouble", "There is no text.")
    browser.type("import torch\ndef solution(input): pass\n")
    browser.press("Tab")
    expect("Tab leaves the text", browser.evaluate(FOCUS) != "source")
    tab_to(browser, "name")
    expect("the name fits the text", browser.evaluate("document.activeElement.value"), "mine.py")
    tab_to(browser, "submit")
    browser.press(" ")
    says(browser, "the verdict", "here", "time_limit\nIt took longer than it may.\ncase rows took longer than 2 s")
    soon(browser, "the focus has stayed", "document.activeElement.id === 'submit'")
    says(browser, "the summary", "here", "Next")
    tab_to(browser, "meaning fp32")
    browser.press("Enter")
    says(browser, "a press on a class explains it", "here", "the errors are as small as those of sums in 32-bit floating point")
    tab_to(browser, "source")
    browser.press("Enter")
    says(browser, "what was sent can be read again", "here", "def solution(input): pass")
    expect("with the numbers of its lines", browser.evaluate("document.querySelector('#here .lines').textContent"), "1\n2\n3")
    service.results, service.delay = [graded("accepted")], 60
    tab_to(browser, "submit")
    browser.press("Enter")
    soon(browser, "it can be cancelled", "document.querySelector('#here [data-do=cancel]')")
    tab_to(browser, "cancel")
    browser.press("Enter")
    says(browser, "it is cancelled", "here", "cancelled")
    expect("the focus stays on it", browser.evaluate("document.activeElement.closest('article') !== null"))
    service.delay = 0.5


def tells_what_is_wrong(browser: Browser, url: str, service: Service) -> None:
    busy = {"title": "Too many jobs of this owner", "detail": f"9 jobs are queued already {EVIL}"}
    service.refusals = [(429, busy, {"Retry-After": "10"}), (400, {"title": "The request is wrong", "detail": "x"}, {})]
    opens(browser, url + "#problem=softmax")
    send(browser, "x", "not a name")
    says(browser, "a wrong name", "send-trouble", "The file name must have")
    expect("nothing was sent for it", len(service.refusals), 2)
    send(browser, "x", "x.cu")
    says(browser, "a full queue", "send-trouble", f"{busy['title']}: {busy['detail']}. Try again in 10 s.")
    browser.evaluate("document.getElementById('submit').click()")
    says(browser, "a refusal", "send-trouble", "The request is wrong: x. Change what is wrong, then send it again.")
    send(browser, "y", "x.cu")
    says(browser, "a good one takes the trouble away", "send-state", "The service has it.")
    expect("the trouble is away", browser.evaluate(visible("send-trouble")), False)
    first, again, other = service.keys[-3:]
    expect("the same request sent again has the same key, another one has not", (first == again, again == other), (True, False))


def reads_a_file(browser: Browser, url: str, folder: Path) -> None:
    file = folder / "my answer (2).md"
    file.write_text("```cuda\nvoid f();\n```\n", encoding="utf-8")
    opens(browser, url + "#problem=softmax")
    field = browser.call("Runtime.evaluate", expression="document.getElementById('file')")["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=[str(file)], objectId=field)
    soon(browser, "a file's text is in the form", "document.getElementById('source').value.includes('void f();')")
    expect("its name is made one that the service takes", browser.evaluate("document.getElementById('name').value"), "my_answer_2_.md")
    write(browser, "source", "__global__ void f() {}")
    expect("its end follows another text", browser.evaluate("document.getElementById('name').value"), "my_answer_2_.cu")


def asks_for_a_token(browser: Browser, url: str, service: Service) -> None:
    opens(browser, url + "#problem=softmax")
    says(browser, "without a need", "problem-about", "softmax")
    expect("there is no field for a token", browser.evaluate(visible("token")), False)
    service.token = "the-token"
    opens(browser, url + "#problem=softmax")
    soon(browser, "after a 401 there is one", visible("token"))
    soon(browser, "it has the focus", "document.activeElement.id === 'token-text'")
    says(browser, "nothing seems to load", "board-about", "The leaderboard appears when you have given a token.")
    browser.evaluate("location.hash = ''")
    says(browser, "the list of problems neither", "count", "The problems appear when you have given a token.")
    browser.evaluate("location.hash = '#problem=softmax'")
    says(browser, "nor the statement", "problem-about", "The statement appears when you have given a token.")
    browser.evaluate("document.getElementById('token-text').focus()")
    browser.type("wrong")
    browser.press("Enter")
    says(browser, "a wrong token", "token-why", "The service does not know this token.")
    expect("what is meant for programs is not shown", "Bearer" in browser.evaluate("document.body.innerText"), False)
    browser.type("the-token")
    browser.press("Enter")
    says(browser, "with the token the statement comes", "statement", "Softmax along one axis")
    expect("the field is gone", browser.evaluate(visible("token")), False)
    says(browser, "the queue too", "about", "1 lane")
    expect("the token is kept for the tab", browser.evaluate("sessionStorage.getItem('kgrade.token')"), "the-token")
    expect("and nowhere else", browser.evaluate("JSON.stringify(localStorage).includes('the-token')"), False)
    send(browser, "x", "x.cu")
    says(browser, "a job with the token", "here", "x.cu")
    service.token = ""


def survives_a_stop(browser: Browser, service: Service) -> None:
    with FakeServer(service) as server:
        opens(browser, server.url + "#view=queue")
        says(browser, "the lanes", "lanes", "NVIDIA H100 80GB HBM3")
        expect("what the page complained about", browser.complaints(), [])
        address = server.server.server_address
    says(browser, "without a service", "trouble", "The service does not answer.")
    with FakeServer(service, address[1]):
        soon(browser, "when it is back, the trouble is over", f"!{visible('trouble')}", 30)


def contest_of(service: Service) -> None:
    """The reader is a student in a contest."""
    cell = {"problem": "softmax", "attempts": 3, "solved_at": "2026-11-30T09:17:00Z", "speedup": 1.83, "speedup_low": 1.8, "speedup_high": 1.86, "id": "g_1"}
    none = cell | {"problem": "relu", "attempts": 0, "solved_at": None, "speedup": None, "speedup_low": None, "speedup_high": None, "id": None}
    row = {"rank": 1, "owner": "bob", "is_own": False, "solved": 2, "speedup": 2.1, "last_solved_at": "2026-11-30T09:40:00Z",
           "cells": [cell | {"id": None}, cell | {"problem": "relu", "id": None, "attempts": 1}]}
    service.standings["rows"] = [row, row | {"rank": 2, "owner": "ann", "is_own": True, "solved": 1, "speedup": 1.83, "cells": [cell, none]},
                                 row | {"rank": None, "owner": EVIL, "solved": 0, "speedup": None, "cells": [none | {"problem": "softmax", "attempts": 2}, none]}]
    service.me = {"owner": "ann", "has_token": True, "words": [], "feedback": "full", "contest": {
        "title": "Kernels, week 3", "text": f"Ask in the room. {EVIL}", "state": "running", "start": "2026-11-30T09:00:00Z", "end": "2026-11-30T11:00:00Z",
        "now": "2026-11-30T10:15:00Z", "effort": "quick", "problems": [{"slug": slug, "title": slug.title(), "feedback": "verdict",
                                                                       "hides_cases": True, "hidden": 4} for slug in ("softmax", "relu")]}}


def holds_a_contest(browser: Browser, url: str, service: Service) -> None:
    contest_of(service)
    opens(browser, url)
    soon(browser, "who comes without an address sees the contest", "location.hash === '#view=contest'")
    says(browser, "its clock", "contest-clock", "It ends in 0:4")
    for words in ("bob", "Solved", "1 of 2", "solved 17 min", "3 tries", "not solved", EVIL):
        says(browser, "the standings", "standings", words)
    expect("nothing of it is markup", [browser.evaluate("document.querySelectorAll('main img, main script').length"), browser.evaluate("'hit' in window")], [0, False])
    says(browser, "one's own state", "contest-rows", "Softmax\tafter 17 min\t3 times\t1.83×")
    expect("who one is", browser.evaluate(text("who")), "You are ann. Use another token")
    expect("no student downloads all", browser.evaluate(visible("csv")), False)
    browser.evaluate("location.hash = '#problem=softmax'")
    says(browser, "a problem", "statement", "Softmax")
    expect("the contest decides the effort", browser.evaluate(visible("effort")), False)
    write(browser, "source", "a\nb\nc")
    expect("lines have numbers", browser.evaluate("document.getElementById('lines').textContent"), "1\n2\n3")
    write(browser, "name", "week3.cu")
    browser.evaluate("document.getElementById('submit').click()")
    says(browser, "a grade", "here", "week3.cu")
    expect("no effort was sent", "effort" in service.requests[-1]["body"], False)
    browser.evaluate("location.reload()")
    says(browser, "after a reload the grade is there", "here", "week3.cu")
    expect("and the text too", browser.evaluate("document.getElementById('source').value"), "a\nb\nc")
    service.me["contest"] |= {"state": "over", "now": "2026-11-30T11:00:05Z"}
    browser.evaluate("location.reload()")
    says(browser, "after the end", "send-state", "The contest is over")
    expect("nothing can be sent", browser.evaluate("document.getElementById('submit').disabled"))
    service.me = {**service.me, "words": ["teacher"], "owner": "teacher"}
    opens(browser, url + "#view=contest")
    soon(browser, "a teacher can download all", visible("csv"))
    says(browser, "the standings of all", "standings", "bob")
    expect("and see what a student has sent", browser.evaluate("document.querySelector('#standings tbody a').getAttribute('href')"), "#view=jobs&owner=bob")
    expect("what the page complained about", browser.complaints(), [])
    service.me = {"owner": "ann", "has_token": False, "words": ["teacher"], "feedback": "full", "contest": None}


def looks_right(browser: Browser, url: str, service: Service, folder: Path) -> None:
    service.lanes += [{"device": "emulated", "state": "busy", "since_s": 8.3, "problem": "softmax", "job": "g_1", "doing": "measuring"}]
    ids = [service.add(graded("wrong_answer", "element [3, 17] is 0.124 and not 0.0621 " + "x" * 200, cases=20, cases_passed=4)),
           service.add(graded("accepted", cases=20, cases_passed=20, speedup=1.8, speedup_low=1.7, speedup_high=1.9, against="reference")),
           service.add({"outcome": "failed", "fault": "machine", "retryable": True, "untrusted_reason": "no space is left"})]
    for each in ids:
        service.jobs[each]["candidate"]["name"] = "a_long_name_" * 8 + ".cu"
    contest_of(service)
    board_of(service)
    for scheme in ("light", "dark"):
        browser.colours(scheme)
        for width in (1280, 390):
            browser.resize(width, 900, phone=width < 500)
            opens(browser, url)
            for name, place in {"problems": "#", "contest": "#view=contest", "problem": "#problem=softmax", "jobs": f"#job={ids[0]}", "queue": "#view=queue"}.items():
                opens(browser, url + place)
                soon(browser, f"{name} is filled", {"problems": "document.querySelector('#rows a')", "contest": f"{text('standings')}.includes('bob')", "problem": "document.querySelector('#statement p') && document.querySelector('#boards td')",
                     "jobs": f"{text('jobs')}.includes('no verdict')", "queue": f"{text('lanes')}.includes('emulated')"}[name])
                expect(f"nothing sticks out of {name} at {width} pixels", browser.evaluate(WIDTH), 0)
                browser.screenshot(folder / f"serve-{name}-{width}-{scheme}.png")
                if name == "problem":
                    browser.evaluate("document.getElementById('board-part').scrollIntoView({behavior: 'instant'})")
                    browser.screenshot(folder / f"serve-board-{width}-{scheme}.png")
                expect(f"{name}: what the page complained about", browser.complaints(), [])
                expect(f"{name}: what it asked others for", [each for each in browser.requests() if not each.startswith(url)], [])


def main(page: str, folder: str) -> int:
    program = find_chromium()
    if program is None:
        print("skipped: there is no Chromium\n  remedy: tools/setup.sh --all-tests, or KGRADE_CHROMIUM=<program>")
        return SKIPPED
    files = [file for file in sorted((ROOT / "problems").glob("*.md")) if file.stem != "README"]
    service = Service(Path(page), {file.stem: problem_of(file) for file in files})
    with FakeServer(service) as server, Browser(program) as browser:
        browser.resize(1280, 900)
        lists_problems(browser, server.url, service)
        shows_statements(browser, server.url, service)
        shows_formulas(browser, server.url, service, expect)
        fits_a_phone(browser, server.url, service, soon, expect)
        shows_a_verdict(browser, server.url, service)
        shows_the_board(browser, server.url, service)
        expect("what the page complained about", browser.complaints(), [])
        links_to_a_job(browser, server.url, service)
        explains_a_failure(browser, server.url, service)
        keeps_drafts_apart(browser, server.url, service)
        works_by_keyboard(browser, server.url, service)
        tells_what_is_wrong(browser, server.url, service)
        with tempfile.TemporaryDirectory() as folder_of_file:
            reads_a_file(browser, server.url, Path(folder_of_file))
        asks_for_a_token(browser, server.url, service)
        holds_a_contest(browser, server.url, service)
        looks_right(browser, server.url, service, Path(os.environ.get("KGRADE_SCREENSHOTS", folder)))
        survives_a_stop(browser, service)
    print("\n".join(failures) or "the page does what it should")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
