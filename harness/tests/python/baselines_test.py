"""Baselines in PyTorch from the command line. Times of the emulated device say nothing: all but the clock is tested.

The environment variable KGRADE names the program; PyTorch is needed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
MEASURED = TESTS / "measured"
FILE = TESTS / "python" / "baselines" / "linear_relu.py"
LAYER = """
    import torch


    class Model(torch.nn.Linear):
        def __init__(self, columns, outputs, bias=True):
            super().__init__(columns, outputs, bias)

"""


def record_of(*arguments):
    run = subprocess.run([os.environ["KGRADE"], "grade", *map(str, arguments), "--device", "emulated", "--json", "-",
                          "--python", sys.executable], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 1):
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


def grade_linear(*arguments):
    return record_of("linear", MEASURED / "candidates" / "linear.cu", "--problems", MEASURED / "problems", *arguments)


def case_of(record, name):
    return next(case for case in record["candidates"][0]["cases"] if case["name"] == name)


class OfASection(unittest.TestCase):
    def test_run_the_module_that_it_names(self):
        record = grade_linear("--baselines", "pytorch", "--case", "tiny", "--case", "large", "--case", "other")
        self.assertEqual(record["candidates"][0]["verdict"], "accepted", record["candidates"][0]["message"])
        self.assertEqual(record["baselines"]["missing"], "")
        names = {"pytorch-fp32", "pytorch-tf32"}
        self.assertEqual({each["name"] for each in record["baselines"]["contestants"]}, names)
        for baseline in record["baselines"]["contestants"]:
            self.assertEqual(baseline["path"], "torch.nn.Linear")
            self.assertEqual(baseline["problem"], "")
            large, other = baseline["cases"]
            self.assertEqual(large["problem"], "")
            # Rounded as on a GPU.
            self.assertEqual("pytorch-" + large["precision"], baseline["name"])
            self.assertGreaterEqual(len(large["samples_ms"]), 3)
            self.assertEqual(other["problem"], "the problem's module cannot state it")
        large = case_of(record, "large")
        self.assertEqual({large["baseline"]["name"], large["other_baselines"][0]["name"]}, names)
        self.assertEqual(len(large["measurement"]["arms"]), 4)
        for arm in (large["baseline"], large["other_baselines"][0]):
            self.assertEqual(len(arm["samples_ms"]), len(large["candidate"]["samples_ms"]))
        self.assertEqual(case_of(record, "other")["measurement"]["arms"], ["reference", "candidate"])

    def test_need_a_gpu_unless_asked_for(self):
        record = grade_linear("--case", "large")
        self.assertEqual(record["baselines"], {"missing": "PyTorch's times say nothing without a GPU", "contestants": []})

    def test_are_not_compiled_without_a_gpu(self):
        record = grade_linear("--case", "large", "--baselines", "compile", "--quick")
        self.assertEqual(record["baselines"]["missing"], "torch.compile is compared on a GPU only")
        self.assertEqual(len(record["baselines"]["contestants"]), 2)

    def test_one_that_fails_is_left_out_with_the_reason(self):
        for body, reason in (("raise RuntimeError('no such kernel')", "no such kernel"),
                             ("return x.sum(1)", "'output'"),
                             ("return super().forward(x) + 1", "its output is wrong")):
            with self.subTest(body), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                for name in ("problems/linear.md", "reference/linear.cu"):
                    (folder / name).parent.mkdir()
                    (folder / name).write_text((MEASURED / name).read_text())
                (folder / "reference" / "torch").mkdir()
                (folder / "reference" / "torch" / "linear.py").write_text(
                    textwrap.dedent(LAYER) + f"    def forward(self, x):\n        {body}\n")
                record = record_of("linear", MEASURED / "candidates" / "linear.cu", "--problems", folder / "problems",
                                   "--baselines", "pytorch", "--case", "large")
                self.assertEqual(record["candidates"][0]["verdict"], "accepted")
                self.assertEqual(case_of(record, "large")["measurement"]["arms"], ["reference", "candidate"])
                for baseline in record["baselines"]["contestants"]:
                    self.assertIn(reason, baseline["cases"][0]["problem"])
                    self.assertEqual(baseline["path"], "reference/torch/linear.py")


class OfAFile(unittest.TestCase):
    def test_are_its_model_in_tf32_since_the_reference_is_it_in_fp32(self):
        record = record_of(FILE, FILE.parent / "new.py", FILE.parent / "again.py", "--baselines", "pytorch", "--case",
                           "kernelbench")
        self.assertEqual([each["name"] for each in record["baselines"]["contestants"]], ["pytorch-tf32"])
        self.assertEqual(record["baselines"]["contestants"][0]["problem"], "")
        # By this commands that kgrade prints tell the file from a problem file whose reference it is.
        self.assertEqual(record["problem"]["sha256"], record["reference"]["sha256"])
        for candidate in record["candidates"]:
            self.assertEqual(candidate["verdict"], "accepted", candidate["message"])
            self.assertEqual(candidate["cases"][0]["measurement"]["arms"], ["reference", "pytorch-tf32", "candidate"])

    def test_are_of_the_class_exact_where_its_outputs_are_integers(self):
        file = pathlib.Path(__file__).parent / "modules" / "argmax_with_ties.py"
        with tempfile.TemporaryDirectory() as folder:
            answer = pathlib.Path(folder) / "answer.py"
            answer.write_text(file.read_text().replace("class Model(", "class ModelNew("))
            record = record_of(file, answer, "--baselines", "pytorch")
        baseline, candidate = record["baselines"]["contestants"][0], record["candidates"][0]
        self.assertEqual(candidate["verdict"], "accepted", candidate["message"])
        self.assertEqual((candidate["precision"], baseline["cases"][0]["precision"]), ("exact", "exact"))
        self.assertEqual(candidate["cases"][0]["baseline"]["name"], "pytorch-tf32")


if __name__ == "__main__":
    unittest.main()
