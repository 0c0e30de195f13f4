"""The decks of kernelbench.com and KernelBench v3: a file with `Model`, and beside it `shapes.py` with the shapes that the
problem is measured for, and `problem.yaml` with tolerances and forbidden operators."""

import json
import re

from ..errors import in_one_line
from ..module_file import FileError

LONGEST_NAME = 60
TYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
# Tolerances of comparisons that are not of elements.
OTHERS = {"cos_sim"}
# The deck's tolerances for types that problem.yaml does not name.
TOLERANCES = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2, "float8_e4m3fn": 0.1, "float8_e5m2": 0.1}


def define(namespace, text):
    given = json.loads(text)
    problem = json.loads(given["files"].get("problem", "{}"))
    if problem.get("world_size", 1) != 1:
        raise FileError(f"problem.yaml asks for {problem['world_size']} GPUs, and kgrade grades on one; choose a problem "
                         "without world_size")
    if not callable(namespace.get("Model")) or not callable(namespace.get("get_inputs")):
        raise FileError("the file defines no Model with get_inputs(): only the check.py beside it knows how to call it; choose "
                         "a problem with both")
    shapes = shapes_of(given["files"].get("shapes", "")) or [{}]
    by_set = rule_of(problem)
    title = problem.get("display_name") or namespace["Model"].__doc__ or given["name"]
    forbidden = problem.get("forbidden") or []
    forbidden = ", ".join(map(str, forbidden if isinstance(forbidden, list) else [forbidden]))
    namespace["NOTES"] = [f"the deck forbids, and kgrade does not enforce: {forbidden}"] if forbidden else []
    names = [name_of(shape, number) for number, shape in enumerate(shapes, 1)]
    namespace["CASES"] = [{"name": name, "role": "bench", **({"by_set": by_set} if by_set else {}),
                           "scalars": {key: value for key, value in shape.items() if type(value) in (int, float)},
                           "data": shape}
                          for name, shape in zip(names, shapes)]
    namespace["Model"].__doc__ = title
    get_inputs, get_init_inputs = namespace["get_inputs"], namespace.get("get_init_inputs", list)

    def of_shape(function):
        def called(case):
            set_globals(namespace, case["data"])
            return function()

        return called

    namespace.update(get_inputs=of_shape(get_inputs), get_init_inputs=of_shape(get_init_inputs))


def set_globals(namespace, shape):
    """Sets the globals of the file that a shape gives. The deck's own check does so. It names some in capitals."""
    for name, value in shape.items():
        namespace[name if name in namespace else name.upper()] = value


def shapes_of(text):
    """The list SHAPES of a file shapes.py; [] if it has none."""
    found = {}
    try:
        exec(compile(text, "shapes.py", "exec"), found)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-except
        raise FileError(f"shapes.py raised {in_one_line(error, {})}; correct it there") from error
    shapes = found.get("SHAPES", [])
    if not isinstance(shapes, list) or not all(isinstance(each, dict) for each in shapes):
        raise FileError('SHAPES of shapes.py is no list of shapes; write: SHAPES = [{"M": 64, "N": 64}]')
    return shapes


def rule_of(problem):
    """The rule of acceptance for the type that `precision` names last, as in int4_bf16. The deck gives one tolerance for
    each type of an output. None for a deck that compares in another way."""
    given = problem.get("tolerance") or {}
    if not isinstance(given, dict):
        raise FileError(f"problem.yaml has the tolerance {given!r}; write one for each type: {{float32: 1e-4}}")
    given = {str(name).replace("torch.", ""): value for name, value in given.items()}
    precision = str(problem.get("precision", "")).split("_")
    types = [TYPES[each] for each in reversed(precision) if each in TYPES]
    chosen = next((given[each] for each in types if each in given), None)
    if chosen is None and given:
        values = list(given.values())
        chosen = values[0] if not set(given) & OTHERS and all(each == values[0] for each in values) else None
    elif chosen is None and types:
        chosen = TOLERANCES[types[0]]
    if chosen is None:
        return None
    absolute, relative = (chosen.get("atol", 0), chosen.get("rtol", 0)) if isinstance(chosen, dict) else (chosen, chosen)
    try:
        return {"absolute": float(absolute), "relative": float(relative), "matched": 1.0, "largest": None}
    except (TypeError, ValueError):
        raise FileError(f"problem.yaml has the tolerance {chosen!r}, which is no number; write: {{float32: 1e-4}}") from None


def name_of(shape, number):
    words = [f"{name}{value}" for name, value in shape.items()]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    return name if 0 < len(name) <= LONGEST_NAME else f"shape{number}"
