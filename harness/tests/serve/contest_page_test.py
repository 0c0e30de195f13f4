#!/usr/bin/env python3
"""contest_page_test.py KGRADE FOLDER: follows docs/contest.md with a real service, as a teacher and as students in Chromium.

Screenshots go to FOLDER, or where KGRADE_SCREENSHOTS says. Exit code 77, for a skipped test, without Chromium or Boost.
"""

import csv
import datetime
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/leaderboard"))
sys.dont_write_bytecode = True

from browser import Browser, find_chromium  # noqa: E402
from running_service import CANDIDATES, check, exit_without_boost, lines_until_listening  # noqa: E402

MARK = "// by ann\n"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs/contest.md").read_text(encoding="utf-8"), re.S | re.M)


def with_times(contest, start, end):
    """The contest with other times, in seconds from now, in the form of the page."""
    zone = datetime.timezone(datetime.timedelta(hours=1))
    for key, seconds in (("start", start), ("end", end)):
        moment = datetime.datetime.now(zone) + datetime.timedelta(seconds=seconds)
        contest, count = re.subn(rf"^{key}: .*", f"{key}: {moment.isoformat(timespec='seconds')}", contest, flags=re.M)
        check(count == 1, key)
    return contest


class Teacher:
    """Runs the commands of the page in a folder."""

    def __init__(self, program, folder):
        self.process = None
        self.program, self.folder = os.path.abspath(program), folder
        self.environment = {**os.environ, "PATH": f"{Path(self.program).parent}:{os.environ['PATH']}", "TMPDIR": folder}

    def shell(self, commands):
        return subprocess.run(["bash", "-euc", commands], cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True).stdout

    def serve(self, command):
        words = command.split()
        check(words[:2] == ["kgrade", "serve"], command)
        self.process = subprocess.Popen([self.program, *words[1:], "--device", "emulated", "--jobs", "2", "--listen", "127.0.0.1:0", "--problems",
                                         str(ROOT / "problems")], cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
        self.url = lines_until_listening(self.process)[-1].split()[-1].rstrip("/") + "/"
        if "://" not in self.url:
            self.url = f"http://{self.url}"

    def kill(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process.stderr.close()

    def token(self, name):
        return Path(self.folder, f"{name}.token").read_text(encoding="utf-8").strip()


class Page:
    def __init__(self, browser, teacher):
        self.browser, self.teacher = browser, teacher

    def __call__(self, script):
        return self.browser.evaluate(script)

    def says(self, what, control, words, patience=120):
        text = f"document.getElementById('{control}').innerText"
        end = time.monotonic() + patience
        while not self(f"{text}.replace(/\\s+/g, ' ').includes({json.dumps(words)})"):
            check(time.monotonic() < end, f"{what}: {words!r} is not in", self(text), self("document.body.innerText")[:600])
            time.sleep(0.1)

    def opens(self, place=""):
        self.browser.open("about:blank")
        self.browser.open(self.teacher.url + place)

    def use_token(self, name, place=""):
        """With a fresh tab, or by the button for another token."""
        if self("document.getElementById('who').checkVisibility()"):
            self("document.getElementById('other-token').click()")
        else:
            self.says("a token is asked for", "token-why", "The service asks for a token")
        self(f"document.getElementById('token-text').value = {json.dumps(self.teacher.token(name))}")
        self("document.getElementById('token').requestSubmit()")
        self.says("who one is", "who", f"You are {name}")
        if place:
            self(f"location.hash = {json.dumps(place)}")

    def send(self, problem, name, source):
        self(f"location.hash = '#problem={problem}'")
        self.says("the statement", "problem-about", problem)
        for control, value in (("source", source), ("name", name)):
            self(f"document.getElementById('{control}').value = {json.dumps(value)}")
            self(f"document.getElementById('{control}').dispatchEvent(new Event('input'))")
        self("document.getElementById('submit').click()")
        self.says("it is accepted", "send-state", "The service has it")


def follow(page, teacher, contest, command, folder):
    teacher.serve(command)
    page.opens()
    page.use_token("ann", "#view=contest")
    page.says("before the start", "contest-clock", "It begins in")
    check(page("document.querySelectorAll('#contest-rows tr').length") == 0, "no problem is shown before the start")
    check("Two kernels" not in page("document.body.innerText"), "nor the text")

    # The contest begins, and the service is killed and started again meanwhile.
    teacher.kill()
    Path(teacher.folder, "contest.md").write_text(with_times(contest, -60, 7200), encoding="utf-8")
    teacher.serve(command)
    page.opens()
    page.use_token("ann")
    page.says("a contest", "contest", "Kernels, week 3")
    page.says("the teacher's text", "contest-text", "Two kernels are enough")
    check(page("[...document.querySelectorAll('#contest-rows a')].length") == 2, "two problems")
    page.browser.screenshot(folder / "contest-student.png")
    page("location.hash = '#problem=vector-addition'")
    page.says("the statement", "statement", "Input")
    cases = page("document.getElementById('cases').textContent")
    check("sample" in cases and "test" not in cases.replace("latest", ""), "hidden cases are not shown", cases)
    page.send("vector-addition", "mine.cu", MARK + CANDIDATES["wrong"])
    page.says("a wrong answer", "here", "An answer differs from the expected one")
    check("expected" not in page("document.querySelector('#here .summary').innerText"), "an expected value is shown")
    page.send("vector-addition", "mine.cu", MARK + CANDIDATES["right"])
    page.says("a right one", "here", "The answers are right in all cases that ran.")
    teacher.kill()
    teacher.serve(command)

    page.opens()
    page.use_token("ann")
    page("location.hash = '#view=jobs'")
    page.says("the history is there after a kill", "jobs-about", "2 jobs, the newest first")
    page("document.querySelector('#jobs [data-do=source]').click()")
    page.says("with the text", "jobs", "// by ann")
    page.browser.screenshot(folder / "contest-history.png")
    # Another student in the same tab.
    page.use_token("bob", "#view=jobs")
    page.says("another student has sent nothing", "jobs-about", "You have sent nothing yet")
    page("location.hash = '#problem=vector-addition'")
    page.says("the statement", "problem-about", "vector-addition")
    check(page("document.getElementById('source').value") == "", "what ann typed is not shown to bob")
    page.send("relu", "relu.cu", CANDIDATES["relu"])
    page.says("a right one", "here", "The answers are right in all cases that ran.")
    page("location.hash = '#view=contest'")
    page.says("the standings", "standings", "ann 1 of 2")
    page.says("with the own line", "standings", "bob 1 of 2")
    check(page("document.querySelectorAll('#standings a').length") == 1, "a student can open only the own kernel")

    # The contest ends.
    teacher.kill()
    Path(teacher.folder, "contest.md").write_text(with_times(contest, -600, 1), encoding="utf-8")
    time.sleep(1)
    teacher.serve(command)
    page.opens()
    page.use_token("bob", "#problem=relu")
    page.says("after the end", "send-state", "The contest is over")
    page.says("the grades stay", "here", "relu.cu")

    page.use_token("teacher", "#view=contest")
    page.says("the standings", "standings", "ann 1 of 2")
    page.browser.screenshot(folder / "contest-teacher.png")
    page("[...document.querySelectorAll('#standings th a')].find(a => a.innerText === 'ann').click()")
    page.says("what a student has sent", "jobs-head", "What ann has sent")
    page.says("all of it", "jobs-about", "2 jobs")
    page("document.querySelector('#jobs [data-do=source]').click()")
    page.says("with the text", "jobs", "// by ann")
    page.says("and what feedback hides from the student", "jobs", "Whole record")
    page("location.hash = '#view=contest'")
    # The browser of the test saves no files.
    page("URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return 'data:,'; }")
    page("HTMLAnchorElement.prototype.click = () => {}")
    page("document.getElementById('csv').click()")
    page.says("the table", "csv-state", "contest.csv is in your downloads")
    rows = list(csv.DictReader(io.StringIO(page("window.saved").lstrip("\ufeff"))))
    check({(row["owner"], row["problem"], row["attempts"], row["verdict"]) for row in rows} == {
        ("ann", "relu", "0", ""), ("ann", "vector-addition", "2", "accepted"), ("bob", "relu", "1", "accepted"), ("bob", "vector-addition", "0", "")}, rows)
    solved = next(row for row in rows if row["owner"] == "ann" and row["attempts"] == "2")
    check(solved["source"] == MARK + CANDIDATES["right"] and solved["file"] == "mine.cu" and float(solved["minutes"]) > 0, solved)
    by_curl = blocks("bash")[2].replace("http://127.0.0.1:8642/", teacher.url)
    teacher.shell(by_curl)
    check(Path(teacher.folder, "results.csv").read_text(encoding="utf-8").count("accepted") == 2, "curl gets the same")
    complaints = [each for each in page.browser.complaints() if '401' not in each]  # before a token is given
    check(complaints == [], complaints)


def main(program, folder):
    chromium = find_chromium()
    if chromium is None:
        print("skipped: there is no Chromium\n  remedy: tools/setup.sh --all-tests, or KGRADE_CHROMIUM=<program>")
        return 77
    exit_without_boost(program)
    screenshots = Path(os.environ.get("KGRADE_SCREENSHOTS", folder))
    screenshots.mkdir(parents=True, exist_ok=True)
    (contest,) = blocks("markdown")
    tokens, command, _ = blocks("bash")
    with tempfile.TemporaryDirectory(prefix="kgrade-contest-test-") as place, Browser(chromium) as browser:
        teacher = Teacher(program, place)
        Path(place, "contest.md").write_text(with_times(contest, 3600, 7200), encoding="utf-8")
        teacher.shell(tokens)
        browser.resize(1280, 900)
        began = time.monotonic()
        try:
            follow(Page(browser, teacher), teacher, contest, command, screenshots)
        finally:
            teacher.kill()
        print(f"a contest from nothing to the table took {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
