"""Submissions to GPU MODE's leaderboards, which begin with lines `#!POPCORN` or import the types of their `task.py`.

Their `custom_kernel(data)` gets tensors and no scalars. `data` is the inputs alone (a single input is not in a tuple),
or the inputs and the outputs that the function may write. The file's use of `data` shows the form."""

import ast
import re
import sys
import typing

from .attribute_modules import AttributeFinder
from .leaderboard_tools import TOOLS

MARK = re.compile(r"^#!POPCORN\b|^\s*from\s+task\s+import\b|^\s*import\s+task\b", re.MULTILINE)

WITH_OUTPUTS = "with outputs"
INPUTS = "inputs"
BARE = "bare"


def form_of_data(source, inputs, outputs, arguments):
    """The form of `data`. None if the file is not such a submission, or takes kgrade's own tuple of `arguments` inputs
    and scalars. `inputs`, `outputs`: the number of the problem's inputs and outputs."""
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
    """The numbers of parts into which the file's functions unpack their first parameter."""
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
    """Counts the parts in `data, output = data`, in `kernel(*data)` by the parameters of `kernel`, and in `data[0]`,
    `data[1]`."""
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


class Unused:
    """A function or context of a leaderboard's `utils` that has no effect here, such as DeterministicContext."""

    def __init__(self, *_arguments, **_keywords):
        pass

    def __call__(self, *_arguments, **_keywords):
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return False


# The modules that a leaderboard puts beside each submission: the types of `task`, and the tools of `utils`. A reference
# compares with these tools. A submission names them, but does not need them.
FINDER = AttributeFinder({"task": lambda _name: typing.Any, "utils": lambda name: TOOLS.get(name, Unused)})


def install(source):
    """Adds the finder after all other finders, so that a file `task.py` takes precedence."""
    if MARK.search(source):
        sys.meta_path.append(FINDER)
