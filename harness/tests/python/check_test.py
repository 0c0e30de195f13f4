"""kgrade check on submissions in Python: what is wrong with the kernels of extensions is found at its line of the
Python file, and honest submissions of all forms come clean.

The submissions are in check/, some of them as rows of its table planted.json (tools/plant.py). Those that end in _bug mark
each line where something is found with `finding: KIND`; a race has two lines, either of which may be the marked one. The
environment variable KGRADE names the program; PyTorch is needed.
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import plant  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = plant.expanded(ROOT / "harness/tests/python/check")
# No kernel here takes a stride, a padding, a dilation or groups.
CASE = "plain"


def check(files, *options):
    """The record, by the candidate's file name, and the exit code."""
    command = [os.environ["KGRADE"], "check", "conv-standard-1d", *map(str, files), "--device", "emulated", "--case", CASE,
               "--json", "-", "--python", sys.executable, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    record = json.loads(done.stdout)
    return {pathlib.Path(each["path"]).name: each for each in record["candidates"]}, done.returncode


def marks_of(file):
    """Pairs of line and kind."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {(number, mark) for number, line in enumerate(lines, 1) for mark in re.findall(r"finding: (\w+)", line)}


def places_of(finding):
    places = [finding["place"]] + ([finding["other_place"]] if finding["kind"] == "race" else [])
    return [place for place in places if place]


class Findings(unittest.TestCase):
    def test_bugs_are_found_at_their_lines(self):
        files = sorted(FOLDER.glob("*_bug.py"))
        found, code = check(files)
        self.assertEqual(code, 1)
        for file in files:
            with self.subTest(file.name):
                self.expect_marked(file, found[file.name])

    def expect_marked(self, file, candidate):
        self.assertEqual(candidate["status"], "findings", candidate)
        marks, seen = marks_of(file), set()
        self.assertTrue(marks)
        for finding in candidate["findings"]:
            kind = finding["kind"]
            lines = {place["line"] for place in places_of(finding)}
            if kind == "wrong_answer":  # the consequence of a bug, or one without a line
                seen |= {mark for mark in marks if mark[1] == kind}
                continue
            for place in places_of(finding):
                self.assertEqual(pathlib.Path(place["file"]).name, file.name)
                self.assertEqual(place["text"], file.read_text().splitlines()[place["line"] - 1].strip())
            matching = {(line, kind) for line in lines} & marks
            # A write into a guard zone is also what the referee sees, without a line.
            self.assertTrue(matching, f"not marked: {finding}")
            seen |= matching
        self.assertEqual(seen, marks)


class Honest(unittest.TestCase):
    def test_honest_submissions_come_clean(self):
        with_triton = importlib.util.find_spec("triton") is not None
        files = [file for file in sorted(FOLDER.glob("*_clean.py")) if with_triton or "triton" not in file.name]
        found, code = check(files)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(found[file.name]["status"], "clean", found[file.name])
        self.assertEqual(code, 0)


class Refused(unittest.TestCase):
    def one(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.py"
            file.write_text(text, encoding="utf-8")
            return check([file], "--order", "forward")[0]["mine.py"]

    def test_an_exception_is_a_finding_with_its_line(self):
        candidate = self.one("def solution(input, kernel):\n    raise ValueError('no way')\n")
        self.assertEqual([finding["kind"] for finding in candidate["findings"]], ["runtime_error"])
        self.assertIn("mine.py:2", candidate["findings"][0]["message"])

    def test_a_source_that_does_not_compile_is_no_finding(self):
        candidate = self.one(
            'from torch.utils.cpp_extension import load_inline\n'
            'extension = load_inline(name="broken", cpp_sources="int f();", cuda_sources="""\n'
            'int f() { return nothing; }\n""", functions=["f"])\n\n\n'
            'def solution(input, kernel):\n    return input\n')
        self.assertEqual(candidate["status"], "compile_error", candidate)
        self.assertIn("nothing", candidate["message"])


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
