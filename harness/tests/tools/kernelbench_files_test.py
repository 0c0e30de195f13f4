"""Tests what tools/kernelbench_files.py does with files, time and verdicts. A script stands in for kgrade: neither PyTorch
nor a GPU is needed."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

import kernelbench_files  # noqa: E402
from kernelbench import common, devices, prepared, report  # noqa: E402

# A file says in comments what comes of it: "# right: VERDICT", "# half: VERDICT", "# zero: VERDICT", "# code: N",
# "# import: N", "# slow: SECONDS", "# once: VERDICT" (of Model itself in the first run only).
FAKE = r'''#!/usr/bin/env python3
import json, pathlib, re, sys, time
words = sys.argv[1:]
def option(name): return words[words.index(name) + 1]
if words == ["--version"]: sys.exit(print("kgrade 1"))
def told(text, word, other): return (re.findall(rf"^# {word}: (\S+)", text, re.MULTILINE) or [other])[0]
if words[0] == "import":
    source = pathlib.Path(words[1])
    text = source.read_text()
    if told(text, "import", "0") != "0":
        sys.exit(print(f"kgrade: note: hm\n{source}:3: error: it is wrong", file=sys.stderr) or int(told(text, "import", "0")))
    weights = json.dumps({f"w{i}": f"layer.w{i}" for i in range(int(told(text, "weights", "2")))})
    pathlib.Path(option("--problems"), source.stem.lower() + ".md").write_text(f"""---
parameters:
  - {{name: "x", type: "[VAR]", pointer: true, const: true, shape: [4, 8], init: "normal(0, 1)"}}
  - {{name: "output", type: int64, pointer: true, const: false, shape: [4]}}
cases:
  - {{name: kernelbench, role: bench}}
torch:
  weights: {weights}
