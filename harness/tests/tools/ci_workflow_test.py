"""ci_workflow_test.py KGRADE: checks that the workflow in tools/ci follows the published schema of workflows, that zizmor
finds no problems, that only pinned actions are used, that its options for kgrade exist, and that no code of a fork reaches
the self-hosted runner without permission. Its steps are run with candidates that deserve a red job, and one that does not."""

import html
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import plant  # noqa: E402  pylint: disable=wrong-import-position

WORKFLOW = ROOT / "tools/ci/kgrade.yml"
TOOLS = Path(sys.executable).parent
KGRADE = str(Path(sys.argv.pop(1)).absolute())

SLUG = "conv-depthwise-2d-square-input-asym-kernel"
# Right, wrong, racy, for a GPU alone, slower than before.
CANDIDATES = plant.expanded(ROOT / "harness/tests/first_steps") / "ci"

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
        self.assertEqual(rights, {"build": set(), "correctness": set(), "speed": set(), "compare": set(), "comment": {"pull-requests"}})
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
            for line in map(str.strip, step.get("run", "").replace("\\\n", " ").splitlines()):
                if not line.startswith("kgrade "):
                    continue
                words = shlex.split(line.split("||")[0])
                self.assertRegex(commands, rf"(?m)^  {words[1]}\b")
                seen.add(words[1])
                text = subprocess.run([KGRADE, words[1], "--help"], capture_output=True, text=True, check=True).stdout
                for option in (word for word in words if word.startswith("--")):
                    self.assertRegex(text, rf"{option}\b", line)
        self.assertEqual(seen, {"sweep", "check", "leaderboard", "compare"})

    def test_kgrade_is_built_once(self):
        self.assertEqual(self.text.count("tools/build.sh"), 1)
        keys = [step["with"]["key"] for job in self.jobs.values() for step in job["steps"] if "cache" in step.get("uses", "")]
        self.assertEqual((len(keys), len(set(keys))), (3, 1))
        for job in ("correctness", "compare"):
            self.assertIn("build", self.jobs[job]["needs"])
        build = self.jobs["build"]["if"]
        for event in (pull_request("opened", fork=True), pull_request("labeled", fork=True, label="measure speed"),
                      {"event_name": "push", "event": {}}):
            self.assertTrue(holds(build, event))


