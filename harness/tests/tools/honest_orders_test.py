"""tools/honest_orders.py notices what it is for. KGRADE names the program."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import honest_orders  # noqa: E402  pylint: disable=wrong-import-position

SLUG = "running-sum-1d"
WINDOW = (honest_orders.ORDERS / "window.cuh").read_text(encoding="utf-8")


def run(text, *arguments):
    """(exit code, what was printed) with this text as the only file of orders, or with none."""
    with tempfile.TemporaryDirectory() as folder:
        if text:
            pathlib.Path(folder, "window.cuh").write_text(text, encoding="utf-8")
        printed = io.StringIO()
        options = ["honest_orders.py", SLUG, "--only", "block", *arguments, "--", "--device", "emulated", "--hidden", "0"]
        with mock.patch.object(honest_orders, "ORDERS", pathlib.Path(folder)), mock.patch.object(sys, "argv", options), \
                contextlib.redirect_stdout(printed):
            return honest_orders.main(), printed.getvalue()


class Orders(unittest.TestCase):
    def test_an_honest_one(self):
        code, printed = run(WINDOW)
        self.assertEqual(code, 0, printed)

    def test_one_that_is_wrong(self):
        self.assertIn("count - 1); j", WINDOW)
        code, printed = run(WINDOW.replace("count - 1); j", "count - 2); j"))
        self.assertEqual(code, 1)
        self.assertIn("window-block.cu: wrong_answer", printed)

    def test_a_problem_without_orders(self):
        code, printed = run("", "--list")
        self.assertEqual(code, 1)
        self.assertIn(f"{SLUG}: NO ORDER", printed)

    def test_one_that_is_out_of_date(self):
        with self.assertRaisesRegex(SystemExit, "window.cuh defines no_such_sum not once"):
            run(WINDOW.replace("in the place of: window_sum", "in the place of: no_such_sum"))


if __name__ == "__main__":
    unittest.main()