---
""")
    sys.exit()
candidates = [word for word in words if word.endswith(".py") and "candidates" in word]
texts = [pathlib.Path(path).read_text() for path in candidates]
time.sleep(float(told(texts[0], "slow", "0")))
with open(pathlib.Path(sys.argv[0]).with_name("calls"), "a") as calls:
    calls.write(" ".join(words) + "\n")
runs = len(pathlib.Path(sys.argv[0]).with_name("calls").read_text().splitlines())
code = int(told(texts[0], "code", "1"))
if code > 1:
    sys.exit(print("error: 'output' is ill-conditioned", file=sys.stderr) or code)
graded = []
for path, text in zip(candidates, texts):
    label = pathlib.Path(path).stem.split("_")[0]
    usual = {"right": "accepted", "half": "low_precision", "zero": "wrong_answer"}[label]
    verdict = told(text, label, usual)
    if label == "right" and runs == 1: verdict = told(text, "once", verdict)
    graded.append({"verdict": verdict, "precision": "fp32", "message": "its message", "cases": [
        {"run": True, "error": {"relative": 1e-7}, "reference": {"summary": {"median_ms": 2.0}},
         "comparisons": [{"against": "reference", "statement": "same", "speedup": 1.0}]}]})
json.dump({"device": {"name": "a GPU"}, "tool": {"version": "1"}, "stages_seconds": {"oracle": 1.5}, "candidates": graded},
          open(option("--json"), "w"))
sys.exit(code)
'''


class KernelBenchFilesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder, self.output = Path(temporary.name, "KernelBench"), Path(temporary.name, "output")
        self.program = Path(temporary.name, "kgrade")
        self.program.write_text(FAKE, encoding="utf-8")
        self.program.chmod(0o755)

    def write(self, name, *words):
        path = self.folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("class Model:\n    pass\n" + "".join(f"# {word}\n" for word in words), encoding="utf-8")

    def call(self, *more):
        """What a call prints."""
        words = [str(self.folder), str(self.output), "--kgrade", str(self.program), "--device", "emulated", "--python",
                 sys.executable, *more]
        with contextlib.redirect_stdout(io.StringIO()) as printed, mock.patch.object(sys, "argv", ["x", *words]):
            self.assertEqual(kernelbench_files.main(), 0)
        return printed.getvalue()

    def state(self, name):
        return json.loads((self.output / "files" / f"{name}.json").read_text(encoding="utf-8"))

    def runs(self):
        calls = self.program.with_name("calls")
        return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def test_a_file_is_graded_by_one_run(self):
        self.write("level1/3_Softmax")
        printed = self.call()
        self.assertIn("level1/3_Softmax: accepted; 3 of 3 wrong ones refused", printed)
        self.assertEqual(len(self.runs()), 1)
        self.assertIn("--case verdict", self.runs()[0])
        answers = self.state("level1/3_Softmax")["answers"]
        self.assertEqual(list(answers), ["right", "half", "zero layer.w0", "zero layer.w1"])
        self.assertEqual(answers["right"]["error"], 1e-7)

    def test_the_next_call_does_what_is_left(self):
        self.write("level1/1_a")
        self.call()
        self.write("level1/2_b")
        self.assertIn("2 files, 1 done before", self.call())
        self.assertEqual(len(self.runs()), 2)
        self.assertIn("2 files, 2 done before", self.call())
        self.assertEqual(len(self.runs()), 2)

    def test_a_changed_file_is_imported_again(self):
        self.write("level1/1_a")
        self.call("--prepare")
        self.write("level1/1_a", "weights: 1")
        self.call()
        self.assertEqual(list(self.state("level1/1_a")["answers"]), ["right", "half", "zero layer.w0"])

    def test_many_parameters_wait_for_other_files(self):
        self.write("level3/1_a", "weights: 20")
        self.write("level3/2_b")
        self.call("--prepare")
        self.call("--jobs", "1")
        self.assertIn("2_b", self.runs()[1])
        self.assertEqual(len(self.state("level3/1_a")["answers"]), 22)
        self.assertEqual(self.state("level3/1_a")["left"], [])

    def test_parameters_beyond_the_limit_are_named(self):
        self.write("level3/1_a", "weights: 20")
        self.call("--limit", "5")
        self.assertEqual(len(self.state("level3/1_a")["left"]), 12)
        self.call("--limit", "5", "--table", str(self.output / "table"))
        text = (self.output / "table.md").read_text(encoding="utf-8")
        self.assertIn("12 variants are not tried: layer.w1, ", text)

    def test_what_is_disturbed_is_graded_again_alone(self):
        self.write("level1/1_a", "once: unstable")
        printed = self.call()
        self.assertIn("1_a: unstable", printed)
        self.assertIn("1_a: accepted", printed)
        state = self.state("level1/1_a")
        self.assertTrue(state["alone"])
        self.assertFalse(state["again"])

    def test_what_is_disturbed_alone_stays_so(self):
        self.write("level1/1_a", "code: 3")
        self.call()
        self.assertEqual(len(self.runs()), 2)
        self.assertEqual((self.state("level1/1_a")["code"], self.state("level1/1_a")["again"]), (3, False))

    def test_a_run_that_the_end_of_the_call_cuts_off_is_done_again(self):
        self.write("level1/1_a", "slow: 30")
        begin = time.monotonic()
        with mock.patch.object(common, "LEAST_SECONDS", 0):
            printed = self.call("--minutes", "0.05")
        self.assertLess(time.monotonic() - begin, 15)
        self.assertIn("0 of 1 files done: call it again", printed)
        self.assertFalse((self.output / "files/level1/1_a.json").exists())

    def test_a_file_that_is_too_slow_is_cut_off_and_needs_a_higher_limit(self):
        self.write("level1/1_a", "slow: 1.5")
        self.call("--limit", "0.2", "--jobs", "1")
        self.assertEqual(self.state("level1/1_a")["why"], "cut off")
        self.assertIn("1 done before", self.call("--limit", "0.2", "--jobs", "1"))
        self.call("--limit", "30", "--jobs", "1")
        self.assertEqual(self.state("level1/1_a")["answers"]["right"]["verdict"], "accepted")

    def test_refused_files_say_why(self):
        self.write("level1/1_a", "import: 2")
        self.write("level1/2_b", "code: 2")
        self.call()
        self.assertIn("error: it is wrong", self.state("level1/1_a")["why"])
        self.assertEqual(self.state("level1/2_b")["why"], "error: 'output' is ill-conditioned")

    def test_a_file_that_cannot_be_read_leaves_the_others_alone(self):
        self.write("level1/1_a")
        (self.folder / "level1/1_a.py").write_bytes(b"\xff")
        self.write("level1/2_b")
        printed = self.call()
        self.assertIn("1_a: UnicodeDecodeError", printed)
        self.assertIn("1 of 2 files done", printed)

    def test_a_machine_that_cannot_import_refuses_no_file(self):
        self.write("level1/1_a", "import: 3")
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIn("0 of 1 files done", self.call())

    def test_the_table_has_a_row_a_file_and_reasons(self):
        self.write("level1/2_b", "half: accepted", "zero: runtime_error")
        self.write("level1/10_c", "right: wrong_answer")
        self.call()
        self.write("level1/11_d")
        self.output.joinpath("differences.json").write_text('{"level1/2_b": {"half": 1e-9}}', encoding="utf-8")
        self.call("--table", str(self.output / "sub/table"))
        text = (self.output / "sub/table.md").read_text(encoding="utf-8")
        self.assertIn("Device: a GPU. 2 of 3 files graded. Model itself: 1 accepted, 1 wrong_answer.", text)
        self.assertIn("| level1/2_b | half is accepted | it does not change Model's answer (by 1.0e-09) |", text)
        self.assertIn("| level1/2_b | zero layer.w0 could not be tried: runtime_error | its message |", text)
        self.assertIn("| level1/10_c | Model is refused: wrong_answer | its message |", text)
        self.assertIn("| level1/11_d | not graded | no time |", text)
        self.assertLess(text.index("| level1/2_b | accepted | 1.0e-07 |"), text.index("| level1/10_c | wrong_answer |"))
        self.assertEqual(json.loads((self.output / "sub/table.json").read_text())["counts"]["graded"], 2)
        self.assertIn("2 of 3 files graded", self.call("--summary"))

    def test_model_against_itself_is_graded_as_a_user_would(self):
        for number in range(4):
            self.write(f"level1/{number}_x")
        self.assertIn("Model against itself: 2 same", self.call("--self", "2"))
        self.assertEqual(len(self.runs()), 2)
        self.assertNotIn("--quick", self.runs()[0])
        self.call("--self", "2")
        self.assertEqual(len(self.runs()), 2)

    def test_memory_bounds_what_runs_side_by_side(self):
        with mock.patch.object(devices, "memory_of", lambda name: 80):
            lender = devices.Devices(["cuda:0"], 3)
        self.assertIsNotNone(lender.lend(5))
        self.assertIsNone(lender.lend(5))  # the first run measures the device
        lender.take_back("cuda:0", float("inf"))
        self.assertEqual(lender.lend(50), ("cuda:0", 50))
        self.assertIsNone(lender.lend(40))
        self.assertEqual(lender.lend(20), ("cuda:0", 20))
        self.assertIsNone(lender.lend(float("inf")))

    def test_sizes_are_those_of_the_problem_file(self):
        self.write("level1/1_a")
        self.call("--prepare")
        contract = (self.output / "problems/level1/1_a/1_a.md").read_text(encoding="utf-8")
        self.assertEqual(prepared.tensor_bytes(contract), 4 * 32 + 8 * 4)


class CandidateTest(unittest.TestCase):
    def test_candidates_are_python_and_come_after_the_file(self):
        text = textwrap.dedent('''
            class Model(Base):
                def __init__(self):
                    super(Model, self).__init__()
        ''')
        for label in ("right", "half", "zero a.b'c"):
            candidate = prepared.candidate_text(text, label)
            compile(candidate, label, "exec")
            self.assertTrue(candidate.startswith("# kgrade: entry ModelNew\n"))
        self.assertIn('''get_parameter("a.b'c")''', candidate)

    def test_spread_takes_them_evenly(self):
        self.assertEqual(common.spread(list(range(10)), 3), [0, 3, 6])
        self.assertEqual(common.spread([1, 2], 3), [1, 2])


@unittest.skipUnless(subprocess.run([os.environ.get("KGRADE_PYTHON", "python3"), "-c", "import torch"],
                                    capture_output=True, check=False).returncode == 0, "no PyTorch")
class PlainTest(unittest.TestCase):
    SOURCE = textwrap.dedent("""
        import torch
        class Model(torch.nn.Module):
            def __init__(self, n, used=True):
                super().__init__()
                self.linear = torch.nn.Linear(n, 3)
                self.scale = torch.nn.Parameter(torch.ones(1))
                self.unused = torch.nn.Parameter(torch.ones(1))
            def forward(self, x, k):
                return self.linear(x) * self.scale, k * x
        def get_inputs(): return [torch.rand(4, 5), 2]
        def get_init_inputs(): return [[5], {"used": False}]
    """)

    def plain(self, what, *names):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "file.py")
            path.write_text(self.SOURCE, encoding="utf-8")
            run = subprocess.run([os.environ.get("KGRADE_PYTHON", "python3"), str(report.PLAIN), what, str(path),
                                  *names, "--device", "cpu"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_how_far_the_answer_moves(self):
        moved = self.plain("difference", "scale", "unused", "linear.bias", "half")
        self.assertEqual(moved["scale"], 1)
        self.assertEqual(moved["unused"], 0)
        self.assertGreater(moved["linear.bias"], 0.01)
        self.assertTrue(1e-5 < moved["half"] < 1e-2)

    def test_the_time_of_a_call(self):
        self.assertGreater(self.plain("time")["median_ms"], 0)


if __name__ == "__main__":
    unittest.main()
