"""GPU MODE's reference-kernels: `task.yml` and `reference.py` with `generate_input` and `ref_kernel`."""

import ast
import inspect
import json
import re

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from ..backward import tensors_in
from ..leaderboard_tools import MatchReference
from ..module_file import FileError

# The function that an answer defines. It gets the same argument as ref_kernel().
ENTRY = "custom_kernel"
LONGEST_NAME = 40
# Methods and functions whose result holds the same memory as their argument.
VIEWS = {"view", "reshape", "permute", "transpose", "t", "unsqueeze", "squeeze", "flatten", "narrow", "detach", "expand",
         "enumerate", "zip", "reversed", "list", "tuple", "items", "values"}
FORM = {"shape", "dtype", "device", "ndim", "size", "dim", "stride", "numel", "is_cuda", "T"}
COMPARISONS = {"verbose_allclose": (1e-5, 1e-8), "match_reference": (1e-5, 1e-8), "allclose": (1e-5, 1e-8),
               "verbose_allequal": (0.0, 0.0), "equal": (0.0, 0.0)}


def define(namespace, text):
    given = json.loads(text)
    task = json.loads(given["files"]["task"])
    if task.get("multi_gpu"):
        raise FileError("task.yml says multi_gpu, and kgrade grades on one GPU; choose a task without it")
    for name in ("generate_input", "ref_kernel"):
        if not callable(namespace.get(name)):
            raise FileError(f"reference.py defines no '{name}'; kgrade reads tasks that define generate_input() and "
                             "ref_kernel()")
    tree = tree_of(namespace)
    reference = Reference(tree)
    rule = rule_of(namespace.get("check_implementation"), tree)
    cases = cases_of(task)
    for case in cases:
        case.update({"by_set": rule} if isinstance(rule, dict) else {})
    generate, kernel = namespace["generate_input"], namespace["ref_kernel"]
    takes_seed = "seed" in inspect.signature(generate).parameters

    def get_inputs(case):
        seed = {"seed": torch.initial_seed() % 2**31} if takes_seed else {}
        with OneGenerator():
            data = plain(reference.with_blanks(generate(**{**case["data"], **seed})))
        namespace["INPUT_NAMES"] = names_within(data, reference.names)
        return [data]

    class Model(torch.nn.Module):
        __doc__ = title_of(task, given["name"])

        def forward(self, data):
            tensors = tensors_in(data)
            # Weights of modules that ref_kernel() makes are then made where its data is.
            with torch.device(tensors[0].device if tensors else "cuda"):
                return reference.in_form_of_memory(kernel(rebuilt(data, namespace)), data)

    namespace.update(CASES=cases, ENTRY=ENTRY, Model=Model, get_inputs=get_inputs, get_init_inputs=lambda case: [])
    if rule == "property":
        def check(inputs, outputs):
            said = namespace["check_implementation"](rebuilt(inputs[0], namespace), outputs)
            return said or None if isinstance(said, str) else said  # "" is the set's word for right outputs

        namespace["check"] = check


