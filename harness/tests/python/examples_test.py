"""The examples of docs/python.md are whole files that are accepted, as the page says.

The environment variable KGRADE names the program; PyTorch is needed, and Triton for the examples that import it.
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
PAGE = ROOT / "docs" / "python.md"
# One of each kind; "everything" has strides, padding, dilation and groups.
CASES = ("tiny", "plain", "everything")


def examples():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def graded(files):
    command = [os.environ["KGRADE"], "grade", "conv-standard-1d", *files, "--device", "emulated", "--json", "-", "--python",
               sys.executable, *(f"--case={case}" for case in CASES)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    return json.loads(done.stdout)["candidates"]


class Examples(unittest.TestCase):
    def test_there_is_a_module_and_a_function(self):
        found = examples()
        self.assertEqual(len(found), 2)
        self.assertIn("class ModelNew", found[0])
        self.assertIn("load_inline", found[0])
        self.assertIn("@triton.jit", found[1])

    def test_they_are_accepted(self):
        with_triton = importlib.util.find_spec("triton") is not None
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, text in enumerate(examples()):
                if with_triton or "triton" not in text:
                    files.append(str(pathlib.Path(folder) / f"example{number}.py"))
                    pathlib.Path(files[-1]).write_text(text, encoding="utf-8")
            for candidate in graded(files):
                self.assertEqual(candidate["verdict"], "accepted", candidate["message"])
                self.assertEqual([case["name"] for case in candidate["cases"] if case["run"]], list(CASES))


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
