"""ci_workflow_test.py KGRADE: checks that the workflow in tools/ci follows the published schema of workflows, that zizmor
finds no problems, that only pinned actions are used, that its options for kgrade exist, and that no code of a fork reaches
the self-hosted runner without permission."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOW = ROOT / "tools/ci/kgrade.yml"
TOOLS = Path(sys.executable).parent
KGRADE = sys.argv.pop(1)

MARK = "<!-- comparison with main -->"

# Stands in for `gh`: answers from state.json, and records the changes that it is asked for. It knows the workflow's filters
# by their text.
GH = r"""
import json, pathlib, re, sys
state = json.loads(pathlib.Path(STATE).read_text())
words = sys.argv[1:]
value = lambda option: words[words.index(option) + 1]
filters = {
    ".[].databaseId": lambda runs: [run["databaseId"] for run in runs],
    ".artifacts[] | select(.expired | not) | .id": lambda found: [one["id"] for one in found["artifacts"] if not one["expired"]],
    '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- comparison with main -->"))) | .id':
        lambda comments: [one["id"] for one in comments if one["user"]["login"] == "github-actions[bot]"
                          and one["body"].startswith("<!-- comparison with main -->")],
}
def answer(json_value):
    for one in filters[" ".join(value("--jq").split())](json_value):
        print(one)
def changed(**what):
    with open(STATE + ".changes", "a") as file:
        file.write(json.dumps(what) + "\n")
if words[:2] == ["run", "download"]:
    if words[2] not in state["downloads"]:
        sys.exit("no valid artifacts found to download")
    folder = pathlib.Path(value("--dir"))
    folder.mkdir()
    for name, text in state["downloads"][words[2]].items():
        (folder / name).write_text(text)
elif words[:2] == ["run", "list"]:
    assert value("--branch") == "main" and value("--event") == "push" and "--status" not in words
    answer(state["runs"])
elif words[:2] == ["pr", "comment"]:
    changed(on=words[2], new=pathlib.Path(value("--body-file")).read_text())
elif words[0] == "api" and "PATCH" in words:
    path = next(word for word in words if word.startswith("repos/"))
    changed(edited=path, body=pathlib.Path(value("--field").removeprefix("body=@")).read_text())
elif words[0] == "api":
    path = next(word for word in words if word.startswith("repos/"))
    run = re.fullmatch(r"repos/us/kernels/actions/runs/(\d+)/artifacts\?name=speed", path)
    answer({"artifacts": state["artifacts"].get(run[1], [])} if run else state["comments"])
else:
    sys.exit(f"no such command: {words}")
"""


class Event(dict):
    """A context of GitHub's expressions: missing values are empty."""

    def __getattr__(self, name: str):
        value = self.get(name)
        return Event(value or {}) if value is None or isinstance(value, dict) else value


def holds(condition: str, github: dict, **contexts) -> bool:
    """The value of an `if:`, for the few operators that our workflow uses."""
    text = re.sub(r"^\$\{\{|\}\}$", "", " ".join(condition.split())).strip()
    text = text.replace("&&", " and ").replace("||", " or ").replace("!cancelled()", "True")
    return bool(eval(text, {"__builtins__": {}}, {"github": Event(github), **contexts}))  # our own file, no input


def pull_request(action: str, fork: bool, label: str = "") -> dict:
    return {"event_name": "pull_request", "repository": "us/kernels",
            "event": {"action": action, "label": {"name": label},
                      "pull_request": {"head": {"repo": {"full_name": "them/kernels" if fork else "us/kernels"}}}}}


def uses(job: dict) -> list[str]:
    return [step["uses"] for step in job["steps"] if "uses" in step]


class Workflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = WORKFLOW.read_text(encoding="utf-8")
        cls.workflow = yaml.safe_load(cls.text)
        cls.jobs = cls.workflow["jobs"]

    def run_tool(self, *command: str):
        result = subprocess.run([str(TOOLS / command[0]), *command[1:]], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_follows_the_schema(self):
        self.run_tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(WORKFLOW))

    def test_zizmor_finds_nothing(self):
        self.run_tool("zizmor", "--offline", "--no-progress", "--persona", "auditor", str(WORKFLOW))

    def test_jobs_have_the_least_rights(self):
        self.assertEqual(self.workflow["permissions"], {})
        rights = {name: {right for right, level in job["permissions"].items() if level == "write"}
                  for name, job in self.jobs.items()}
        self.assertEqual(rights, {"correctness": set(), "speed": set(), "compare": set(), "comment": {"pull-requests"}})
        self.assertNotRegex(self.text, r"secrets\s*[.\[]\s*[A-Za-z_'\"]")
        self.assertNotIn("pull_request_target", self.text)

    def test_actions_are_pinned(self):
        for action in (action for job in self.jobs.values() for action in uses(job)):
            self.assertRegex(self.text, re.escape(action) + r" # v\d+\.\d+\.\d+\n")
            self.assertRegex(action, r"@[0-9a-f]{40}$")

    def test_the_writer_runs_no_program_of_the_pull_request(self):
        commands = " ".join(step["run"] for step in self.jobs["comment"]["steps"])
        for word in ("git ", "kgrade ", "bash", "build"):
            self.assertNotIn(word, commands)

    def test_nothing_is_expanded_into_scripts(self):
        for job in self.jobs.values():
            for step in job["steps"]:
                self.assertNotIn("${{", step.get("run", ""))

    def test_who_gets_to_the_gpu(self):
        speed = self.jobs["speed"]["if"]
        self.assertTrue(holds(speed, {"event_name": "push", "event": {}}))
        for action in ("opened", "synchronize", "reopened"):
            self.assertTrue(holds(speed, pull_request(action, fork=False)), action)
            self.assertFalse(holds(speed, pull_request(action, fork=True)), action)
            # A label that was added earlier does not admit new commits.
            self.assertFalse(holds(speed, pull_request(action, fork=True, label="measure speed")), action)
        self.assertTrue(holds(speed, pull_request("labeled", fork=True, label="measure speed")))
        self.assertFalse(holds(speed, pull_request("labeled", fork=True, label="bug")))
        self.assertFalse(holds(speed, pull_request("labeled", fork=False, label="bug")))
        self.assertFalse(holds(speed, {**pull_request("opened", fork=True), "event": {
            "action": "opened", "pull_request": {"head": {"repo": None}}}}), "the fork is gone")

    def test_only_the_gpu_jobs_runner_is_ours(self):
        self.assertEqual([name for name, job in self.jobs.items() if "self-hosted" in job["runs-on"]], ["speed"])

    def test_forks_get_no_comment(self):
        for fork in (True, False):
            self.assertEqual(holds(self.jobs["comment"]["if"], pull_request("labeled", fork, "measure speed"),
                                   needs=Event(compare={"result": "failure"})), not fork)

    def test_options_exist(self):
        commands = subprocess.run([KGRADE, "--help"], capture_output=True, text=True, check=True).stdout
        seen = set()
        for step in (step for job in self.jobs.values() for step in job["steps"]):
            for line in step.get("run", "").replace("\\\n", " ").splitlines():
                if not line.startswith("kgrade "):
                    continue
                words = shlex.split(line.split("||")[0])
                self.assertRegex(commands, rf"(?m)^  {words[1]}\b")
                seen.add(words[1])
                text = subprocess.run([KGRADE, words[1], "--help"], capture_output=True, text=True, check=True).stdout
                for option in (word for word in words if word.startswith("--")):
                    self.assertRegex(text, rf"{option}\b", line)
        self.assertEqual(seen, {"sweep", "leaderboard", "compare"})


