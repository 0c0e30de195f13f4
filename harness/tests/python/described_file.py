"""For tests of how a file with Model, get_inputs and get_init_inputs is described: writes a file and describes it."""

import json
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PROGRAMS))

from kgrade_python.module_description import describe, prepare  # noqa: E402

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
# Of a test's file, line 1 is this one.
FIRST_LINE = HEAD.count("\n") + 1
IDENTITY = """
class Model(nn.Module):
    def forward(self, *all): return sum(x.float().sum() for x in all if isinstance(x, torch.Tensor)) * torch.ones(1)
def get_init_inputs(): return []
"""


def uniform(first, second):
    return {"kind": "uniform", "first": first, "second": second}


class DescribedFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prepare()
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    def describe(self, source, head=HEAD):
        path = self.folder / "23_Softmax.py"
        path.write_text(head + textwrap.dedent(source).removeprefix("\n"), encoding="utf-8")
        description = describe(str(path))
        json.dumps(description, allow_nan=False)
        return description

    def described(self, source):
        description = self.describe(source)
        self.assertNotIn("error", description)
        return description

    def error(self, source, *parts, line=None):
        """`line`: counted in `source`."""
        description = self.describe(source)
        self.assertEqual(set(description), {"error", "line"})
        for part in parts:
            self.assertIn(part, description["error"])
        self.assertNotIn("\n", description["error"])
        if line is not None:
            self.assertEqual(description["line"], line + FIRST_LINE - 1 if line else 0)
        return description["error"]

    def inputs(self, get_inputs):
        """{name: draw} of the inputs of a Model that takes any."""
        found = self.described(IDENTITY + textwrap.dedent(get_inputs))["inputs"]
        return [each["draw"] for each in found]

    def weights(self, constructor):
        lines = textwrap.indent(textwrap.dedent(constructor).strip(), " " * 8)
        found = self.described(f"""
class Model(nn.Module):
    def __init__(self):
        super().__init__()
{lines}
    def forward(self, x): return x + 1
def get_inputs(): return [torch.rand(3)]
def get_init_inputs(): return []
""")
        return {each["module_name"]: each for each in found["weights"]}, found

    # A whole file.
