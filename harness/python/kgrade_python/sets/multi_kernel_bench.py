"""MultiKernelBench's NPUKernelBench problems: a file with `Model`, `get_init_inputs` and `get_input_groups`. The last
one reads the file of JSON lines beside it, and returns the inputs of each line. Each line becomes a case.

A line: {"inputs": [{"name", "type": "tensor", "dtype", "shape": null if left out}
                    or {"name", "type": "tensor_list", "dtype", "shapes"} or {"name", "type": "attr", "value"}]}
"""

import inspect
import io
import json
import math
import re
import sys
import textwrap

from ..attribute_modules import AttributeFinder
from ..module_file import FileError
from .calls import MOST_AXES, refuse_left_out

# The rule in the set's own utils/correctness.py.
BY_SET = {"absolute": 1e-4, "relative": 1e-4, "matched": 1.0, "largest": None}
# The most measured cases for each element type.
MOST_MEASURED = 3
# The package of an accelerator, which some files import.
ACCELERATOR = "torch_npu"
# The methods in the docstring of a Model whose forward() calls the accelerator's own function.
METHODS = re.compile(r"^[ \t]*def forward\(.*", re.MULTILINE | re.DOTALL)


def function_of_accelerator(name):
    def refuse(*_, **__):
        raise FileError(f"{ACCELERATOR}.{name} needs an Ascend NPU; write it in PyTorch")

    return refuse


FINDER = AttributeFinder({ACCELERATOR: function_of_accelerator})


def prepare():
    """Lets files import the accelerator's package. Must be called before the set's file runs."""
    if FINDER not in sys.meta_path:
        sys.meta_path.append(FINDER)


def define(namespace, text):
    """`text`: {"name", "files": {name: text}} as JSON, with the file of JSON lines as the only file."""
    prepare()
    files = json.loads(text)["files"]
    if len(files) != 1:
        raise FileError("the problem needs one file of cases; put the file of the same name with .json beside it")
    name, lines = next(iter(files.items()))
    groups, build = namespace["get_input_groups"], namespace["get_init_inputs"]
    make_portable(namespace["Model"], namespace)
    parameters = [*inspect.signature(namespace["Model"].forward).parameters][1:]
    cases = cases_of(lines, name)
    for case in cases:
        case["scalars"] = scalars_of(case, parameters)
    namespace["CASES"] = cases
    namespace.setdefault("__file__", name)

    def get_inputs(case):
        refuse_left_out(case)
        namespace["open"] = lambda *_, **__: io.StringIO(case["data"])
        try:
            drawn = groups()
        finally:
            del namespace["open"]
        if len(drawn) != 1:
            raise FileError(f"get_input_groups() returns {len(drawn)} groups for a line of {name}; let it return one")
        return list(drawn[0])

    def get_init_inputs(_case=None):
        return build()

    namespace["get_inputs"], namespace["get_init_inputs"] = get_inputs, get_init_inputs


def make_portable(model, namespace):
    """Gives Model the methods in its docstring if its forward() calls the accelerator."""
    if ACCELERATOR in model.forward.__code__.co_names:
        found, methods = METHODS.search(model.__doc__ or ""), {}
        if found is None:
            raise FileError(f"forward() calls {ACCELERATOR}, which needs an Ascend NPU, and Model's docstring has no "
                             "'def forward' in PyTorch; add one")
        exec(textwrap.dedent(found[0]), namespace, methods)  # pylint: disable=exec-used
        for name, method in methods.items():
            setattr(model, name, method)
    model.__doc__ = (model.__doc__ or "").strip().partition("\n")[0]


def cases_of(lines, name):
    """The cases of all lines, with the measured ones marked."""
    cases = []
    for number, line in enumerate(filter(str.strip, lines.splitlines()), 1):
        try:
            inputs = json.loads(line)["inputs"]
            tensors = [each for info in inputs for each in tensors_of(info)]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FileError(f"line {number} of {name} is no case: {error!r}; write an object with 'inputs'") from error
        cases.append(case_of(number, line, tensors))
    measured = {}
    for case in sorted(cases, key=lambda each: -each["bytes"]):
        of_type = measured.setdefault(case["type"], [])
        if "left_out" not in case and len(of_type) < MOST_MEASURED:
            of_type.append(case)
            case["role"] = "bench"
    if not cases:
        raise FileError(f"{name} has no line; write one object with 'inputs' in each line")
    return cases


def tensors_of(info):
    """[(element type, shape)] of one entry of a line."""
    if info["type"] == "tensor_list":
        return [(info["dtype"], shape) for shape in info["shapes"]]
    is_tensor = info["type"] == "tensor" and info["shape"] is not None
    return [(info["dtype"], info["shape"])] if is_tensor else []


def case_of(number, line, tensors):
    dtype, shape = tensors[0] if tensors else ("none", [])
    extents = "x".join(str(extent) for extent in shape[:MOST_AXES]) or "scalar"
    case = {"name": f"w{number:02}-{extents}", "role": "test", "by_set": BY_SET, "data": line,
            "type": re.sub(r"^(b?)fp?(?=\d)", r"\1float", dtype),
            "bytes": sum(math.prod(shape) * bytes_of(dtype) for dtype, shape in tensors)}
    if any(dtype.startswith("complex") for dtype, _ in tensors):
        case["left_out"] = "an input is complex"
    return case


def bytes_of(dtype):
    bits = re.search(r"\d+$", dtype)
    return int(bits[0]) // 8 if bits else 1


def scalars_of(case, parameters):
    """{name: number} of the numbers in the line that forward() takes by this name."""
    values = {info["name"]: info.get("value") for info in json.loads(case["data"])["inputs"] if info["type"] == "attr"}
    return {name: value for name, value in values.items() if type(value) in (int, float) and name in parameters}