class Steps(unittest.TestCase):
    """The scripts of steps, run like the runner does, with stand-ins for the programs that they call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.state = self.path / "state.json"
        self.stand_in("gh", f"#!{sys.executable}\nSTATE = {str(self.state)!r}\n{GH}")
        self.jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]

    def stand_in(self, name: str, text: str):
        file = self.path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def run_step(self, job: str, name: str) -> subprocess.CompletedProcess:
        (step,) = [step for step in self.jobs[job]["steps"] if step["name"] == name]
        environment = {"PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "GH_REPO": "us/kernels", "GITHUB_RUN_ID": "9",
                       "PULL_REQUEST": "7", "GITHUB_STEP_SUMMARY": str(self.path / "summary.md")}
        return subprocess.run(["bash", "-e", "-c", step["run"]], cwd=self.path, env=environment, capture_output=True,
                              text=True, check=False)

    def fetch(self, artifacts: dict, downloads: dict) -> subprocess.CompletedProcess:
        self.state.write_text(json.dumps({"runs": [{"databaseId": number} for number in (8, 6, 5)], "artifacts": artifacts,
                                          "downloads": {"9": {"speed.jsonl": "now"}, **downloads}}), encoding="utf-8")
        fetched = self.run_step("compare", "Fetch the results")
        self.assertEqual(fetched.returncode, 0, fetched.stderr)
        return fetched

    def test_the_baseline_is_the_newest_run_with_results(self):
        alive = [{"id": 1, "expired": False}]
        fetched = self.fetch({"6": alive, "5": alive}, {"6": {"speed.jsonl": "six"}, "5": {"speed.jsonl": "five"}})
        self.assertEqual((self.path / "main/speed.jsonl").read_text(), "six")
        self.assertNotIn("::notice::", fetched.stdout)

    def test_results_that_expired_are_said_to_be_missing_and_nothing_fails(self):
        for artifacts in ({"6": [{"id": 1, "expired": True}]}, {"6": [{"id": 1, "expired": False}]}, {}):
            with self.subTest(artifacts):
                fetched = self.fetch(artifacts, {})
                self.assertIn("::notice::main has no results to compare with", fetched.stdout)
                self.stand_in("kgrade", "#!/bin/sh\n[ ! -s main/speed.jsonl ] && echo '**1 added**' >compare.md")
                compared = self.run_step("compare", "Compare")
                self.assertEqual(compared.returncode, 0, compared.stderr)
                comment = (self.path / "comment.md").read_text()
                self.assertEqual(comment, "There are no results of main to compare with.\n\n**1 added**\n\n")
                for name in ("now/speed.jsonl", "main/speed.jsonl"):
                    (self.path / name).unlink()
                (self.path / "now").rmdir()
                (self.path / "main").rmdir()

    def test_what_compare_says_is_the_outcome(self):
        self.stand_in("kgrade", "#!/bin/sh\necho '**1 slower**' >compare.md; exit 4")
        self.assertEqual(self.run_step("compare", "Compare").returncode, 4)
        self.assertEqual((self.path / "comment.md").read_text(), "**1 slower**\n\n")
        self.assertEqual((self.path / "summary.md").read_text(), "**1 slower**\n\n")

    def comment(self, comments: list) -> list:
        self.state.write_text(json.dumps({"comments": comments, "downloads": {"9": {"comment.md": "**1 faster**\n"}}}),
                              encoding="utf-8")
        posted = self.run_step("comment", "Post it")
        self.assertEqual(posted.returncode, 0, posted.stderr)
        return [json.loads(line) for line in Path(f"{self.state}.changes").read_text().splitlines()]

    def test_only_its_own_comment_is_edited(self):
        bot = {"login": "github-actions[bot]"}
        text = f"{MARK}\n**1 faster**\n"
        others = [{"id": 1, "user": bot, "body": "of another workflow"}, {"id": 2, "user": {"login": "x"}, "body": MARK}]
        self.assertEqual(self.comment(others), [{"on": "7", "new": text}])
        Path(f"{self.state}.changes").unlink()
        (self.path / "comparison/comment.md").unlink()
        (self.path / "comparison").rmdir()
        own = {"id": 3, "user": bot, "body": f"{MARK}\nolder"}
        self.assertEqual(self.comment([others[0], own, others[1], {**others[0], "id": 4}]),
                         [{"edited": "repos/us/kernels/issues/comments/3", "body": text}])

    def test_the_sandbox_is_allowed_before_it_is_asked_for(self):
        names = [step["name"] for step in self.jobs["correctness"]["steps"]]
        self.assertLess(names.index("Allow the sandbox"), names.index("Grade"))
        (grade,) = [step["run"] for step in self.jobs["correctness"]["steps"] if step["name"] == "Grade"]
        self.assertIn("--require-sandbox", grade)


if __name__ == "__main__":
    unittest.main()
