"""Problems of our own in KernelBench's form: a right answer to each is accepted, and plausible wrong ones are refused.

module_answers.py says where the answers are. The environment variable KGRADE names the program; PyTorch is needed. Twenty
problems are drawn by the commit; with KGRADE_ALL all are graded.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

from module_answers import MODULES, answers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
from drawn_problems import drawn  # noqa: E402  pylint: disable=wrong-import-position

REFUSED = ("wrong_answer", "low_precision")
# Problems whose forward() draws random numbers. A right answer may draw others.
RANDOM = {"dropout_training"}
AT_ONCE = 2
PARTS = {
    "model": """
        class Model(torch.nn.Module):
            def forward(self, x):
                return torch.relu(x)
    """,
    "inputs": """
        def get_inputs():
            return [torch.rand(4, 5)]
    """,
    "arguments": """
        def get_init_inputs():
            return []
    """,
}


def grade(problem, candidates):
    command = [os.environ["KGRADE"], "grade", str(problem), *map(str, candidates), "--device", "emulated", "--json", "-",
               "--python", sys.executable]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=MODULES)


class Answers(unittest.TestCase):
    def test_right_ones_are_accepted_and_wrong_ones_refused(self):
        problems = drawn(sorted(MODULES.glob("*.py")))
        candidates = [answers(problem) for problem in problems]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for problem, files, run in zip(problems, candidates, pool.map(grade, problems, candidates)):
                with self.subTest(problem.stem):
                    self.expect_as_named(problem, files, run)

    def expect_as_named(self, problem, files, run):
        self.assertEqual(run.returncode, 1, run.stderr)
        graded = json.loads(run.stdout)["candidates"]
        self.assertEqual(len(graded), len(files))
        for candidate in graded:
            name = pathlib.Path(candidate["path"]).name
            refused = ("unsupported",) if problem.stem in RANDOM else REFUSED
            wanted = ("accepted",) if name.startswith("right") else refused
            with self.subTest(f"{problem.stem}/{name}"):
                self.assertIn(candidate["verdict"], wanted, candidate["message"])

    def test_there_are_enough(self):
        problems = sorted(MODULES.glob("*.py"))
        self.assertGreaterEqual(len(problems), 20)
        for problem in problems:
            with self.subTest(problem.stem):
                names = [file.name for file in answers(problem)]
                self.assertIn("right.py", names)
                self.assertCountEqual(names, set(names))
                self.assertGreaterEqual(sum(name.startswith("wrong_") for name in names), 3)
        self.assertEqual({each.stem for each in problems}, {each.name for each in MODULES.iterdir() if each.is_dir()})


def grade_against_itself(**changed):
    """Model as the candidate, of a file with other parts."""
    with tempfile.TemporaryDirectory() as folder:
        problem, answer = pathlib.Path(folder) / "problem.py", pathlib.Path(folder) / "answer.py"
        text = "import torch\n" + "".join(map(textwrap.dedent, {**PARTS, **changed}.values()))
        problem.write_text(text, encoding="utf-8")
        answer.write_text(text.replace("class Model(", "class ModelNew("), encoding="utf-8")
        return grade(problem, [answer])


class ConversionsOnTheHost(unittest.TestCase):
    def test_a_model_that_converts_to_16_bits(self):
        """PyTorch looks at the processor first, also where the file is only described."""
        run = grade_against_itself(model="""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return (x.half() * 2).float()
        """)
        self.assertEqual(run.returncode, 0, run.stderr)


class NothingToCompare(unittest.TestCase):
    def test_an_output_without_numbers(self):
        run = grade_against_itself(model="""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x * float("nan")
        """)
        self.assertEqual(run.returncode, 2)
        self.assertIn("'output' has no finite element; no candidate can be judged", run.stderr)


class WeightsThatAreLeftOut(unittest.TestCase):
    """Model has a layer with a bias and a batch norm behind it; ModelNew is written without that bias."""

    def graded(self, end):
        with tempfile.TemporaryDirectory() as folder:
            problem, answer = pathlib.Path(folder) / "problem.py", pathlib.Path(folder) / "answer.py"
            model = """
                class Model(torch.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.layer = torch.nn.Linear(5, 3)
                        self.norm = torch.nn.BatchNorm1d(3)
                    def forward(self, x):
                        return %s(self.layer(x))
            """ % end
            text = "import torch\n" + "".join(map(textwrap.dedent, {**PARTS, "model": model}.values()))
            problem.write_text(text, encoding="utf-8")
            answer.write_text(text.replace("class Model(", "class ModelNew(").replace("(5, 3)", "(5, 3, bias=False)"),
                              encoding="utf-8")
            run = grade(problem, [answer])
            return json.loads(run.stdout)["candidates"][0]

    def test_a_weight_that_changes_nothing_may_be(self):
        self.assertEqual(self.graded("self.norm")["verdict"], "accepted")

    def test_one_that_matters_is_missed_and_named(self):
        candidate = self.graded("torch.relu")
        self.assertEqual(candidate["verdict"], "wrong_answer")
        self.assertIn("layer_bias", " ".join(candidate["notes"]))


class Confined(unittest.TestCase):
    """The file is a program from elsewhere, when it is read and when it computes expected outputs."""

    MODEL = """
        import os
        import socket

        def refused(action):
            try:
                action()
            except OSError:
                return True
            return False

        class Model(torch.nn.Module):
            def forward(self, x):
                assert refused(lambda: open(%r)), "reads the checkout"
                assert refused(lambda: os.listdir(os.path.expanduser("~root"))), "reads a home"
                assert refused(lambda: socket.create_connection(("127.0.0.1", %d), 1)), "has a network"
                assert refused(lambda: os.kill(1, 0)), "sees other processes"
                assert not %r & os.environ.keys(), "has the environment"
                open(%r, "w").close()
                return torch.relu(x)
    """

    def test_it_sees_nothing_of_the_machine(self):
        left = f"/tmp/left-by-a-module-{os.getpid()}"
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            run = grade_against_itself(model=self.MODEL % (__file__, port, {"KGRADE"}, left))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse(os.path.exists(left))


class WantOfMemory(unittest.TestCase):
    MODEL = """
        class Model(torch.nn.Module):
            def forward(self, x):
                if %s:
                    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 6.00 GiB.")
                return torch.relu(x)
    """

    def test_the_oracle_has_too_little(self):
        run = grade_against_itself(model=self.MODEL % "x.dtype == torch.float64")
        self.assertEqual((run.returncode, run.stdout), (3, ""), run.stderr)
        self.assertIn("the oracle fails on case 'kernelbench': raised OutOfMemoryError", run.stderr)
        self.assertIn("end programs that take memory", run.stderr)

    def test_a_candidate_wants_too_much(self):
        run = grade_against_itself(model=self.MODEL % "type(self).__name__ == 'ModelNew'")
        self.assertEqual(run.returncode, 1, run.stderr)
        candidate = json.loads(run.stdout)["candidates"][0]
        self.assertEqual(candidate["verdict"], "memory_limit")
        self.assertIn("Tried to allocate 6.00 GiB", candidate["message"])


class FilesThatCannotBeGraded(unittest.TestCase):
    def expect_error(self, message, **changed):
        """Of a file with other parts: `message` in one line that names the file, and exit code 2."""
        run = grade_against_itself(**changed)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertIn("problem.py", run.stderr)
        self.assertIn(message, run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_no_model(self):
        self.expect_error("the file defines no 'Model'", model="")

    def test_no_inputs(self):
        self.expect_error("the file defines no 'get_inputs'", inputs="")

    def test_an_output_of_complex_numbers(self):
        self.expect_error("'output' is of type complex64, which kgrade does not have", model="""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.complex(x, x)
        """)

    def test_computed_inputs_of_another_shape_each_time(self):
        self.expect_error("get_inputs(): gives 'x' of shape [5, 5], where the case has [4, 5]", inputs="""
            def get_inputs():
                return [torch.rand(5 if __name__.startswith("submission") else 4, 5) * 2]
        """)

    def test_computed_inputs_that_cannot_be_computed_again(self):
        self.expect_error("get_inputs(): raised ValueError: no more", inputs="""
            def get_inputs():
                if __name__.startswith("submission"):
                    raise ValueError("no more")
                return [torch.rand(4, 5) * 2]
        """)

    def test_computed_inputs_that_end_the_process(self):
        self.expect_error("get_inputs(): the process ended", inputs="""
            import os
            def get_inputs():
                if __name__.startswith("submission"):
                    os._exit(3)
                return [torch.rand(4, 5) * 2]
        """)

    def test_an_output_that_is_none(self):
        self.expect_error("forward() returns None", model="""
            class Model(torch.nn.Module):
                def forward(self, x):
                    torch.relu(x)
        """)

    def test_a_model_that_cannot_be_built(self):
        self.expect_error("argument", arguments="""
            def get_init_inputs():
                return [1, 2, 3]
        """)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
