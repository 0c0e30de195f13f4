"""The Python package, with the built program behind it: `package_test.py KGRADE`."""

import doctest
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

import kgrade  # noqa: E402
from kgrade import Grade, Interval, _program, rewards  # noqa: E402

PROBLEM = ROOT / "problems" / "vector-addition.md"
RIGHT = ROOT / "solutions" / "vector-addition" / "naive.cu"


def graded(verdict, **figures):
    return Grade("graded", verdict, **figures)


class OnTheEmulatedDevice(unittest.TestCase):
    def grade(self, candidate, **options):
        return kgrade.grade(PROBLEM, candidate, device="emulated", cases=["tiny"], **options)

    def test_a_right_candidate(self):
        found = self.grade(RIGHT)
        self.assertEqual((found.outcome, found.verdict, found.stage), ("graded", "accepted", "done"))
        self.assertTrue(found.accepted and found.correct and found.compiled)
        self.assertEqual((found.cases_passed, found.cases), (1, 1))
        self.assertIsNone(found.speedup, "the emulated device measures no speed")
        self.assertEqual(found.record["schema"], "kgrade-record")
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)

    def test_a_text_has_the_name_that_it_is_given(self):
        text = "The kernel:\n```cuda\n" + RIGHT.read_text().replace("] + ", "] - ") + "```\n"
        found = self.grade(text, name="answer.md")
        self.assertEqual((found.verdict, found.stage), ("wrong_answer", "answers"))
        self.assertEqual(found.record["candidates"][0]["path"], "answer.md")
        self.assertFalse(found.correct)

    def test_a_text_without_a_name_is_taken_for_no_path(self):
        for text in ("Here is my kernel: ...", "line\n" * 2000, b"bytes", "a\0b", ""):
            with self.assertRaisesRegex(kgrade.WrongUsage, "give it a `name`"):
                self.grade(text)

    def test_bytes_and_a_path_with_a_name_are_what_they_are(self):
        self.assertTrue(self.grade(b"// \xe4\n" + RIGHT.read_bytes(), name="mine.cu").accepted)
        self.assertTrue(self.grade(RIGHT, name="mine.cu").accepted)

    def test_a_text_that_is_too_long_is_a_compile_error(self):
        found = self.grade("x" * 2_000_000, name="answer.md")
        self.assertEqual((found.outcome, found.verdict, found.stage, found.valid.correctness),
                         ("graded", "compile_error", "compile", True))
        self.assertIn("1.9 MiB", found.reason)
        self.assertEqual(rewards.log_speedup(found), -0.5)

    def test_a_text_is_one_case(self):
        found = kgrade.grade(PROBLEM, RIGHT, device="emulated", cases="tiny")
        self.assertEqual((found.verdict, found.cases), ("accepted", 1))

    def test_who_asks_chooses_the_class(self):
        halves = ("// kgrade: precision tf32\n#include <cuda_fp16.h>\n" + RIGHT.read_text()).replace(
            "a[i] + b[i]", "__half2float(__float2half(a[i] + b[i]))")
        for precision, verdict in ((None, "low_precision"), ("fp32", "low_precision"), ("tf32", "accepted")):
            found = self.grade(halves, name="mine.cu", precision=precision)
            self.assertEqual((found.verdict, found.precision), (verdict, "tf32"), found.reason)
        self.assertIn("precision=tf32", self.grade(halves, name="mine.cu").reason)

    def test_what_does_not_compile(self):
        found = self.grade("nonsense", name="mine.cu")
        self.assertEqual((found.verdict, found.stage, found.compiled), ("compile_error", "compile", False))
        self.assertIn("mine.cu", found.reason)
        self.assertNotIn(tempfile.gettempdir(), found.reason)

    def test_wrong_usage_raises_and_says_why(self):
        for problem, more, part in [("no-such-problem", {}, "no-such-problem"), (PROBLEM, {"dtype": "int7"}, "int7"),
                                    (PROBLEM, {"cases": ["absent"]}, "absent")]:
            with self.subTest(part), self.assertRaisesRegex(kgrade.WrongUsage, part):
                kgrade.grade(problem, RIGHT, device="emulated", **more)
        for name in ("", "..", "a/b.cu", "a\0.cu"):
            with self.subTest(name), self.assertRaisesRegex(kgrade.WrongUsage, "not the name of a file"):
                self.grade("text", name=name)

    def test_options_that_look_like_others_stay_values(self):
        with self.assertRaisesRegex(kgrade.WrongUsage, "--verbose"):
            kgrade.grade("--verbose", RIGHT, device="emulated")
        with self.assertRaises(kgrade.WrongUsage):
            kgrade.grade(PROBLEM, RIGHT, device="emulated --json=x")

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            before = tempfile.tempdir
            tempfile.tempdir = folder
            try:
                self.grade("nonsense", name="mine.cu")
            finally:
                tempfile.tempdir = before
            self.assertEqual(os.listdir(folder), [])


