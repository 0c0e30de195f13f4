"""BackendBench's suite of PyTorch's own samples: a problem is an operator of PyTorch's list for its tests, with an
element type. Each of its samples becomes a case. A candidate is a function with the operator's arguments.

The list is a part of PyTorch, so samples depend on its version."""

import itertools
import json
import sys
import types
import unittest

import torch

from ..backward import tensors_in
from ..module_file import MOST_CASES, FileError
from .calls import Observed, case_of, mark_largest, refuse_left_out

# The rule in the set's own eval.py. It compares integers in this way, too.
BY_SET = {"absolute": 1e-2, "relative": 1e-2, "matched": 1.0, "largest": None}
# A package that PyTorch's list imports for tests, and does not need for samples.
TEST_PACKAGE = "expecttest"


def define(namespace, text):
    """`text`: {"name", "files": {"sample": {"operator": such as "nn.functional.softmax", "variant": its name among
    operators of that name, or left out, "dtype": "float32" if left out}}} as JSON, whose inner object is JSON too."""
    samples = Samples(**json.loads(json.loads(text)["files"]["sample"]))
    cases = samples.cases()
    mark_largest(cases, f"sample of the operator {samples.name}")
    operator = samples.info.op

    class Model(torch.nn.Module):
        def forward(self, args, kwargs):
            return operator(*args, **kwargs)

    Model.__doc__ = f"{samples.name} in {samples.dtype}".replace("torch.", "")

    def get_inputs(case):
        refuse_left_out(case)
        return samples.inputs_of(case["data"])

    namespace.update(CASES=cases, NOTES=samples.notes, ENTRY=samples.name.rpartition(".")[2], Model=Model, get_inputs=get_inputs,
                     get_init_inputs=lambda _case=None: [])


class Samples:
    """The samples of an operator. `info`: its entry in PyTorch's list."""

    def __init__(self, operator, dtype="float32", variant=""):
        self.name, self.dtype = operator, getattr(torch, dtype, None)
        entries = {each.variant_test_name: each for each in operators() if each.name == operator}
        if variant not in entries:
            other = sorted(entries)
            words = f"; 'variant' is one of {other}" if other else ""
            raise FileError(f"PyTorch {torch.__version__} has no samples of the operator '{operator}'{words}")
        self.info = entries[variant]
        if not isinstance(self.dtype, torch.dtype) or self.dtype not in self.info.supported_dtypes("cpu"):
            known = sorted(str(each).partition(".")[2] for each in self.info.supported_dtypes("cpu"))
            raise FileError(f"the operator {operator} has no samples of type '{dtype}'; 'dtype' is one of "
                             f"{', '.join(known)}")

    def drawn(self):
        """Draws [args, kwargs] of one sample after the other, from PyTorch's global generator."""
        for sample in self.info.sample_inputs("cpu", self.dtype, set_seed=False):
            yield [[sample.input, *sample.args], dict(sample.kwargs)]

    def inputs_of(self, number):
        found = next(itertools.islice(self.drawn(), number, None), None)
        if found is None:
            raise FileError(f"the operator {self.name} has fewer samples now than when it was looked at; use the version of PyTorch that "
                            "read the problem")
        return found

    def cases(self):
        """A case for each sample."""
        cases = []
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            first = list(itertools.islice(self.drawn(), MOST_CASES + 1))
            self.notes = [f"samples after the first {MOST_CASES} are left out"] if len(first) > MOST_CASES else []
            torch.manual_seed(1)
            for number, (given, other) in enumerate(zip(first[:MOST_CASES], self.drawn())):
                cases.append({**case_of("s", number, *given), "by_set": BY_SET})
                reason = None if forms(given) == forms(other) else "its shapes are random"
                try:
                    reason = Observed(self.info.op, *given).reason or reason
                except Exception as error:  # pylint: disable=broad-except
                    reason = f"it raises {type(error).__name__}"
                if reason:
                    cases[-1]["left_out"] = reason
        return cases


def forms(values):
    return [(each.shape, each.dtype) for each in tensors_in(values)]


def operators():
    """PyTorch's list. Its import takes two seconds, and must not change what PyTorch does outside of its tests."""
    freeze, torch.backends.disable_global_flags = torch.backends.disable_global_flags, lambda: None
    stand_in = types.ModuleType(TEST_PACKAGE)
    stand_in.TestCase = unittest.TestCase
    is_new = sys.modules.setdefault(TEST_PACKAGE, stand_in) is stand_in
    try:
        from torch.testing._internal import common_methods_invocations as listed
    finally:
        torch.backends.disable_global_flags = freeze
        if is_new:
            del sys.modules[TEST_PACKAGE]
    # This function of the list seeds an operator, so that it seems to draw no random numbers.
    listed.wrapper_set_seed = lambda function, *args, **kwargs: function(*args, **kwargs)
    return listed.op_db