class OneGenerator(TorchFunctionMode):
    """A context in which all draws are from PyTorch's global generators, whose seed kgrade chooses."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **{name: each for name, each in (kwargs or {}).items() if name != "generator"})


def tree_of(namespace):
    """The syntax tree of the file that has run; an empty one if it did not run from a file."""
    if not namespace.get("__file__"):
        return ast.parse("")
    with open(namespace["__file__"], encoding="utf-8") as file:
        return ast.parse(file.read())


def title_of(task, name):
    lines = [each.strip() for each in str(task.get("description") or "").splitlines()]
    return next((each for each in lines if each), name)


def cases_of(task):
    """The tests and benchmarks of a task. Parameters that occur in both make one case, which is measured."""
    for parameters in [*(task.get("tests") or []), *(task.get("benchmarks") or [])]:
        if not isinstance(parameters, dict):
            raise FileError(f"task.yml has {parameters!r} among its tests and benchmarks; write parameters: - {{\"size\": 64}}")
    measured = [without_seed(each) for each in task.get("benchmarks") or []]
    tested = [without_seed(each) for each in task.get("tests") or []]
    cases, names = [], set()
    for parameters in [*tested, *measured]:
        if any(case["data"] == parameters for case in cases):
            continue
        number = len(cases) + 1
        name = name_of(parameters) or f"case{number}"
        if len(name) > LONGEST_NAME or name in names:
            name = f"case{number}"
        names.add(name)
        cases.append({"name": name, "role": "bench" if parameters in measured else "test", "data": parameters,
                      "scalars": {key: value for key, value in parameters.items() if type(value) in (int, float)}})
    if not cases:
        raise FileError("task.yml has no tests and no benchmarks; add one")
    return cases


def without_seed(parameters):
    return {name: value for name, value in parameters.items() if name != "seed"}


def name_of(parameters):
    words = [value if isinstance(value, str) else f"{name}{value}" for name, value in parameters.items()
             if not isinstance(value, bool) or value]
    words = [re.sub(r"[^a-z0-9]+", "-", re.sub(r"True$", "", each).lower()).strip("-") for each in words]
    return "-".join(each for each in words if each)


def rule_of(check, tree):
    """The set's rule of acceptance as `by_set`; "property" if it compares with no expected output; None if it is not
    known."""
    if isinstance(check, MatchReference):
        return rule(check.rtol, check.atol, 1 - check.tol_err_ratio)
    function = function_in(tree, "check_implementation")
    if function is None:
        return None
    found = {each for node in ast.walk(function) if (each := tolerances_of(node)) is not None}
    if not found:
        return "property"
    tolerances = found.pop()
    return rule(*tolerances) if not found and None not in tolerances else None


def rule(relative, absolute, matched=1.0):
    return {"absolute": absolute, "relative": relative, "matched": matched, "largest": None}


def tolerances_of(node):
    """(relative, absolute) of a call that compares; None for another node. A tolerance that is no literal is None."""
    if not isinstance(node, ast.Call):
        return None
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in COMPARISONS:
        return None
    found = dict(zip(("rtol", "atol"), COMPARISONS[called]))
    for keyword in node.keywords:
        if keyword.arg in found:
            found[keyword.arg] = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    return found["rtol"], found["atol"]


def function_in(tree, name):
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)


class Reference:
    """What the text of ref_kernel() does with the parts of `data`. `names`: of the parts, or None if it does not unpack
    them. `outputs`: the numbers of parts whose contents it never reads, since it writes them or gives their name to what
    it returns."""

    def __init__(self, tree):
        function = function_in(tree, "ref_kernel") or ast.parse("def ref_kernel(data): return data").body[0]
        self.parameter = function.args.args[0].arg
        unpacking = next((node for node in ast.walk(function) if isinstance(node, ast.Assign)
                          and getattr(node.value, "id", None) == self.parameter
                          and isinstance(node.targets[0], (ast.Tuple, ast.List))), None)
        parts = unpacking.targets[0].elts if unpacking else [ast.Name(self.parameter)]
        if not all(isinstance(each, ast.Name) for each in parts):
            parts = [ast.Name(self.parameter)]
        found = [each.id for each in parts]
        written = written_names(function, found)
        reads = read_names(function)
        targets = set(ast.walk(unpacking.targets[0])) if unpacking else set()
        bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                 and node not in targets}
        self.is_one = parts[0].id == self.parameter and len(parts) == 1
        self.outputs = [i for i, name in enumerate(found)
                        if name in written | bound and name not in reads and not self.is_one]
        self.names = found if self.is_one else named_parts(found, function_in(tree, "generate_input") or function)

    def with_blanks(self, data):
        """`data` with new memory in place of its outputs, so that nobody sees what they held."""
        if not self.outputs or not isinstance(data, (list, tuple)):
            return data
        return type(data)(mapped(each, torch.empty_like) if i in self.outputs else each for i, each in enumerate(data))

    def in_form_of_memory(self, result, data):
        """The result with the shape and type of the memory that `data` has for it. An answer writes into that memory, while
        ref_kernel() may return a tensor without axes, or in float64."""
        memory = data[self.outputs[0]] if len(self.outputs) == 1 else None
        are_tensors = isinstance(result, torch.Tensor) and isinstance(memory, torch.Tensor)
        return result.reshape(memory.shape).to(memory.dtype) if are_tensors and result.numel() == memory.numel() else result


def named_parts(names, generate):
    """The names, with those that generate_input() returns in the place of `_`."""
    returned = getattr(generate.body[-1], "value", None)
    others = [base_of(each) for each in getattr(returned, "elts", [])]
    if len(others) != len(names):
        others = [None] * len(names)
    return [(others[i] or f"part{i}") if name == "_" else name for i, name in enumerate(names)]


def written_names(function, parts):
    """The parts whose memory the function may write to, itself or through a view."""
    roots = {name: {name} for name in parts}
    for _ in range(3):
        for node in ast.walk(function):
            if isinstance(node, (ast.For, ast.comprehension)):
                add_roots(roots, node.target, node.iter)
            elif isinstance(node, ast.Assign):
                add_roots(roots, node.targets[0], node.value)
    written = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            places = [each for each in targets if isinstance(each, ast.Subscript) or isinstance(node, ast.AugAssign)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            places = [node.func.value]
        elif isinstance(node, ast.keyword) and node.arg == "out":
            places = [node.value]
        else:
            continue
        for place in places:
            written |= roots.get(base_of(place), set())
    return written


def add_roots(roots, target, value):
    found = set().union(*(roots.get(name, set()) for name in viewed_names(value)))
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in found:
            roots[node.id] = roots.get(node.id, set()) | found


def viewed_names(value):
    """The names whose memory the value of an expression may hold."""
    if isinstance(value, ast.Name):
        return {value.id}
    if isinstance(value, (ast.Subscript, ast.Attribute, ast.Starred)):
        return viewed_names(value.value)
    if isinstance(value, (ast.Tuple, ast.List)):
        return set().union(*map(viewed_names, value.elts))
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr in VIEWS:
            return viewed_names(value.func.value)
        if getattr(value.func, "id", None) in VIEWS:
            return set().union(*map(viewed_names, value.args))
    return set()


def base_of(node):
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", None)


def read_names(function):
    """The names whose values the function reads. It does not read a name to write to it, to return it or to ask for its
    shape, type or device."""
    free, read = set(), set()
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            free.add(id(node.value))
        elif isinstance(node, ast.Attribute) and node.attr in FORM:
            free.add(id(node.value))
        elif isinstance(node, ast.AugAssign):
            read.add(base_of(node.target))
        elif isinstance(node, ast.Return) and node.value is not None:
            free |= {id(each) for each in getattr(node.value, "elts", [node.value])}
    return read | {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and id(node) not in free
                   and isinstance(node.ctx, ast.Load)}


def mapped(value, change):
    """The value with change(tensor) in place of each tensor in it."""
    return pytree.tree_map(lambda each: change(each) if isinstance(each, torch.Tensor) else each, value)


def plain(value):
    """The value with a dictionary in place of each object of a class of the file."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, torch.nn.Module):
        parts = {name: each for name, each in vars(value).items() if name[0] != "_" and name != "training"}
        return {"class": type(value).__name__, **plain({**parts, **dict(value.named_buffers(recurse=False)),
                                                        **dict(value.named_parameters(recurse=False))})}
    if hasattr(value, "__dict__") and not isinstance(value, torch.Tensor):
        return {"class": type(value).__name__, **plain(vars(value))}
    return value


