"""What check() of a problem's file may return."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch  # noqa: E402

from kgrade_python.checked_outputs import reason_in  # noqa: E402


class ReasonInTest(unittest.TestCase):
    def test_right_outputs(self):
        for said in (None, True, (True, ""), (True, "what would be wrong"), torch.tensor(True), (torch.tensor([True]), "p = 0.5")):
            self.assertIsNone(reason_in(said))

    def test_wrong_outputs(self):
        for said, reason in (("off by 3", "off by 3"), ((False, "off by 3"), "off by 3"), (torch.tensor(False), "the outputs are wrong"),
                             (False, "the outputs are wrong"), ((False, ""), "the outputs are wrong")):
            self.assertEqual(reason_in(said), reason)

    def test_anything_else_is_an_error_of_check(self):
        for said in (0, 1, 0.5, "", [], [True], (0.5, "text"), ("text", ""), (True, "", 3), torch.tensor(1.0), torch.ones(2) > 0):
            with self.assertRaisesRegex(TypeError, r"check\(\) returns .*; let it return True or None"):
                reason_in(said)


if __name__ == "__main__":
    unittest.main()
