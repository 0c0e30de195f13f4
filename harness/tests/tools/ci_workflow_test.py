"""ci_workflow_test.py KGRADE: the workflow in tools/ci follows the published schema of workflows, zizmor finds nothing to
complain of, only pinned actions are used, the options it gives to kgrade exist, and no code of a fork gets to the
self-hosted runner unasked."""

import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOW = ROOT / "tools/ci/kgrade.yml"
TOOLS = Path(sys.executable).parent
KGRADE = sys.argv.pop(1)


class Event(dict):
    """A context of GitHub's expressions: what is missing is empty."""

    def __getattr__(self, name: str):
        value = self.get(name)
        return Event(value or {}) if value is None or isinstance(value, dict) else value


def holds(condition: str, github: dict, **contexts) -> bool:
    """The value of an `if:`, for the few operators that ours have."""
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
            # A label that it has from before lets nothing new in.
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
                words = shlex.split(line.split("||")[0])
                if words[:1] != ["kgrade"] or not re.search(rf"^  {words[1]}\b", commands, re.MULTILINE):
                    continue
                seen.add(words[1])
                text = subprocess.run([KGRADE, words[1], "--help"], capture_output=True, text=True, check=True).stdout
                for option in (word for word in words if word.startswith("--")):
                    self.assertRegex(text, rf"{option}\b", line)
        self.assertIn("compare", seen)


if __name__ == "__main__":
    unittest.main()
