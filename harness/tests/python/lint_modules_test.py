"""kgrade lint, calibrate, --inputs and --dtype on problems that are files in KernelBench's form.

The files of lint/, some of them as rows of its table planted.json, are such problems, each with one fault, and one without.
Those of modules/ are graded in 16-bit types. The environment variable KGRADE names the program; PyTorch is needed.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from module_answers import MODULES, answers, plant

TESTS = pathlib.Path(__file__).resolve().parent
LINT = plant.expanded(TESTS / "lint")
AT_ONCE = 2


def kgrade(*words):
    command = [os.environ["KGRADE"], *map(str, words), "--python", sys.executable]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=TESTS)


def all_at_once(work, items):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


class Lint(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = sorted(LINT.glob("*.py"))
        cls.run_of_all = kgrade("lint", *files, "--device", "emulated", "--json", "-")
        report = json.loads(cls.run_of_all.stdout)
        cls.findings = {pathlib.Path(each["file"]).stem: each["findings"] for each in report["files"]}

    def expect(self, file, rule, message, remedy, severity="error"):
        """One finding, in one line, at the file."""
        rules = [each["rule"] for each in self.findings[file]]
        self.assertEqual(rules.count(rule), 1, self.findings[file])
        found = next(each for each in self.findings[file] if each["rule"] == rule)
        self.assertEqual(found["severity"], severity)
        self.assertRegex(found["message"], message)
        self.assertRegex(found["remedy"], remedy)
        self.assertNotIn("\n", found["message"] + found["remedy"])
        self.assertTrue(found["file"].endswith(f"{file}.py"))
        return rules

    def test_one_that_is_always_zero(self):
        rules = self.expect("always_zero", "constant-output",
                            r"every element of 'output' is 0, whatever the inputs are; with inputs from normal\(0, 2\) it "
                            "is no better", "leave it out")
        self.assertEqual(rules, ["constant-output"])

    def test_one_whose_answers_are_alike(self):
        self.expect("alike", "class-not-offered",
                    r"'output' hardly depends on such inputs: the answer to others is within [1-9]\.\de-03 of it, so a "
                    r"candidate that asks for bf16 may be off by [1-9]\.\de-04 at most, not 1e-02",
                    r"--inputs 'normal\(0, 2\)'", "warning")

    def test_one_with_an_input_that_does_not_count(self):
        rules = self.expect("dropped_input", "input-ignored", "'shift' changes? no output", "mend `Model`")
        self.assertEqual(rules, ["input-ignored"])

    def test_a_weight_that_does_not_count_is_no_error(self):
        rules = self.expect("dropped_weight", "input-ignored", "'linear_bias' change", "no harm", "warning")
        self.assertEqual(rules, ["input-ignored"])

    def test_one_that_float32_is_too_short_for(self):
        rules = self.expect("ill_conditioned", "ill-conditioned",
                            "'output' is ill-conditioned: Model in float32 is off by .* from float64, and fp32 allows 1e-05",
                            "give it other inputs")
        self.assertEqual(rules, ["ill-conditioned"])

    def test_one_without_a_fault(self):
        self.assertEqual(self.findings["clean"], [])
        self.assertEqual(self.run_of_all.returncode, 2)

    def test_a_large_one_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "large.py"
            file.write_text((LINT / "clean.py").read_text().replace("randn(16,", "randn(4000000,"))
            run = kgrade("lint", file, "--device", "emulated")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertRegex(run.stdout, "large.py: note: case 'kernelbench' was not looked into: it has .* of tensors")


class Inputs(unittest.TestCase):
    def test_they_mend_a_file(self):
        run = kgrade("lint", LINT / "alike.py", "--device", "emulated", "--inputs", "normal(0,2)")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_they_make_another_problem(self):
        def shown(*options):
            return json.loads(kgrade("show", LINT / "alike.py", "--json", *options).stdout)

        def record(*options):
            with tempfile.TemporaryDirectory() as folder:
                answer = pathlib.Path(folder) / "answer.py"
                answer.write_text((LINT / "alike.py").read_text().replace("class Model(", "class ModelNew(")
                                  .replace("x.mean(dim=1)", "x.mean(dim=1) + 9"))
                file = pathlib.Path(folder) / "record.json"
                table = kgrade("grade", LINT / "alike.py", answer, "--device", "emulated", "--json", file, *options)
                return json.loads(file.read_text()), table.stdout

        self.assertEqual(shown()["slug"], "alike")
        self.assertEqual(shown("--inputs", "normal( 0,2)")["slug"], "alike-normal-0-2")
        self.assertEqual(shown("--inputs", "x=uniform(-1, 0.5)")["slug"], "alike-x-uniform-m1-0p5")
        (usual, _), (other, table) = record(), record("--inputs", "normal(0, 2)")
        self.assertNotIn("inputs", usual["problem"])
        self.assertEqual(other["problem"]["inputs"], ["normal(0, 2)"])
        self.assertNotEqual(usual["problem"]["sha256"], other["problem"]["sha256"])
        self.assertRegex(table, r"kgrade grade .*alike.py .*answer.py --case kernelbench --inputs 'normal\(0, 2\)'")

    def test_wrong_ones(self):
        for option, message in (("normal(0)", "takes 2 numbers"), ("nothing", "names no distribution"),
                                ("y=normal(0, 2)", "there is no input 'y'"), ("uniform(2, 1)", "the lower end comes first")):
            with self.subTest(option):
                run = kgrade("show", LINT / "alike.py", "--inputs", option)
                self.assertEqual(run.returncode, 2)
                self.assertIn(message, run.stderr)


class Grading(unittest.TestCase):
    def test_it_says_that_answers_are_alike(self):
        for file, message in (("always_zero", "'output' is zero, whatever the inputs are"),):
            with tempfile.TemporaryDirectory() as folder:
                answer = pathlib.Path(folder) / "answer.py"
                answer.write_text((LINT / f"{file}.py").read_text().replace("class Model(", "class ModelNew("))
                run = kgrade("grade", LINT / f"{file}.py", answer, "--device", "emulated")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn(message, run.stdout)


class Calibrate(unittest.TestCase):
    def test_thresholds_are_printed(self):
        run = kgrade("calibrate", MODULES / "linear_leaky_relu.py", "--device", "emulated")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"thresholds: \{fp32: .*, tf32: .*, bf16: ")
        self.assertIn("not written: a Python file holds none", run.stdout)


class ExactClass(unittest.TestCase):
    """Of a file whose outputs are integers, derived from these."""

    def test_it_is_the_class_of_model_and_of_its_answers(self):
        file = MODULES / "argmax_with_ties.py"
        shown = json.loads(kgrade("show", file, "--json").stdout)
        self.assertEqual(shown["precision"], "exact")
        linted = kgrade("lint", file, "--device", "emulated")
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)
        self.assertNotIn("warning", linted.stdout)
        calibrated = kgrade("calibrate", file, "--device", "emulated")
        self.assertEqual((calibrated.returncode, calibrated.stdout),
                         (0, "nothing to calibrate: every output is compared exactly, and no error has a threshold\n"))
        with tempfile.TemporaryDirectory() as folder:
            answer = pathlib.Path(folder) / "answer.py"
            answer.write_text(file.read_text().replace("class Model(", "class ModelNew("))
            record = json.loads(kgrade("grade", file, answer, "--device", "emulated", "--json", "-").stdout)
        self.assertEqual(record["problem"]["precision"], "exact")
        self.assertEqual((record["candidates"][0]["verdict"], record["candidates"][0]["precision"]), ("accepted", "exact"))


class NarrowTypes(unittest.TestCase):
    """What is right in float32 is right in 16 bits, and what is plainly wrong is wrong."""

    WRONG_BY_LITTLE = ("wrong_bfloat16.py", "wrong_half.py", "wrong_tanh.py")

    def test_right_and_wrong_answers(self):
        runs = [("linear_leaky_relu", "float16"), ("attention", "bfloat16"), ("conv_bias", "float16")]
        for (name, dtype), run in zip(runs, all_at_once(lambda each: self.grade(*each), runs)):
            with self.subTest(f"{name} {dtype}"):
                record = json.loads(run.stdout)
                self.assertEqual((record["problem"]["dtype"], record["problem"]["precision"]), (dtype, "bf16"))
                for candidate in record["candidates"]:
                    file = pathlib.Path(candidate["path"]).name
                    wanted = "accepted" if file.startswith("right") else "wrong_answer"
                    self.assertEqual(candidate["verdict"], wanted, f"{file}: {candidate['message']}")

    def grade(self, name, dtype):
        problem = MODULES / f"{name}.py"
        candidates = [file for file in answers(problem)
                      if file.suffix == ".py" and file.name not in self.WRONG_BY_LITTLE]
        if name == "linear_leaky_relu":
            candidates += [TESTS / "dtype" / f"right_{dtype}.cu"]
        return kgrade("grade", problem, *candidates, "--dtype", dtype, "--device", "emulated", "--json", "-")


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