class WithoutAVerdict(unittest.TestCase):
    def ends_with(self, code, message):
        """Grades with a program that only prints and ends."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "kgrade"
            program.write_text(f"#!/bin/sh\necho '{message}' >&2\nexit {code}\n")
            program.chmod(0o755)
            before = os.environ["KGRADE_PROGRAM"]
            os.environ["KGRADE_PROGRAM"] = str(program)
            try:
                return kgrade.grade(PROBLEM, RIGHT)
            finally:
                os.environ["KGRADE_PROGRAM"] = before

    def test_a_fault_of_the_machine_or_of_kgrade_is_no_verdict(self):
        for code, fault in [(3, "machine"), (70, "service"), (139, "service"), (0, "service")]:
            with self.subTest(code):
                found = self.ends_with(code, "what happened")
                self.assertEqual((found.outcome, found.fault, found.reason), ("failed", fault, "what happened"))
                self.assertIsNone(found.verdict)
                self.assertFalse(found.accepted or found.correct or found.compiled)

    def test_without_a_program(self):
        code = "import kgrade\ntry: kgrade.program()\nexcept kgrade.NotInstalled as error: print(error)"
        environment = {"PATH": "/nowhere", "PYTHONPATH": str(ROOT / "python")}
        ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        self.assertIn("KGRADE_PROGRAM", ended.stdout)

    def test_the_command_is_the_program(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        ended = subprocess.run([sys.executable, "-m", "kgrade", "--version"], env=environment, capture_output=True, text=True,
                               check=True)
        own = subprocess.run([os.environ["KGRADE_PROGRAM"], "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(ended.stdout, own.stdout)

    def test_the_command_does_not_ignore_a_reader_that_leaves(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "KGRADE_PROGRAM": "/bin/sh"}
        ended = subprocess.run([sys.executable, "-m", "kgrade", "-c", "grep SigIgn /proc/self/status"], env=environment,
                               capture_output=True, text=True, check=True)
        ignored = int(ended.stdout.split()[1], 16)
        self.assertEqual(ignored & 1 << (signal.SIGPIPE - 1), 0)


class Figures(unittest.TestCase):
    def record(self, **candidate):
        cases = [{"verdict": "accepted", "run": True}, {"verdict": None, "run": False}]
        return {"candidates": [{"verdict": "accepted", "message": "", "precision": "fp32", "cases": cases, **candidate}]}

    def test_are_those_of_the_score_that_is_printed(self):
        scores = [{"against": "reference", "geometric_mean": 9.0, "interval": None},
                  {"against": "baseline", "geometric_mean": 2.0, "interval": {"low": 1.9, "high": 2.1}}]
        found = Grade.of_record(self.record(scores=scores))
        self.assertEqual((found.speedup, found.against, found.speedup_interval), (2.0, "baseline", Interval(1.9, 2.1)))
        self.assertAlmostEqual(found.log_standard_error, 0.02553, places=5)
        self.assertEqual((found.cases_passed, found.cases), (1, 2))
        self.assertIsNone(Grade.of_record(self.record(scores=scores[:1])).log_standard_error)
        self.assertIsNone(Grade.of_record(self.record(scores=[])).log_speedup)

    def test_what_never_ran_ended_while_it_was_loaded(self):
        never = [{"verdict": None, "run": False}]
        self.assertEqual(Grade.of_record(self.record(verdict="runtime_error", cases=never)).stage, "load")


class TheProgramsEnvironment(unittest.TestCase):
    def environment(self, folder, usual="/nowhere/nvcc", **variables):
        """What the program gets where `folder` is the only one of Python's."""
        with mock.patch.object(sys, "path", ["", folder]), mock.patch.object(_program, "USUAL_NVCC", Path(usual)), \
                mock.patch.dict(os.environ, {"PATH": "/nowhere", **variables}, clear=True):
            return _program.environment()

    def test_names_this_python_unless_another_is_named(self):
        self.assertEqual(self.environment("/nowhere"), {"PATH": "/nowhere", "KGRADE_PYTHON": sys.executable})
        self.assertEqual(self.environment("/nowhere", KGRADE_PYTHON="other")["KGRADE_PYTHON"], "other")

    def test_names_the_nvcc_of_pip_if_there_is_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            nvcc = Path(folder) / "nvidia" / "cu13" / "bin" / "nvcc"
            nvcc.parent.mkdir(parents=True)
            nvcc.touch(mode=0o755)
            home = str(nvcc.parent.parent)
            self.assertEqual(self.environment(folder)["CUDA_HOME"], home)
            self.assertEqual(self.environment(folder, CUDA_HOME="")["CUDA_HOME"], home)
            self.assertEqual(self.environment(folder, CUDA_HOME="/toolkit")["CUDA_HOME"], "/toolkit")
            self.assertNotIn("CUDA_HOME", self.environment(folder, PATH=str(nvcc.parent)))
            self.assertNotIn("CUDA_HOME", self.environment(folder, usual=nvcc))


