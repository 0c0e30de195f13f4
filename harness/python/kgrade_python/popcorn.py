"""Submissions to GPU MODE's leaderboards, which begin with lines `#!POPCORN` or import the types of their `task.py`.

Their `custom_kernel(data)` gets tensors and no scalars: the inputs alone (one input is no tuple then), or the inputs and
the outputs that it may write to. Which of these it is, the file shows by what it does with `data`."""

import ast
import importlib.machinery
import re
import sys
import types
import typing

MARK = re.compile(r"^#!POPCORN\b|^\s*from\s+task\s+import\b|^\s*import\s+task\b", re.MULTILINE)

WITH_OUTPUTS = "with outputs"
INPUTS = "inputs"
BARE = "bare"


def form_of_data(source, inputs, outputs, arguments):
    """How `data` is made up, or None where the file is not of this kind, or takes kgrade's own tuple of `arguments`
    inputs and scalars. `inputs`, `outputs`: how many the problem has."""
    if not MARK.search(source):
        return None
    counts = unpacked_counts(ast.parse(source))
    if inputs + outputs in counts:
        return WITH_OUTPUTS
    if inputs in counts:
        return INPUTS
    if arguments in counts:
        return None
    return BARE if inputs == 1 and not counts else WITH_OUTPUTS


def unpacked_counts(tree):
    """Into how many parts the file takes the first parameter of each of its functions apart."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    lengths = {node.name: len(parameters_of(node)) for node in functions if isinstance(node, ast.FunctionDef)}
    counts = set()
    for function in functions:
        parameters = parameters_of(function)
        if parameters:
            counts |= counts_in(function, parameters[0], lengths)
    return counts


def parameters_of(function):
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def counts_in(function, data, lengths):
    """`data, output = data`, `kernel(*data)` with the parameters of that function, and `data[0]`, `data[1]`."""
    counts, largest = set(), None

    def is_data(node):
        return isinstance(node, ast.Name) and node.id == data

    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_data(node.value):
            counts |= {len(target.elts) for target in node.targets if isinstance(target, (ast.Tuple, ast.List))}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in lengths:
            if len(node.args) == 1 and isinstance(node.args[0], ast.Starred) and is_data(node.args[0].value):
                counts.add(lengths[node.func.id])
        elif isinstance(node, ast.Subscript) and is_data(node.value) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, int):
                largest = max(largest or 0, node.slice.value)
    return counts or (set() if largest is None else {largest + 1})


class TaskFinder:
    """Finds what a leaderboard has beside each submission, where no such files are beside it: the types of `task`, and
    `utils`, whose comparisons a submission names and does not need."""

    MODULES = ("task", "utils")

    @classmethod
    def find_spec(cls, name, _path=None, _target=None):
        return importlib.machinery.ModuleSpec(name, cls) if name in cls.MODULES else None

    @staticmethod
    def create_module(spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = type_of_task if spec.name == "task" else tool_of_leaderboard
        return module

    @staticmethod
    def exec_module(_module):
        pass


def type_of_task(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return typing.Any


class Unused:
    """A function or context of a leaderboard's `utils`: what it would check is checked elsewhere."""

    def __init__(self, *_arguments, **_keywords):
        pass

    def __call__(self, *_arguments, **_keywords):
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return False


def tool_of_leaderboard(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Unused


def install(source):
    """Behind all other finders, so that a file `task.py` comes first."""
    if MARK.search(source):
        sys.meta_path.append(TaskFinder)
