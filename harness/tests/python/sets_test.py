"""Public sets' problems, read and graded by the program: small files of our own in each form, right and wrong answers,
both verdicts, and check() of a file. Also by a service. Emulated device."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

import kgrade  # noqa: E402

KGRADE = os.environ["KGRADE"]

GPU_MODE = {"task.yml": """\
description: |
  Add two vectors.
lang: py
tests:
  - {"size": 32, "seed": 1}
  - {"size": 257, "seed": 2}
benchmarks:
  - {"size": 64, "seed": 3}
""", "reference.py": """\
import torch
from task import input_t, output_t
from utils import make_match_reference

def generate_input(size, seed):
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    x = torch.randn(size, device="cuda", generator=gen)
    y = torch.randn(size, device="cuda", generator=gen)
    return x, y, torch.empty(size, device="cuda")

def ref_kernel(data):
    x, y, out = data
    out[...] = x + y
    return out

check_implementation = make_match_reference(ref_kernel, rtol=1e-3, atol=1e-3)
"""}
ONE_TENSOR = {"task.yml": "description: Halve\nbenchmarks:\n  - {\"size\": 32, \"seed\": 1}\n", "reference.py": """\
import torch
def generate_input(size, seed): return torch.randn(size, device="cuda")
def ref_kernel(data): return data / 2
"""}
DEFINITION = {"name": "scaled-sum", "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 16}},
              "inputs": {"x": {"shape": ["M", "N"], "dtype": "bfloat16"}, "scale": {"shape": None, "dtype": "float32"}},
              "outputs": {"total": {"shape": ["M"], "dtype": "bfloat16"}},
              "reference": "import torch\ndef run(x, scale):\n    return (x.float() * scale).sum(-1).to(torch.bfloat16)\n"}
WORKLOAD = "\n".join(json.dumps({"uuid": f"w{m}", "axes": {"M": m},
                                 "inputs": {"x": {"type": "random"}, "scale": {"type": "scalar", "value": 0.5}}})
                     for m in (3, 40))
GROUPS = {"7_twice.py": """\
import json, os
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x, other=None):
        return x * 2 if other is None else x + other

def get_input_groups():
    path = os.path.join(os.path.dirname(__file__), "7_twice.json")
    groups = []
    with open(path) as file:
        for line in file:
            case = json.loads(line)["inputs"]
            group = [torch.randn(case[0]["shape"], dtype=getattr(torch, case[0]["dtype"]))]
            if len(case) > 1:
                group.append(torch.randn(case[1]["shape"], dtype=getattr(torch, case[1]["dtype"])))
            groups.append(group)
    return groups

def get_init_inputs():
    return []
""", "7_twice.json": "".join(json.dumps({"inputs": [{"name": "x", "type": "tensor", "dtype": dtype, "shape": shape}]}) + "\n"
                             for dtype, shape in (("float32", []), ("float32", [2, 3]), ("float16", [4]), ("float32", [5])))}
TESTED = """\
import torch

def blend(x, y=None, weight=0.5):
    return x * weight + (0 if y is None else y)

""" + "#" * 130 + """

def test_blend():
    results = {}
    results["a"] = blend(torch.randn(3, 4, device="cuda"), torch.randn(3, 4, device="cuda"))
    results["b"] = blend(torch.randn(7, device="cuda"), weight=0.25)
    return results

test_results = test_blend()
"""
LINEAR = {"func_forward.py": """\
import torch
import torch.nn as nn

def forward_fn(x, weight):
    return x @ weight

class Model(nn.Module):
    def __init__(self, features=4):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features, features))
    def forward(self, x, fn=forward_fn):
        return fn(x, self.weight)

def get_inputs(batch=2, features=4):
    return [torch.randn(batch, features)]

input_names = ["x"]
""", "config_forward.json": json.dumps({"single_input_configs": [{"batch": 3}], "single_init_configs": [{}],
                                        "single_shared_configs": [{"features": 8}],
                                        "multi_input_configs": [{"batch": 1}, {"batch": 5}], "multi_init_configs": [{}],
                                        "multi_shared_configs": [{"features": 4}]})}
BACKWARD = """\
import torch

