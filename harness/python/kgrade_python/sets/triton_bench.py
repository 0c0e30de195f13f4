"""TritonBench-T's problems: one PyTorch function above a line of `#`, and functions `test_...` below, which call it.
Each of these calls becomes a case. A candidate is a function of the same name.

The file's `.backward()` and its comparisons are not looked at.
"""

import ast
import inspect
import json
import types

import torch
from torch.utils import _pytree as pytree

from .. import emulated_cuda, errors
from ..module_file import FileError
from .calls import Observed, case_of, mark_largest, reason_against, refuse_left_out

LONGEST_ERROR = 200


class Reached(BaseException):
    """Ends the tests at the wanted call. The file's `except Exception` does not catch it."""


def define(namespace, text):
    """`text`: {"name", "files": {"tests": the text below the line}} as JSON."""
    given = json.loads(text)
    if any(type(each).__module__.partition(".")[0] == "triton" for each in namespace.values()):
        raise FileError("its reference is a Triton kernel, from which no float64 answer can be computed; choose a problem whose reference is in PyTorch")
    tests = Tests(given["files"]["tests"], given["name"], namespace)
    calls = Calls(tests)
    cases = calls.cases()
    mark_largest(cases, f"call of {tests.entry}() in the tests")
    function = tests.function

    class Model(torch.nn.Module):
        def forward(self, args, kwargs):
            return function(*args, **kwargs)

    Model.__doc__ = (inspect.getdoc(function) or tests.entry).partition("\n")[0]

    def get_inputs(case):
        refuse_left_out(case)
        inputs = tests.inputs_of(case["data"])
        # The names are those of this case: other cases may have other arguments.
        namespace["INPUT_NAMES"] = tests.names_of(*inputs)
        return inputs

    namespace.update(CASES=cases, ENTRY=tests.entry, Model=Model, get_inputs=get_inputs,
                     get_init_inputs=lambda _case=None: [])


class Tests:
    """The test functions. `entry`: the name of the function that they call."""

    def __init__(self, text, name, namespace):
        tree = ast.parse(text)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        own = [each for each, value in namespace.items()
               if isinstance(value, types.FunctionType) and value.__globals__ is namespace and each in used]
        if name not in own and len(own) != 1:
            raise FileError(f"the tests call {len(own)} functions of the file; let them call one, or one named "
                             f"'{name}'")
        self.entry = name if name in own else own[0]
        self.function = namespace[self.entry]
        self.signature = inspect.signature(self.function)
        tree.body = [each for each in tree.body if self.is_definition(each)]
        self.code = compile(tree, "tests", "exec")
        functions = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
        self.names = [each for each in functions if each.startswith("test")]
        self.namespace = namespace

    def is_definition(self, statement):
        """False for the call of the tests, and for an import of the function from its own file."""
        if isinstance(statement, ast.ImportFrom):
            return all(each.name != self.entry for each in statement.names)
        return isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Import)) or not any(
            isinstance(node, ast.Call) for node in ast.walk(statement))

    def run(self, seen):
        """Runs the tests. seen(args, kwargs) is called instead of the function. Returns the errors that end tests, by
        their names."""
        space = {**self.namespace, self.entry: lambda *args, **kwargs: seen(args, kwargs)}
        exec(self.code, space)  # pylint: disable=exec-used
        space[self.entry] = lambda *args, **kwargs: seen(args, kwargs)
        errors = {}
        with torch.enable_grad():
            for name in self.names:
                try:
                    space[name]()
                except Exception as error:  # pylint: disable=broad-except
                    errors[name] = error
        return errors

    def inputs_of(self, wanted):
        """The arguments of the call of this number."""
        count, found = 0, []

        def seen(args, kwargs):
            nonlocal count
            if count == wanted:
                found.extend(self.arranged(args, kwargs))
                raise Reached
            count += 1
            return self.function(*args, **kwargs)

        try:
            self.run(seen)
        except Reached:
            return found
        raise FileError(f"the tests make {count} calls of {self.entry}() now, and more when they were looked at")

    def arranged(self, args, kwargs):
        """[args, kwargs] in the same form for each call: with keywords only for what needs them. `out` is left out,
        since an answer is what the function returns."""
        bound = self.signature.bind(*args, **kwargs)
        bound.arguments.pop("out", None)
        return pytree.tree_map_only(torch.Tensor, without_gradient, [list(bound.args), bound.kwargs])

    def names_of(self, args, kwargs):
        """The names of all tensors among the arguments, by the function's parameters."""
        names = []
        for name, value in self.signature.bind(*args, **kwargs).arguments.items():
            leaves = pytree.tree_leaves(value)
            tensors = [i for i, each in enumerate(leaves) if isinstance(each, torch.Tensor)]
            names += [name if len(leaves) == 1 else f"{name}{i}" for i in tensors]
        return names


class Calls:
    """All calls that the tests make, on the host. `errors`: see Tests.run()."""

    def __init__(self, tests):
        self.tests, self.found = tests, []
        with torch.random.fork_rng(devices=[]), emulated_cuda.DeviceUnderTest():
            self.errors = tests.run(self.see)

    def see(self, args, kwargs):
        given = self.tests.arranged(args, kwargs)
        place = len(self.found)
        self.found.append((given, None, ""))
        try:
            observed = Observed(self.tests.function, args, kwargs)
        except Exception as error:
            self.found[place] = (given, None, f"it raises {in_words(error)}")
            raise
        observed.reason = reason_against(*given, observed.result) or observed.reason
        self.found[place] = (given, observed, observed.reason)
        return observed.result

    def cases(self):
        """A case for each call, and one for the calls that a test does not make because of an error. A call that raises
        may be a test of a wrong argument."""
        cases = [{**case_of("t", number, *given), **({"left_out": reason} if reason else {})}
                 for number, (given, _, reason) in enumerate(self.found)]
        ended = [{"name": f"rest{number}", "role": "test", "data": None, "bytes": 0,
                  "left_out": f"{name}() ends with {in_words(error)}, and makes no further calls"}
                 for number, (name, error) in enumerate(self.errors.items(), 1)]
        return cases + ended


def in_words(error):
    return f"{type(error).__name__}: {errors.printable(str(error).partition(chr(10))[0], LONGEST_ERROR)}"


def without_gradient(tensor):
    return tensor.detach() if tensor.requires_grad else tensor
