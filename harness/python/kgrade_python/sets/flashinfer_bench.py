"""Problems of flashinfer-bench and SOL-ExecBench. `definition` is a JSON object with named axes, inputs and outputs. Its
`reference` is the Python file, which has a function run(). Each line of `workloads` is one case.

The two sets differ in how inputs are drawn and outputs compared. flashinfer-bench's lines have the workload as a member;
the lines of SOL-ExecBench are the workload."""

import ast
import base64
import functools
import inspect
import itertools
import json
import math
import random
import re

import torch

from ..module_file import MOST_CASES, FileError
from . import safetensors

NEEDED = ("Model", "get_inputs", "get_init_inputs", "CASES")
INTEGERS = {"int8": 128, "int16": 1024, "int32": 1024, "int64": 1024}
TYPES = {**{name: getattr(torch, name, None) for name in (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn_x2", "bool", *INTEGERS)},
    "float4_e2m1": getattr(torch, "float4_e2m1fn_x2", None)}
LONGEST_NAME = 40


def define(namespace, text):
    given = json.loads(text)
    problem = Problem(given["name"], given["files"], namespace)
    namespace.update(CASES=problem.cases(), Model=model_of(problem), get_inputs=problem.inputs,
                     get_init_inputs=lambda case: [], NOTES=problem.notes, OUTPUT_NAMES=list(problem.output_specs))


class Problem:
    def __init__(self, name, files, namespace):
        self.files = files
        self.definition = json.loads(files["definition"])
        # The two sets name the file of a definition in different ways.
        self.place = f"{name}.json" if '"workload"' in files["workloads"] else "definition.json"
        for key in ("axes", "inputs", "outputs"):
            if not isinstance(self.definition.get(key), dict):
                raise FileError(f"'{key}' of {self.place} is not an object; write: \"{key}\": {{...}}")
        self.title = self.definition.get("description") or self.definition.get("name") or name
        self.input_specs, self.output_specs = self.definition["inputs"], self.definition["outputs"]
        self.operation = self.definition.get("op_type")
        reference = self.definition["reference"]
        if any(each in namespace for each in NEEDED):
            # The reference uses a name that define() replaces, so its functions get a namespace of their own.
            file, own = namespace.get("__file__", "reference"), {"__name__": namespace.get("__name__", "reference")}
            exec(compile(reference, file, "exec"), own)  # pylint: disable=exec-used
            namespace = own
        self.run = self.function(namespace, "run")
        entry = self.definition.get("custom_inputs_entrypoint")
        self.custom = self.function(namespace, entry) if entry else None

    def function(self, namespace, name):
        if not callable(namespace.get(name)):
            raise FileError(f"the reference of {self.place} has no function '{name}'; add: def {name}(...):")
        return namespace[name]

    def workloads(self):
        for number, line in enumerate(self.files["workloads"].splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                workload = entry.get("workload") or entry
                axes, inputs = workload["axes"], workload["inputs"]
                yield {"axes": {**axes}, "inputs": {**inputs}, "is_traced": "workload" in entry,
                       "tolerance": workload.get("tolerance") or {}}
            except (ValueError, TypeError, AttributeError, KeyError) as error:
                raise FileError(f"line {number} of the workloads is not a JSON object with 'axes' and 'inputs': "
                                 f"{error}") from None

    def cases(self):
        all_workloads = self.workloads()
        workloads = list(itertools.islice(all_workloads, MOST_CASES))
        if not workloads:
            raise FileError("the file of workloads has no lines; add one workload per line")
        self.notes = [f"workloads after the first {MOST_CASES} are left out"] if next(all_workloads, None) else []
        names = [name_of(self.own_axes(each)) for each in workloads]
        cases = []
        for number, (workload, name) in enumerate(zip(workloads, names), 1):
            if not name or names.count(name) > 1 or len(name) > LONGEST_NAME:
                name = f"w{number:02}"
            numbers = {key: each["value"] for key, each in workload["inputs"].items() if each.get("type") == "scalar"}
            case = {"name": name, "role": "bench", "scalars": {**self.own_axes(workload), **numbers}, "data": workload}
            rule = self.traced_rule() if workload["is_traced"] else rule_of(workload["tolerance"])
            cases.append({**case, "by_set": rule} if rule else case)
        return cases

    def own_axes(self, workload):
        """The axes that are not the same in all cases."""
        return {key: each for key, each in workload["axes"].items()
                if self.definition["axes"].get(key, {}).get("type") != "const"}

    def traced_rule(self):
        """The rule of flashinfer-bench. Its comparison accepts an element whose absolute *or* relative error is small
        enough (`either`). Samplers and top-k indexers have comparisons of their own."""
        name = str(self.definition.get("name"))
        if self.operation == "sampling" or "topk_indexer" in name:
            return None
        matched = 0.95 if self.operation == "moe" or "moe_fp8_block_scale" in name else 1.0
        return {"absolute": 1e-2, "relative": 1e-2, "matched": matched, "largest": None, "either": True}

    def sizes(self, axes):
        """All axes of the definition, where `axes` are the variable ones. Expressions may use each other."""
        sizes, left = dict(axes), {}
        for name, axis in self.definition["axes"].items():
            if axis.get("type") == "const":
                sizes[name] = axis["value"]
            elif axis.get("type") == "expr":
                left[name] = axis["expression"]
        while left:
            known = [name for name, text in left.items() if self.names_in(name, text) <= sizes.keys()]
            if not known:
                name, text = next(iter(left.items()))
                unknown = ", ".join(sorted(self.names_in(name, text) - sizes.keys()))
                raise FileError(f"the axis '{name}' of {self.place} is '{text}', and a workload gives no {unknown}; add it to 'axes'")
            for name in known:
                sizes[name] = value_of(left.pop(name), sizes)
        return sizes

    def names_in(self, name, expression):
        try:
            return names_in(expression)
        except (SyntaxError, TypeError, ValueError):
            raise FileError(f"the axis '{name}' of {self.place} has the expression {expression!r}; write one of axes, such as "
                            "\"M * 2\"") from None

    def shape(self, name, spec, sizes):
        """None for a scalar."""
        if spec.get("shape") is None:
            return None
        missing = [axis for axis in spec["shape"] if axis not in sizes and not str(axis).isdigit()]
        if missing:
            raise FileError(f"'{name}' has the axis '{missing[0]}', and neither {self.place} nor the workload gives its "
                             "size; add it to 'axes'")
        return [sizes[axis] if axis in sizes else int(axis) for axis in spec["shape"]]

    def inputs(self, case):
        workload = case["data"]
        sizes = self.sizes(workload["axes"])
        sources = workload["inputs"]
        made = {}
        if self.custom is not None and any(each.get("type") == "custom" for each in sources.values()):
            numbers = {name: each["value"] for name, each in sources.items() if each.get("type") == "scalar"}
            made = self.custom({**sizes, **numbers}, torch.device("cuda"))
        return [self.value(name, spec, sources.get(name, {}), sizes, made, workload["is_traced"])
                for name, spec in self.input_specs.items()]

    def value(self, name, spec, source, sizes, made, is_traced):
        kind, dtype = source.get("type", "random"), type_of(name, spec)
        if kind == "scalar":
            return source["value"]
        shape = self.shape(name, spec, sizes)
        if kind == "custom":
            if name not in made:
                raise FileError(f"the input '{name}' is 'custom', and custom_inputs_entrypoint makes no '{name}'")
            return made[name]
        if kind == "safetensors":
            return self.stored(name, source, shape, dtype)
        if kind != "random":
            raise FileError(f"the input '{name}' has the type '{kind}'; random, scalar, safetensors and custom are known")
        if shape is None:
            return number_for(name, spec["dtype"])
        drawn = None if is_traced else drawn_by_name(name, shape, dtype, spec.get("description") or "")
        drawn = drawn_by_type(shape, dtype, spec["dtype"]) if drawn is None else drawn
        return torch.softmax(drawn, dim=-1) if self.operation == "sampling" and name == "probs" else drawn

    def stored(self, name, source, shape, dtype):
        path, key = source.get("path"), source.get("tensor_key")
        if path not in self.files:
            raise FileError(f"the input '{name}' is in {path}, which is in none of the folders above; fetch the set's data")
        tensor = stored_tensors(self.files[path]).get(key)
        if tensor is None:
            raise FileError(f"{path} has no tensor '{key}', which the input '{name}' is read from")
        if list(tensor.shape) != shape or tensor.dtype != dtype:
            raise FileError(f"{path} has '{key}' of shape {list(tensor.shape)} and type {tensor.dtype}, where '{name}' "
                             f"has {shape} and {dtype}")
        return tensor.to(torch.get_default_device(), copy=True)

    def called(self, arguments):
        """The outputs of run() in the definition's order."""
        outputs = []
        if len(inspect.signature(self.run).parameters) == len(self.input_specs) + len(self.output_specs):
            outputs = self.made_outputs(arguments)
        found = self.run(*arguments, *outputs)
        if outputs:
            found = outputs
        elif isinstance(found, dict):
            found = [found[name] for name in self.output_specs]
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(found) != len(self.output_specs):
            raise FileError(f"run() returns {len(found)} values, and {self.place} has {len(self.output_specs)} outputs; let them be "
                            "as many")
        tensors = [each if isinstance(each, torch.Tensor) else torch.tensor(each, dtype=type_of(name, spec))
                   for each, (name, spec) in zip(found, self.output_specs.items())]
        self.refuse_other_shapes(arguments, tensors)
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    def refuse_other_shapes(self, arguments, outputs):
        """Refuses outputs of run() that do not have the definition's shapes. The size of an axis that no input has is not
        known here. Nor are those of packed types: some definitions count numbers, and others count bytes."""
        sizes = {name: axis["value"] for name, axis in self.definition["axes"].items() if axis.get("type") == "const"}
        for each, spec in zip(arguments, self.input_specs.values()):
            if isinstance(each, torch.Tensor) and each.dim() == len(spec["shape"] or []) and not is_packed(spec):
                sizes.update(zip(spec["shape"] or [], each.shape))
        for each, (name, spec) in zip(outputs, self.output_specs.items()):
            axes = spec["shape"] or []
            wanted = [sizes.get(axis, int(axis) if str(axis).isdigit() else extent) for axis, extent in zip(axes, each.shape)]
            if len(axes) != each.dim() or (wanted != list(each.shape) and not is_packed(spec)):
                raise FileError(f"{self.place} gives the output '{name}' the shape [{', '.join(map(str, axes))}], and run() returns "
                                f"{list(each.shape)}; correct one of them")

    def made_outputs(self, arguments):
        """Zeros for a run() that takes the outputs, too. Sizes of axes are those of the inputs."""
        axes, device = {}, None
        for each, spec in zip(arguments, self.input_specs.values()):
            if isinstance(each, torch.Tensor):
                axes.update(zip(spec["shape"] or [], each.shape))
                device = device or each.device
        sizes = self.sizes(axes)
        return [torch.zeros(self.shape(name, spec, sizes) or (), dtype=type_of(name, spec), device=device)
                for name, spec in self.output_specs.items()]


def model_of(problem):
    class Model(torch.nn.Module):
        def forward(self, *inputs):
            return problem.called(inputs)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    Model.forward.__signature__ = inspect.Signature(
        [inspect.Parameter(name, kind) for name in ("self", *problem.input_specs)])
    Model.__doc__ = problem.title
    return Model


def rule_of(tolerance):
    """The rule of SOL-ExecBench, with its defaults."""
    rule = {"absolute": tolerance.get("max_atol", 1e-2), "relative": tolerance.get("max_rtol", 1e-2),
            "matched": tolerance.get("required_matched_ratio", 0.99), "largest": tolerance.get("max_error_cap")}
    for name, each in rule.items():
        if not isinstance(each, (int, float)) and (name, each) != ("largest", None):
            raise FileError(f"a workload's tolerance has {each!r} where a number is expected; write one")
    return rule


def name_of(axes):
    """"bs16-sl128" for {"batch_size": 16, "seq_len": 128}, "m64" for {"M": 64}."""
    return "-".join(short(name) + str(size) for name, size in axes.items())


def short(name):
    words = [each for each in re.split("[^a-z0-9]+", name.lower()) if each]
    return words[0][:8] if len(words) == 1 else "".join(each[0] for each in words) or "x"


def is_packed(spec):
    return str(spec.get("dtype")).startswith("float4")


def type_of(name, spec):
    found = TYPES.get(spec.get("dtype"))
    if found is None:
        raise FileError(f"the definition gives '{name}' the type '{spec.get('dtype')}'; known here: {', '.join(TYPES)}")
    return found


def names_in(expression):
    return {each.id for each in ast.walk(ast.parse(expression, mode="eval")) if isinstance(each, ast.Name)}


def value_of(expression, sizes):
    """The whole number that an expression of axes gives. This code is as trusted as the reference beside it."""
    try:
        value = eval(expression, {"__builtins__": {}}, dict(sizes))  # pylint: disable=eval-used
    except Exception as error:  # pylint: disable=broad-except
        raise FileError(f"the axis '{expression}' raises {error!r}; write an expression of axes") from error
    if value != int(value):
        raise FileError(f"the axis '{expression}' is {value}, which is not a whole number; write one that is")
    return int(value)


@functools.lru_cache(maxsize=8)
def stored_tensors(encoded):
    return safetensors.tensors_of(base64.b64decode(encoded))


def number_for(name, dtype):
    """The sets draw a number that no workload gives anew each time. Here the same name always gets the same number."""
    chosen = random.Random(name)
    if dtype in INTEGERS:
        return chosen.randrange(-INTEGERS[dtype], INTEGERS[dtype])
    return chosen.random() < 0.5 if dtype == "bool" else chosen.gauss(0, 1)


def drawn_by_type(shape, dtype, name):
    if name in INTEGERS:
        return torch.randint(-INTEGERS[name], INTEGERS[name], shape, dtype=dtype)
    if name == "bool":
        return torch.randint(0, 2, shape, dtype=dtype)
    if name.startswith("float4"):
        return packed(torch.randn(shape)).view(dtype)
    if name.startswith("float8"):
        return torch.randn(shape).clamp(-2, 2).to(dtype)
    return torch.randn(shape, dtype=dtype)


def packed(values):
    """The nearest numbers of type e2m1, two in each byte along the last axis, the first one in the low bits. Of two equally
    near numbers, the one with an even code is taken."""
    # Numbers below the first bound have code 0. A bound whose upper neighbour is even is a little lower.
    bounds = torch.tensor([0.25, 0.75 - 1e-7, 1.25, 1.75 - 1e-7, 2.5, 3.5 - 3e-7, 5], device=values.device)
    codes = torch.bucketize(values.abs(), bounds).to(torch.uint8) | (values < 0).to(torch.uint8) << 3
    return codes[..., ::2] | codes[..., 1::2] << 4


# SOL-ExecBench draws some inputs by what their names mean.
WEIGHT = re.compile(r"(weight|.*_(weights?|projs?|weight_matrix))\d*")
NORM_PART = re.compile(r".*norm\d*_(weight|bias)")
POSITIVE = re.compile(r"(.*_)?(rstd|std|variance|var)\d*")
ROTARY = re.compile(r"(rope_)?(cos|sin)|(cos|sin)_cached")
MASKS = ("x_mask", "text_mask", "aspect_ratio_mask", "drop_mask", "attention_mask")
MASK_WORDS = ("binary", "{0, 1}", "0 or 1", "1.0 for valid", "0.0 for masked")
SOFTMAXED = ("attn_weights", "attention_weights", "routing_weights")
DECAYS = {"A": (-1.0, -0.001), "A_log": (-5.0, -1.0), "A_cumsum": (-0.1, 0.0), "g": (-5.0, 0.0)}


def drawn_by_name(name, shape, dtype, description):
    """None if the name says nothing."""
    if not dtype.is_floating_point or dtype.itemsize == 1:
        return None
    words = description.lower()
    if NORM_PART.fullmatch(name):
        return (torch.ones if name.endswith("weight") else torch.zeros)(shape, dtype=dtype)
    if len(shape) > 1 and shape[-1] == shape[-2] and (
            name in ("attention_mask", "causal_mask") or ("attention mask" in words and "causal" in words)):
        lowest = torch.full(shape, torch.finfo(dtype).min, dtype=dtype)
        return lowest.triu(1)
    if name in MASKS or (name.endswith("_mask") and any(each in words for each in MASK_WORDS)):
        return torch.randint(0, 2, shape).to(dtype)
    if ROTARY.fullmatch(name):
        angles = torch.randn(shape).clamp(-math.pi, math.pi)
        return (torch.cos if "cos" in name else torch.sin)(angles).to(dtype)
    if POSITIVE.fullmatch(name):
        return torch.randn(shape, dtype=dtype).abs() + 0.1
    if name in DECAYS:
        low, high = DECAYS[name]
        drawn = torch.empty(shape, dtype=dtype).uniform_(low, high)
        return drawn.cumsum(-1) if name == "A_cumsum" else drawn
    if name in SOFTMAXED or ("softmax" in words and "output" in words):
        return torch.softmax(torch.randn(shape), dim=-1).to(dtype)
    if len(shape) > 1 and WEIGHT.fullmatch(name):
        return torch.empty(shape, dtype=dtype).normal_(0, shape[-1] ** -0.5 if shape[-1] else 1)
    return None