class AutogradFunction(torch.autograd.Function):
    backward_fn = None
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight
    @staticmethod
    def backward(ctx, grad_output):
        return AutogradFunction.backward_fn(grad_output, *ctx.saved_tensors)

"""
DECK = {"reference.py": """\
import torch
import torch.nn as nn
M = 4
N = 8

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(M, N)]

def get_init_inputs():
    return []
""", "shapes.py": 'SHAPES = [{"M": 2, "N": 3}, {"M": 5, "N": 16}]\n',
        "problem.yaml": "name: relu\nprecision: fp32\ntolerance:\n  float32: 0.01\nforbidden_ops: []\n"}
SAMPLER = """\
import torch
class Model(torch.nn.Module):
    def forward(self, weights): return torch.multinomial(torch.softmax(weights, 1), 1 << 16, replacement=True)
def get_inputs(): return [torch.rand(4, 16)]
def get_init_inputs(): return []
"""
CHECK = """\
def check(inputs, outputs):
    p = torch.softmax(inputs[0].double(), 1)
    counts = torch.zeros_like(p).scatter_add_(1, outputs, torch.ones_like(outputs, dtype=torch.double))
    far = ((counts / outputs.shape[1] - p).abs() > 0.02).sum().item()
    return far == 0, f"{far} frequencies are far from their probabilities"
"""
OWN_SAMPLER = """\
import torch
class ModelNew(torch.nn.Module):
    def forward(self, w):
        c = torch.softmax(w.double(), 1).cumsum(1)
        u = (1 - torch.rand(w.shape[0], 1 << 16, dtype=torch.double, device=w.device)) ** POWER
        return torch.searchsorted(c, u * c[:, -1:], right=True).clamp(max=w.shape[1] - 1)
