"""Which operators of PyTorch are recorded: those that Python calls, by the names it calls them by, and those of C++."""

import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch  # noqa: E402

from kgrade_python.operator_trace import Trace  # noqa: E402

X, W = torch.rand(1, 2, 9), torch.rand(3, 2, 3)


# Runs in C++, as the operators that an extension calls.
@torch.jit.script
def scripted(x, w):
    return torch.relu(torch.conv1d(x, w)).contiguous()


def names_of(work, calls=1):
    trace = Trace()
    for _ in range(calls):
        with trace.recording("case"):
            work()
    return trace.names()


class Names(unittest.TestCase):
    def test_of_functions_are_those_that_python_calls(self):
        self.assertEqual(names_of(lambda: torch.nn.functional.group_norm(torch.conv1d(X, W), 3)), ["conv1d", "group_norm"])

    def test_of_what_runs_in_cpp_are_the_dispatchers(self):
        self.assertEqual(names_of(lambda: scripted(X, W)), ["convolution", "relu"])

    def test_leave_out_what_computes_nothing(self):
        self.assertEqual(names_of(lambda: X.permute(2, 0, 1).contiguous().to(torch.float64).view(-1).clone()), [])

    def test_of_operators_called_by_their_own_name(self):
        self.assertEqual(names_of(lambda: torch.ops.aten.mul(X, X)), ["mul"])

    def test_are_recorded_in_the_first_call_of_a_case(self):
        trace = Trace()
        for name, work in (("a", torch.sin), ("a", torch.cos), ("b", torch.tan)):
            with trace.recording(name):
                work(X)
        self.assertEqual(trace.names(), ["sin", "tan"])

    def test_of_another_thread_are_not_recorded(self):
        def work():
            thread = threading.Thread(target=torch.conv1d, args=(X, W))
            thread.start()
            thread.join()

        self.assertEqual(names_of(work), [])

    def test_outlive_an_error(self):
        trace = Trace()
        with self.assertRaises(RuntimeError), trace.recording("a"):
            torch.matmul(X, X)
        with trace.recording("b"):
            torch.sin(X)
        self.assertIn("sin", trace.names())


if __name__ == "__main__":
    unittest.main()
