"""tools/wrong_operators.py notices what it is for. KGRADE names the program."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import wrong_operators  # noqa: E402  pylint: disable=wrong-import-position

SLUG = "conv-1d-dilated-strided"


def run(*mistakes):
    """(exit code, what was printed) with these mistakes in the operator `conv` alone."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "table.json")
        table.write_text(json.dumps({"conv": mistakes}))
        printed = io.StringIO()
        with mock.patch.object(wrong_operators, "MISTAKES", table), \
                mock.patch.object(sys, "argv", ["wrong_operators.py", SLUG]), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            return wrong_operators.main(), printed.getvalue()


class Mistakes(unittest.TestCase):
    wrong = {"name": "no-stride", "replace": "output * axis.stride - axis.padding", "with": "output - axis.padding"}
    none = {"name": "none", "replace": "output * axis.stride - axis.padding", "with": "axis.stride * output - axis.padding"}

    def test_one_that_is_refused(self):
        code, printed = run(self.wrong)
        self.assertEqual(code, 0, printed)
        self.assertIn(f"{SLUG}: 1 mistakes, 0 not as they must be", printed)

    def test_one_that_is_accepted(self):
        code, printed = run(self.wrong, self.none)
        self.assertEqual(code, 1)
        self.assertIn("conv.none: accepted", printed)
        self.assertNotIn("conv.no-stride", printed)

    def test_one_that_does_not_compile(self):
        code, printed = run({**self.wrong, "with": "output.stride - axis.padding"})
        self.assertEqual(code, 1)
        self.assertIn("conv.no-stride: compile_error", printed)

    def test_one_that_is_out_of_date(self):
        code, printed = run({**self.wrong, "replace": "no such text"})
        self.assertEqual(code, 1)
        self.assertIn("conv: 'no-stride': its text occurs 0 times in conv.cuh, not once", printed)

    def test_exceptions(self):
        self.assertEqual(run({**self.none, "except": {"conv-1d-.*": "the same"}})[0], 0)
        self.assertEqual(run({**self.none, "uses": "ops::nothing"})[0], 0)


if __name__ == "__main__":
    unittest.main()