class Rewards(unittest.TestCase):
    EACH = (rewards.log_speedup, rewards.kevin, rewards.kernrl, rewards.dr_kernel)

    def test_are_none_if_and_only_if_the_grade_says_nothing_about_the_kernel(self):
        for reward in self.EACH:
            for fault in ("machine", "service"):
                self.assertIsNone(reward(Grade("failed", fault=fault)))
            for verdict in kgrade.Verdict.__args__:
                with self.subTest(reward=reward.__name__, verdict=verdict):
                    found = reward(graded(verdict, stage="answers"))
                    self.assertEqual(found is None, verdict == "unsupported")
                    self.assertEqual(isinstance(found, float), verdict != "unsupported")

    def test_are_those_of_the_table_in_the_documents(self):
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in (ROOT / "docs/package.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        at = next(number for number, row in enumerate(rows) if row[0] == "verdict")
        names = [cell.strip("`") for cell in rows[at][1:]]
        self.assertEqual(names, list(rewards.NAMES))
        table = {row[0].strip("`"): row[1:] for row in rows[at + 2:at + 17]}
        self.assertEqual(set(table) - {"accepted`, with a speedup", "accepted`, without one", "none: the grade failed"},
                         set(kgrade.Verdict.__args__) - {"accepted"})
        for verdict, cells in table.items():
            stage = "compile" if verdict in ("compile_error", "signature_mismatch", "unsupported") else "answers"
            grade = graded(verdict.partition("`")[0], stage=stage) if "failed" not in verdict else Grade("failed", fault="machine")
            for name, cell in zip(names, cells):
                with self.subTest(verdict=verdict, reward=name):
                    if "with a speedup" not in verdict:
                        self.assertEqual(getattr(rewards, name)(grade), None if cell == "None" else float(cell))
        self.assertEqual(len(table), 15)

    def test_a_case_that_is_too_large_is_better_left_out_than_worse_than_a_wrong_answer(self):
        view = {"id": "g", "outcome": "graded", "verdict": "unsupported", "fault": None, "reason": "", "stage": "compile",
                "figures": dict.fromkeys(("precision", "speedup", "speedup_low", "speedup_high", "against", "cases_passed", "cases")),
                "client_ref": "", "group": "", "retryable": False, "valid": {"correctness": False, "speed": False}}
        self.assertIsNone(rewards.log_speedup(Grade.of_service(view)))
        self.assertEqual(rewards.log_speedup(Grade.of_service({**view, "verdict": "cheating", "stage": "answers"})), -0.5)

    def test_order_candidates(self):
        around = [graded("compile_error", stage="compile"), graded("wrong_answer", stage="answers"),
                  graded("accepted", stage="done", speedup=0.5, speedup_interval=Interval(0.49, 0.51)),
                  graded("accepted", stage="done", speedup=3.0, speedup_interval=Interval(2.9, 3.1))]
        for reward in self.EACH:
            values = [reward(each) for each in around]
            self.assertEqual(values, sorted(values), reward.__name__)

    def test_noise_is_no_speedup(self):
        hardly = graded("accepted", stage="done", speedup=1.03, speedup_interval=Interval(1.01, 1.05))
        unknown = graded("accepted", stage="done", speedup=3.0)
        self.assertEqual([rewards.log_speedup(each) for each in (hardly, unknown)], [0.0, 0.0])

    def test_are_bounded(self):
        fast = graded("accepted", stage="done", speedup=1000.0, speedup_interval=Interval(999, 1001))
        self.assertEqual(rewards.log_speedup(fast), 1.5)
        self.assertEqual(rewards.kernrl(fast), 2.0)
        self.assertEqual(rewards.dr_kernel(fast), 4.0)


def load_tests(_loader, tests, _pattern):
    tests.addTests(doctest.DocTestSuite(rewards))
    return tests


if __name__ == "__main__":
    os.environ["KGRADE_PROGRAM"] = sys.argv.pop(1)
    unittest.main()
