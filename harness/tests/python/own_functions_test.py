"""Whether a worker sees that a candidate has replaced functions of kgrade's."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python import errors, own_functions, stand_ins  # noqa: E402


def other(*_):
    return "something else"


class OwnFunctions(unittest.TestCase):
    def setUp(self):
        self.finder = stand_ins.Finder(bool)
        self.before = own_functions.found()

    def replaced(self, *instances):
        try:
            own_functions.compare(self.before, instances)
        except errors.Replaced as error:
            return str(error).rpartition(" ")[2]
        return None

    def test_are_what_they_were_in_an_honest_worker(self):
        self.assertIn("stand_ins.Finder.find_spec", self.before)
        self.finder.fits = other  # of the instance itself
        sys.modules["kgrade_python.later"] = types.ModuleType("kgrade_python.later")
        self.addCleanup(sys.modules.pop, "kgrade_python.later")
        self.assertIsNone(self.replaced(self.finder))

    def test_may_not_be_replaced(self):
        for owner, name, found in ((errors, "printable", "'errors.printable'"),
                                   (stand_ins, "Unsupported", "'stand_ins.Unsupported'"),
                                   (stand_ins.Finder, "find_spec", "'stand_ins.Finder.find_spec'"),
                                   (stand_ins.Finder, "exec_module", "'stand_ins.Finder.exec_module'")):
            with mock.patch.object(owner, name, other):
                self.assertEqual(self.replaced(), found)

    def test_have_their_code_and_their_defaults(self):
        for part, value in (("__code__", other.__code__), ("__defaults__", (1,)), ("__kwdefaults__", {"longest": 1})):
            for function, found in ((errors.printable, "'errors.printable'"),
                                    (stand_ins.Finder.create_module, "'stand_ins.Finder.create_module'")):
                kept = getattr(function, part)
                setattr(function, part, value)
                self.assertEqual(self.replaced(), found)
                setattr(function, part, kept)
        self.assertIsNone(self.replaced())

    def test_may_not_be_removed(self):
        kept = errors.place_of
        self.addCleanup(setattr, errors, "place_of", kept)
        del errors.place_of
        self.assertEqual(self.replaced(), "'errors.place_of'")

    def test_may_not_be_hidden_by_an_instance(self):
        self.finder.find_spec = other
        self.assertEqual(self.replaced(self.finder), "'Finder.find_spec'")


if __name__ == "__main__":
    unittest.main()