"""


class SetsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, files, below="."):
        for name, text in files.items():
            path = self.folder / below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return self.folder / below

    def run_program(self, *words):
        return subprocess.run([KGRADE, *map(str, words)], capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})

    def grade(self, problem, answer, *more, name="answer.py"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(answer, encoding="utf-8")
        record = self.folder / "record.json"
        done = self.run_program("grade", problem, path, "--device", "emulated", "--json", record, *more)
        self.assertTrue(record.exists(), done.stderr + done.stdout)
        return json.loads(record.read_text(encoding="utf-8"))["candidates"][0]

    def cases_of(self, problem, *more):
        done = self.run_program("show", problem, "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {case["name"]: case for case in json.loads(done.stdout)["cases"]}

    def assert_accepted(self, candidate, by_set="accepted"):
        self.assertEqual(candidate["verdict"], "accepted", candidate["message"])
        self.assertEqual(candidate.get("by_set", {}).get("verdict"), by_set)

    def test_gpu_mode(self):
        folder = self.write(GPU_MODE, "vectoradd")
        self.assertEqual([case["role"] for case in self.cases_of(folder).values()], ["test", "test", "bench"])
        head = "import torch\nfrom task import input_t, output_t\ndef custom_kernel(data):\n    x, y, out = data\n"
        self.assert_accepted(self.grade(folder, head + "    torch.add(x, y, out=out)\n    return out\n"))
        self.assert_accepted(self.grade(folder / "task.yml", head + "    return x + y\n"))
        record = json.loads((self.folder / "record.json").read_text(encoding="utf-8"))
        self.assertEqual(record["problem"]["path"], str(folder / "task.yml"))
        near = self.grade(folder, head + "    return (x + y) * 1.0005\n")
        self.assertEqual((near["verdict"], near["by_set"]["verdict"]), ("low_precision", "accepted"))
        self.assertIn("low_precision", near["by_set"]["differs"])
        wrong = self.grade(folder, head + "    return x - y\n")
        self.assertEqual((wrong["verdict"], wrong["by_set"]["verdict"]), ("wrong_answer", "wrong_answer"))

    def test_gpu_mode_data_that_is_one_tensor(self):
        folder = self.write(ONE_TENSOR, "halve")
        body = "import torch\ndef custom_kernel(data):\n    return data * 0.5\n"
        self.assert_accepted(self.grade(folder, body), None)
        self.assert_accepted(self.grade(folder, "from task import input_t\n" + body), None)

    def test_gpu_mode_output_that_the_reference_binds_anew(self):
        reference = GPU_MODE["reference.py"].replace("out[...] = x + y", "out = (x.double() + y)")
        folder = self.write({**GPU_MODE, "reference.py": reference}, "vectoradd")
        for body in ("torch.add(x, y, out=out)\n    return out", "out[...] = x + y", "return x + y"):
            self.assert_accepted(self.grade(folder, f"import torch\ndef custom_kernel(data):\n    x, y, out = data\n    {body}\n"))

    def test_a_sweep_over_tasks(self):
        self.write(GPU_MODE, "tasks/vectoradd")
        self.write({"definition.json": json.dumps(DEFINITION), "workload.jsonl": WORKLOAD}, "tasks/sum")
        head = "import torch\nfrom task import input_t, output_t\ndef custom_kernel(data):\n    x, y, out = data\n"
        answers = self.write({"vectoradd/right.py": head + "    return x + y\n", "vectoradd/wrong.py": head + "    return x * y\n",
                              "sum/right.py": "import torch\ndef run(x, scale):\n    return (x.float() * scale).sum(-1).bfloat16()\n"},
                             "answers")
        lines = self.folder / "results.jsonl"
        done = self.run_program("sweep", "--problems", self.folder / "tasks" / "*", "--solutions", answers, "--device",
                                "emulated", "--output", lines)
        self.assertTrue(lines.exists(), done.stderr)
        records = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
        verdicts = {"_".join(Path(each["path"]).with_suffix("").parts[-2:]): each["verdict"] for record in records for each in record["candidates"]}
        self.assertEqual({name: verdicts.get(name) for name in ("vectoradd_right", "vectoradd_wrong")},
                         {"vectoradd_right": "accepted", "vectoradd_wrong": "wrong_answer"}, done.stderr)

    def test_definition_and_workloads(self):
        folder = self.write({"definition.json": json.dumps(DEFINITION), "workload.jsonl": WORKLOAD}, "sum")
        self.assertEqual([case["parameters"]["M"] for case in self.cases_of(folder).values()], [3, 40])
        right = "import torch\ndef run(x, scale):\n    return x.float().sum(-1).mul(scale).bfloat16()\n"
        self.assert_accepted(self.grade(folder / "definition.json", right, "--case", next(iter(self.cases_of(folder)))))

    def test_input_groups_of_several_types(self):
        problem = self.write(GROUPS) / "7_twice.py"
        self.assertEqual(len(self.cases_of(problem)), 3)
        self.assertEqual(len(self.cases_of(problem, "--dtype", "float16")), 1)
        answer = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return x + x\n"
        self.assert_accepted(self.grade(problem, answer))
        self.assert_accepted(self.grade(problem, answer, "--dtype", "float16"))

    def test_functions_with_tests(self):
        problem = self.write({"blend.py": TESTED}) / "blend.py"
        self.assertEqual(len(self.cases_of(problem)), 2)
        answer = "import torch\ndef blend(x, y=None, weight=0.5):\n    return weight * x if y is None else torch.add(y, x, alpha=weight)\n"
        self.assert_accepted(self.grade(problem, answer), None)
        self.assertEqual(self.grade(problem, answer.replace("weight * x", "x"))["verdict"], "wrong_answer")

    def test_answers_that_get_too_little_are_unsupported(self):
        problem = self.write({"blend.py": TESTED.replace('torch.randn(7, device="cuda")', 'torch.randn(3, 4, device="cuda")')}) / "blend.py"
        kernel = 'extern "C" void solution(const float* x, const float* y, float* output) {}\n'
        shown = self.run_program("show", problem).stdout
        self.assertIn("No entry point in CUDA C++: the shape of 'y' is", shown)
        self.assertIn("def blend(...):", shown)
        done = self.grade(problem, kernel, name="answer.cu")
        self.assertEqual(done["verdict"], "unsupported")
        self.assertIn("the shape of 'y' is", done["message"])
        one = next(iter(self.cases_of(problem)))
        self.assertNotEqual(self.grade(problem, kernel, "--case", one, name="answer.cu")["verdict"], "unsupported")
        same = 'torch.randn(3, 4, device="cuda"), torch.randn(3, 4, device="cuda")'
        problem.write_text(TESTED.replace('torch.randn(7, device="cuda")', same), encoding="utf-8")
        function = self.grade(problem, "def solution(x, y):\n    return x * 0.5 + y\n")
        self.assertEqual(function["verdict"], "unsupported")
        self.assertIn("no argument of a function in Python tells this", function["message"])
        self.assertIn("No function `solution` in Python", self.run_program("show", problem).stdout)

    def test_settings_in_a_config(self):
        folder = self.write(LINEAR, "linear")
        self.assertEqual(len(self.cases_of(folder)), 3)
        answer = LINEAR["func_forward.py"].replace("x @ weight", "torch.matmul(x, weight)")
        cases = [word for name in self.cases_of(folder) for word in ("--case", name)]
        self.assert_accepted(self.grade(folder, answer, *cases))
        function = "import torch\ndef forward_fn(x, weight):\n    return torch.matmul(x, weight)\n"
        self.assert_accepted(self.grade(folder, function, *cases))
        self.assertEqual(self.grade(folder, function.replace("matmul(x", "matmul(2 * x"), *cases)["verdict"], "wrong_answer")

    def test_gradients_by_a_function(self):
        folder = self.write({"func_backward.py": BACKWARD + LINEAR["func_forward.py"],
                             "config_backward.json": LINEAR["config_forward.json"]}, "linear")
        problem = folder / "func_backward.py"
        cases = [word for name in self.cases_of(problem) for word in ("--case", name)]
        function = "def backward_fn(grad, x, weight):\n    return grad @ weight.t(), x.t() @ grad\n"
        self.assert_accepted(self.grade(problem, function, *cases))
        self.assert_accepted(self.grade(problem, BACKWARD + LINEAR["func_forward.py"] + function, *cases))
        self.assertEqual(self.grade(problem, function.replace(".t() @ grad", ".t() @ -grad"), *cases)["verdict"], "wrong_answer")

    def test_shapes_of_a_deck(self):
        folder = self.write(DECK, "relu")
        shapes = [case["tensors"][0]["shape"] for case in self.cases_of(folder / "reference.py").values()]
        self.assertEqual(shapes, [[2, 3], [5, 16]])

    def test_check_of_a_file(self):
        right, wrong = OWN_SAMPLER.replace("POWER", "1"), OWN_SAMPLER.replace("POWER", "2")
        problem = self.write({"sampler.py": SAMPLER}) / "sampler.py"
        undecided = self.grade(problem, right)
        self.assertEqual(undecided["verdict"], "unsupported")
        self.assertIn("the problem is random", undecided["message"])
        same = SAMPLER.partition("def get_inputs")[0].replace("Model", "ModelNew")
        self.assertEqual(self.grade(problem, same)["verdict"], "accepted")
        problem.write_text(SAMPLER + CHECK, encoding="utf-8")
        self.assertEqual(self.grade(problem, right)["verdict"], "accepted")
        refused = self.grade(problem, wrong)
        self.assertEqual(refused["verdict"], "wrong_answer")
        self.assertIn("far from their probabilities", refused["message"])

    def test_what_is_missing_is_said(self):
        self.write({"definition.json": json.dumps(DEFINITION)}, "sum")
        done = self.run_program("show", self.folder / "sum")
        self.assertEqual(done.returncode, 2)
        self.assertIn("workload", done.stderr)
        done = self.run_program("show", self.write({"task.yml": GPU_MODE["task.yml"]}, "task"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("reference.py", done.stderr)

    def test_paths_and_options_that_mean_nothing_are_explained(self):
        def refused(*words):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        deck = self.write(DECK, "relu")
        data = self.write({"data.json": "{}"}, "other")
        self.assertIn("no problem of a set that kgrade reads", refused("show", data / "data.json"))
        self.assertIn("no problem of a set that kgrade reads", refused("show", data))
        self.assertIn("no candidate is named", refused("grade", deck))
        self.assertIn("matches no problem", refused("sweep", "--problems", self.folder / "nosuch*", "--output", self.folder / "o.jsonl"))
        answer = self.write({"answer.py": "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return x.relu()\n"})
        self.assertIn("as in --case m2-n3;", refused("grade", deck, answer / "answer.py", "--case", "M=7", "--device", "emulated"))

    def test_a_solution_elsewhere(self):
        folder = self.write({"definition.json": json.dumps(DEFINITION), "workload.jsonl": WORKLOAD}, "sum")
        solution = {"name": "mine", "definition": "scaled-sum", "spec": {"language": "python", "entry_point": "main.py::run"},
                    "sources": [{"path": "main.py", "content": "def run(x, scale, total):\n"
                                 "    total.copy_((x.float() * scale).sum(-1))\n"}]}
        case = ["--case", next(iter(self.cases_of(folder)))]
        self.assert_accepted(self.grade(folder, json.dumps(solution), *case, name="elsewhere/solution.json"))
        other = self.grade(folder, json.dumps({**solution, "definition": "other"}), *case, name="elsewhere/solution.json")
        self.assertEqual(other["verdict"], "compile_error")
        self.assertIn("is for the definition 'other', and the problem is 'scaled-sum'", other["message"])
        bound = {**solution, "spec": {"language": "cuda", "entry_point": "main.cu::run"}, "sources": [{"path": "main.cu", "content": "int x;"}]}
        self.assertEqual(self.grade(folder, json.dumps(bound), *case, name="elsewhere/solution.json")["verdict"], "unsupported")

    def test_by_a_service(self):
        """Paths are graded by a service as by `kgrade grade`. Problems of two sets with the same name stay apart."""
        tried = subprocess.run([KGRADE, "serve", "--listen", "x"], capture_output=True, text=True, check=False)
        if "without Boost" in tried.stderr:
            self.skipTest(tried.stderr)
        task, tested = self.write(GPU_MODE, "blend"), self.write({"blend.py": TESTED}) / "blend.py"
        head = "import torch\ndef custom_kernel(data):\n    x, y, out = data\n"
        blend = "import torch\ndef blend(x, y=None, weight=0.5):\n    return x * weight if y is None else x * weight + y\n"
        items = [(task, head + "    return x + y\n"), (str(task / "task.yml"), head + "    return (x + y) * 1.0005\n"), (tested, blend),
                 (task / "reference.py", head + "    return x - y\n"), (str(tested), blend.replace("+ y", "- y"))]
        environment = {"KGRADE_PROGRAM": KGRADE, "XDG_CACHE_HOME": str(self.folder / "cache")}
        with mock.patch.dict(os.environ, environment), kgrade.local(device="emulated", jobs=1) as client:
            grades = client.grade_many([(*item, "answer.py") for item in items])
            self.assertEqual([each.verdict for each in grades],
                             ["accepted", "low_precision", "accepted", "wrong_answer", "wrong_answer"], grades)
            self.assertEqual([(each.cases, each.cases_passed) for each in grades], [(3, 3), (3, 0), (2, 2), (3, 0), (2, 1)])
            records = [client.record(each) for each in grades]
            self.assertEqual({record["problem"]["slug"] for record in records}, {"blend"})
            self.assertEqual([(record["candidates"][0].get("by_set") or {}).get("verdict") for record in records],
                             ["accepted", "accepted", None, "wrong_answer", None])
            digests = [each.problem_sha256 for each in grades]
            self.assertEqual([digests.index(each) for each in digests], [0, 0, 2, 0, 2])
            uploaded = client.upload(task)
            self.assertEqual(uploaded["sha256"], digests[0])

            async def grade():
                return await kgrade.AsyncClient(client.url).grade(uploaded, items[0][1], name="answer.py")
            self.assertEqual(asyncio.run(grade()).verdict, "accepted")

    def test_the_list_of_sets(self):
        listed = json.loads(self.run_program("sets", "--json").stdout)
        self.assertTrue(all(each["licence"] and each["source"] for each in listed))
        self.assertIn("not for training", " ".join(each["licence"] for each in listed))


if __name__ == "__main__":
    unittest.main()