def rebuilt(value, namespace):
    """The inverse of plain(). A module gets copies of its tensors, since it may write to them."""
    if isinstance(value, (list, tuple)):
        return type(value)(rebuilt(each, namespace) for each in value)
    if not isinstance(value, dict):
        return value
    parts = {name: rebuilt(each, namespace) for name, each in value.items() if name != "class"}
    kind = namespace.get(value.get("class"))
    if not isinstance(kind, type):
        return {name: rebuilt(each, namespace) for name, each in value.items()}
    made = kind.__new__(kind)
    if not issubclass(kind, torch.nn.Module):
        vars(made).update(parts)
        return made
    torch.nn.Module.__init__(made)
    for name, each in parts.items():
        if isinstance(each, torch.Tensor):
            made.register_buffer(name, each.clone())
        else:
            setattr(made, name, each)
    return made


def names_within(data, names):
    """The names of the tensors in `data`, in the order of a walk."""
    if isinstance(data, torch.Tensor):
        return names[:1]
    parts = data.items() if isinstance(data, dict) else zip(names, data)
    return [each for name, part in parts for each in names_below(str(name), part)]


def names_below(name, value):
    if isinstance(value, torch.Tensor):
        return [name]
    if isinstance(value, dict):
        return [each for key, part in value.items() for each in names_below(f"{name}.{key}", part)]
    if isinstance(value, (list, tuple)):
        return [each for i, part in enumerate(value) for each in names_below(f"{name}.{i}", part)]
    return []