class Lanes(unittest.TestCase):
    """What docs/lanes.md says to an administrator."""

    def test_its_options_of_kgrade_exist(self):
        text = (ROOT / "docs/lanes.md").read_text(encoding="utf-8")
        for command, options in (("sweep", ("--lanes", "--lane-command", "--require-sandbox", "--resume", "--gpus")),
                                 ("lane", ("--device", "--python"))):
            known = subprocess.run([KGRADE, command, "--help"], capture_output=True, text=True, check=True).stdout
            for option in options:
                self.assertIn(option, text)
                self.assertRegex(known, rf"{option}\b")


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

    def real_kgrade(self):
        """Where the sandbox lacks namespaces, kgrade is run without --require-sandbox."""
        doctor = subprocess.run([KGRADE, "doctor"], capture_output=True, text=True, check=False).stdout
        confined = re.search(r"(?m)^has +namespaces", doctor)
        without = 'for word; do [ "$word" = --require-sandbox ] || words+=("$word"); done'
        words = 'words=("$@")' if confined else f"words=()\n{without}"
        self.stand_in("kgrade", f'#!/bin/bash\n{words}\nexec {shlex.quote(KGRADE)} "${{words[@]}}"\n')

    def run_step(self, job: str, name: str) -> subprocess.CompletedProcess:
        (step,) = [step for step in self.jobs[job]["steps"] if step["name"] == name]
        environment = {"PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "GH_REPO": "us/kernels", "GITHUB_RUN_ID": "9",
                       "PULL_REQUEST": "7", "GITHUB_STEP_SUMMARY": str(self.path / "summary.md"),
                       "RUNNER_TEMP": str(self.path), "SOLUTIONS": "solutions/*/*", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "us/kernels",
                       "COMMIT": "0" * 40}
        return subprocess.run(["bash", "-e", "-c", step["run"]], cwd=self.path / step.get("working-directory", "."),
                              env=environment, capture_output=True, text=True, check=False)

    def summary(self) -> str:
        """What the steps have added since the last time, with its character references resolved."""
        file = self.path / "summary.md"
        text = file.read_text(encoding="utf-8")
        file.unlink()
        return html.unescape(text)

    def row(self, summary: str, name: str) -> str:
        (row,) = [line for line in summary.splitlines() if f"/{name}.cu</code> |" in line]
        return row

    def test_five_candidates_and_why_the_hosted_job_is_red(self):
        self.real_kgrade()
        shutil.copytree(CANDIDATES, self.path / "candidates")
        grade = self.run_step("correctness", "Grade")
        self.assertEqual(grade.returncode, 1, grade.stdout + grade.stderr)
        summary = self.summary()
        self.assertIn("### kgrade: 2 of 5 accepted, 1 unsupported on this machine\n", summary)
        for name, result in (("right", "| accepted |"), ("slower", "| accepted |"), ("racy", "| **wrong_answer** |"),
                             ("wrong", "| **wrong_answer** |"), ("gpu_only", "| unsupported |")):
            self.assertIn(result, self.row(summary, name))
        self.assertIn("elements wrong", self.row(summary, "wrong"))
        self.assertIn("asm", self.row(summary, "gpu_only"))
        self.assertRegex(grade.stdout, r"(?m)^::error file=solutions/[^,]*/wrong\.cu,")
        self.assertRegex(grade.stdout, r"(?m)^::notice file=solutions/[^,]*/gpu_only\.cu,")
        self.assertRegex(grade.stdout, r"(?m)^::error file=solutions/[^,]*/racy\.cu,")
        self.assertEqual(grade.stdout.count("::error "), 2)

        check = self.run_step("correctness", "Check")
        self.assertEqual(check.returncode, 1, check.stdout + check.stderr)
        summary = self.summary()
        self.assertIn("### kgrade check: 2 of 5 clean, 1 unsupported on this machine\n", summary)
        for name, result in (("right", "| clean |"), ("slower", "| clean |"), ("racy", "| **race** |"),
                             ("gpu_only", "| unsupported |")):
            self.assertIn(result, self.row(summary, name))
        self.assertRegex(self.row(summary, "racy"), r"racy\.cu:\d+</code>: <code>.*")
        racy = (CANDIDATES / "solutions" / SLUG / "racy.cu").read_text(encoding="utf-8").splitlines()
        (line,) = re.findall(r"(?m)^::error file=solutions/[^,]*/racy\.cu,line=(\d+),title=race", check.stdout)
        self.assertIn("sums[lane] += sum", racy[int(line) - 1])

        # Without those two the job is green, though a kernel needs a GPU.
        for name in ("wrong", "racy", "right", "slower"):
            (self.path / "candidates/solutions" / SLUG / f"{name}.cu").unlink()
        (self.path / "answers.jsonl").unlink()
        for name in ("Grade", "Check"):
            step = self.run_step("correctness", name)
            self.assertEqual(step.returncode, 0, step.stdout + step.stderr)
        self.assertEqual(self.summary().count("1 unsupported on this machine"), 2)

    def test_a_pattern_that_matches_nothing_is_no_clean_check(self):
        self.real_kgrade()
        (self.path / "candidates").mkdir()
        self.assertNotEqual(self.run_step("correctness", "Grade").returncode, 0)
        check = self.run_step("correctness", "Check")
        self.assertEqual(check.returncode, 2, check.stderr)
        self.assertIn("::error::Nothing was graded, so nothing was checked", check.stdout)

    def test_grade_and_check_take_the_same_files(self):
        """.cu, .py and .md alike; what holds no submission is no candidate; names may have blanks."""
        self.stand_in("kgrade", f'#!{sys.executable}\nimport json, sys\nopen({str(self.path / "calls")!r}, "a").write('
                      'json.dumps(sys.argv[1:]) + "\\n")\n')
        (self.path / "candidates").mkdir()
        names = ["solutions/a/answer one.md", "solutions/a/own.py", "solutions/a/x.cu", "solutions/b/y.cu"]
        lines = [json.dumps({"problem": {"slug": name.split("/")[1]}, "candidates": [{"path": name}]}) for name in names]
        (self.path / "answers.jsonl").write_text("\n".join([*lines[:2], '{"broken', *lines[2:], lines[0], lines[3][:20]]))
        check = self.run_step("correctness", "Check")
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        calls = [json.loads(line) for line in (self.path / "calls").read_text().splitlines()]
        self.assertEqual([call[:call.index("--device")] for call in calls], [["check", "a", *names[:3]], ["check", "b", names[3]]])
        pattern = re.search(r"SOLUTIONS: .* \|\| '([^']*)'", WORKFLOW.read_text(encoding="utf-8"))[1]
        self.assertEqual(pattern, "solutions/*/*", "kgrade decides what a candidate is")

    def test_a_run_that_is_cut_short_has_a_junit_file(self):
        """It names what was graded, and everything else as not graded. A broken line does not keep it from going on."""
        shutil.copytree(CANDIDATES, self.path / "candidates")
        output, junit = self.path / "answers.jsonl", self.path / "answers.xml"
        command = [KGRADE, "sweep", "--all", "--device", "emulated", "--jobs", "1", "--output", str(output), "--junit", str(junit)]
        sweep = subprocess.Popen(command, cwd=self.path / "candidates", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while sweep.poll() is None and not (output.exists() and output.read_text().count("\n") > 0):
            time.sleep(0.05)
        sweep.send_signal(signal.SIGTERM)
        self.assertEqual(sweep.wait(), -signal.SIGTERM)
        graded = output.read_text().count("\n")
        self.assertLess(graded, 5)
        suite = ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual(suite.get("tests"), "5")
        # A result is written first and counted then. The signal may come in between.
        self.assertIn(int(suite.get("errors")), (5 - graded, 6 - graded))
        self.assertEqual({error.get("message") for error in suite.iter("error")}, {"the sweep was cut short before it"})

        lines = output.read_text().splitlines()
        output.write_text("\n".join([lines[0][:500], *lines[1:], ""]))
        resumed = subprocess.run([*command, "--resume"], cwd=self.path / "candidates", capture_output=True, text=True, check=False)
        self.assertEqual(resumed.returncode, 2 if graded == 1 else 0, resumed.stderr)
        if graded > 1:
            self.assertIn("answers.jsonl:1 is no record: skipped, and graded again", resumed.stderr)

    def test_a_comment_of_any_length_can_be_posted(self):
        text = "**1 slower**\n" + "| a row |\n" * 9000
        self.state.write_text(json.dumps({"comments": [], "downloads": {"9": {"comment.md": text}}}), encoding="utf-8")
        posted = self.run_step("comment", "Post it")
        self.assertEqual(posted.returncode, 0, posted.stderr)
        body = json.loads(Path(f"{self.state}.changes").read_text())["new"]
        self.assertLess(len(body), 65536)
        self.assertTrue(body.startswith(f"{MARK}\n**1 slower**\n| a row |\n"))
        self.assertTrue(body.endswith("| a row |\n\nThe rest is in the summary of the job `Compare with main`.\n"))

    def test_a_slower_candidate_is_named(self):
        self.real_kgrade()
        records = [json.loads(line) for line in (ROOT / "results/nvidia-h200/sweep.jsonl").read_text().splitlines()]
        (record,) = [one for one in records if one["candidates"][0]["path"].endswith(f"{SLUG}/tuned.cu")]
        candidate = record["candidates"][0]
        candidate["path"] = f"solutions/{SLUG}/slower.cu"
        right = json.loads(json.dumps(record))
        right["candidates"][0]["path"] = f"solutions/{SLUG}/right.cu"
        for folder, factor in (("main", 1), ("now", 0.5)):
            for case in candidate["cases"]:
                for comparison in case.get("comparisons", []):
                    comparison["speedup"] *= factor
                    for end in comparison["interval"]:
                        comparison["interval"][end] *= factor
            candidate["sha256"] = f"{factor * 2:064.0f}"  # the file has been edited
            (self.path / folder).mkdir()
            (self.path / folder / "speed.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(right)}\n", encoding="utf-8")
        compared = self.run_step("compare", "Compare")
        self.assertEqual(compared.returncode, 4, compared.stdout + compared.stderr)
        summary = self.summary()
        self.assertIn("**1 slower, 1 same**", summary)
        self.assertIn("| **slower** |", self.row(summary, "slower"))
        self.assertIn("0.500", self.row(summary, "slower"))
        self.assertNotIn("**", self.row(summary, "right"))

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
        for name in ("Grade", "Check"):
            self.assertLess(names.index("Allow the sandbox"), names.index(name))
            (step,) = [step["run"] for step in self.jobs["correctness"]["steps"] if step["name"] == name]
            self.assertIn("--require-sandbox", step)


if __name__ == "__main__":
    unittest.main()
