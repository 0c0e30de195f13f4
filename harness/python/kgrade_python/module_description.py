"""Describes a problem that is a Python file in KernelBench's form, without a device. describe_module.py writes this
description:

{"title", "mode": "train" or "eval", "notes": [line],
 "positional": [encoded], "keywords": {name: encoded},              of get_init_inputs(); encoded.py
 "forward": [argument],                                             in the order of get_inputs(); below
 "inputs": [{"name", "shape", "dtype", "draw", "axes"}],            draw: null for a computed input; axes: below
 "weights": [{"name", "module_name", "shape", "dtype", "draw", "constant"}],
 "buffers": [{"module_name", "shape", "dtype", "changes"}],         changes: by a forward
 "outputs": [{"name", "shape", "dtype", "ties", "of_input"}]}       ties: chosen_indices.py; if indices of an input
                                                                    of_input: true if it is in an input's memory

A file with cases has {"title", "cases": [{"name", "number" in CASES, "role", "scalars": {name: number}, and the keys
above}], "left_out": {name of a case: why it cannot be graded}}. "by_set": the entry of that name in the file's CASES, if there is one.

argument: {"input": name}, {"value": encoded}, {"scalar": name} for a number of "scalars", or {"blank": {"shape",
"dtype"}} for a tensor that is empty, or whose memory get_inputs() leaves as it is, for forward() to write an output into
it. {"viewed": {"input": name, "dtype"}} is an input of bytes that forward() sees as numbers of a packed type. {"copy":
one of these two} is an input that forward() writes to: each call of it, and of an answer, gets a copy. An argument that
holds tensors is {"list": [argument]}, {"tuple": [argument]} or {"dict": [[encoded key, argument]]}.
"dtype" is the file's type: the first type of 16 bits among outputs, weights and inputs; float32 if there is none.
"is_narrow" says whether forward() or one of these tensors has a floating type below float32, and "chooses_codes" whether
forward() casts to a floating type of 8 bits.
"random": the operators by which forward() draws random numbers; "property": whether the file's check() judges answers
(checked_outputs.py); "entry": the name of a function that an answer may define instead of a class, which is called with
the list and the dictionary that forward() takes. All three may be missing.
"terms" is the number of terms in the longest sum of forward(), "operators" how many operators may round, and
"is_ranged" whether one of them takes only some numbers (sum_lengths.py).

axes: only if an input's memory is not in the order of its axes. The shape is then that of the memory, and axis i of the
input is axis axes[i] there. [] for an input without axes.
draw: {"kind": "uniform" | "normal" | "integers" | "constant", "first", "second"}, as in draws.py. If all elements of
a weight have one value, the weight is drawn from an interval around this value, so that no candidate can leave the
weight out. A weight that is an argument of Model keeps its value, because candidates get the same argument.
The description of a faulty file is {"error", "line": 0 if unknown}.
"""

import contextlib
import math
import re

import torch

from . import emulated_cuda
from .draws import Draw, measured, simplified, storage_of
from .encoded import NotEncodable, encode
from .identifiers import Names
from .module_file import FileError, Late, ModuleFile
from .module_run import NO_NUMBERS, ModuleRun, has_numbers, holds_tensors, order_in_memory
from .module_state import STATISTICS, flat
from .recurrent_shapes import RecurrentShapes
from .run_budget import Budget, Overrun
from .sum_lengths import is_narrow

# The most elements in all results of a file that is run with real tensors. For larger files, PyTorch's modules for
# tensors without memory are imported, which takes a second.
SMALL_RUN = 1 << 24
SMALL_RUN_SECONDS = 1.5
# The most seconds of a run without memory. A file that needs longer has very many small operators, which are faster with
# memory.
KNOWN_RUN_SECONDS = 20
# The draw for uninitialised memory.
SMALL_NORMAL = Draw("normal", 0.0, 0.1)
SMALL_NORMAL_WORDS = "normal(0, 0.1)"
# The largest argument of Model that may be a parameter.
MOST_ARGUMENT = 1e9
SIXTEEN_BITS = ("float16", "bfloat16")
# Types of several numbers in a byte. Their tensors are drawn as bytes. PyTorch before 2.8 has none.
PACKED = {getattr(torch, "float4_e2m1fn_x2", None)}
# The class of batch and instance norms.
NORM = torch.nn.modules.batchnorm._NormBase  # pylint: disable=protected-access
# The names in state_dict() that a problem file accepts. A buffer with another name is not put back.
STATE_NAME = re.compile(r"[A-Za-z0-9_.]{1,200}")


def describe(path):
    """The description of a file, or what is wrong with it."""
    try:
        file = ModuleFile(path)
        return describe_cases(file) if file.cases else Description(file, *run(file)).as_json()
    except FileError as error:
        return {"error": error.message, "line": error.line}


def describe_cases(file):
    described, left_out, first = [], {}, None
    shared = set.intersection(*(set(scalars_of(case)) for case in file.cases))
    for number, case in enumerate(file.cases):
        try:
            one, scalars = file.of_case(case), {name: each for name, each in scalars_of(case).items() if name in shared}
            seen, notes = run(one)
            if seen.is_real and not all(map(has_numbers, flat(seen.outputs))):
                raise FileError(NO_NUMBERS)
            described.append({"name": case["name"], "number": number, "role": case.get("role", "bench"),
                              "by_set": case.get("by_set"), "scalars": scalars,
                              **Description(one, seen, notes, scalars).as_json()})
        except FileError as error:
            left_out[case["name"]] = error.message
            first = first or error
            if isinstance(error.__cause__, Late):
                left_out.update({each["name"]: "reading the cases before it took too long" for each in file.cases[number + 1:]})
                break
    if not described:
        raise first
    described = alike(described, left_out)
    if left_out and all(each["role"] == "test" for each in described):
        max(described, key=size_of)["role"] = "bench"
    return {"title": file.title(), "cases": described, "left_out": left_out}


def alike(described, left_out):
    """The cases with as many outputs as most cases have. The others are added to `left_out`."""
    groups = {}
    for each in described:
        groups.setdefault(len(each["outputs"]), []).append(each)
    usual, kept = max(groups.items(), key=lambda group: (len(group[1]), any(each["role"] == "bench" for each in group[1])))
    left_out.update({each["name"]: f"forward() returns {len(each['outputs'])} tensors for it, and most often {usual}"
                     for each in described if len(each["outputs"]) != usual})
    return kept


def size_of(description):
    """The number of elements in all inputs."""
    return sum(math.prod(each["shape"]) for each in description["inputs"])


def scalars_of(case):
    """The finite numbers of a case. A candidate in CUDA gets those that all cases have."""
    scalars = case.get("scalars", {})
    if not isinstance(scalars, dict) or not all(isinstance(each, (bool, int, float)) for each in scalars.values()):
        raise FileError(f"'scalars' of the case '{case['name']}' are no numbers by name")
    return {name: each for name, each in scalars.items() if math.isfinite(each)}


def run(file):
    """Runs a small file with real tensors, and a large file with floating tensors without memory. If that fails for a
    large file, runs it with real tensors too."""
    with contextlib.suppress(Overrun):
        return ModuleRun(file, budget=Budget(SMALL_RUN, SMALL_RUN_SECONDS)), []
    with contextlib.suppress(Overrun):
        for is_model_fake in (True, False):
            with contextlib.suppress(FileError), RecurrentShapes():
                known = known_integers()
                budget = Budget(math.inf, KNOWN_RUN_SECONDS, math.inf)
                return ModuleRun(file, lambda: known, is_model_fake, budget), notes_of(known)
    return ModuleRun(file), ["forward() depends on the values of its inputs: shapes are those of a run on the CPU"]


def known_integers():
    from .known_integers import KnownIntegers

    return KnownIntegers()


def notes_of(known):
    return ["forward() may read integers that depend on its inputs: shapes are those for made-up ones"] if known.has_read else []


class Description:
    """The parts of the description of a run."""

    def __init__(self, file, seen, notes, scalars=None):
        self.file, self.run, self.notes, self.scalars = file, seen, notes, scalars or {}
        self.names = Names()
        self.tensors = {}
        self.real = None

    def as_json(self):
        # No input gets the name of a scalar.
        self.names.given.update(self.scalars)
        inputs, forward = self.inputs()
        statistics = self.statistics()
        weights = [self.weight(name, tensor) for name, tensor in (*self.run.model.named_parameters(), *statistics.items())
                   if tensor.is_floating_point()]
        outputs = self.outputs()
        tensors = [*outputs, *weights, *inputs]
        self.notes += [*self.run.places.notes, *map(str, getattr(self.file.namespace, "NOTES", []))]
        if self.run.random:
            drawn = ", ".join(self.run.random)
            self.notes.append(f"forward() draws random numbers ({drawn}): each call gets the same seed")
        return {
            "title": self.file.title(),
            "positional": [self.encoded(each, f"argument {i + 1} of Model")
                           for i, each in enumerate(self.run.positional)],
            "keywords": {refuse_name(name): self.encoded(each, f"argument '{name}' of Model")
                         for name, each in self.run.keywords.items()},
            "forward": forward,
            "inputs": inputs,
            "weights": weights,
            "buffers": [{"module_name": refuse_name(name), **form(each), "changes": name in self.run.changed_buffers and bool(STATE_NAME.fullmatch(name))}
                        for name, each in self.run.model.named_buffers() if name not in statistics],
            "outputs": outputs,
            "dtype": next((each["dtype"] for each in tensors if each["dtype"] in SIXTEEN_BITS), "float32"),
            "is_narrow": self.run.sums.is_narrow or any(map(is_narrow, self.run.all_tensors())),
            "chooses_codes": self.run.sums.chooses_codes,
            "terms": self.run.sums.longest,
            "operators": self.run.sums.operators,
            "is_ranged": self.run.sums.is_ranged,
            "mode": "train" if self.run.model.training else "eval",
            "notes": self.notes,
            **({"entry": str(entry)} if (entry := getattr(self.file.namespace, "ENTRY", None)) else {}),
            **({"random": self.run.random} if self.run.random else {}),
            **({"property": True} if callable(getattr(self.file.namespace, "check", None)) else {}),
        }

    @staticmethod
    def encoded(value, what):
        try:
            return encode(value)
        except NotEncodable as error:
            raise FileError(f"{what} is {error}; use numbers, strings, None, lists, tuples and dictionaries") from None

    def inputs(self):
        """The descriptions of all inputs, and the arguments of forward()."""
        found = iter(zip(self.run.named_inputs(), self.run.input_draws))
        inputs = []
        forward = [self.argument(value, found, inputs) for value in self.run.arguments]
        return inputs, forward

    def argument(self, value, found, inputs):
        """Describes an argument of forward(). `found`: the inputs that have not been described, with name and draw."""
        if type(value) in (list, tuple) and holds_tensors(value):
            return {type(value).__name__: [self.argument(each, found, inputs) for each in value]}
        if type(value) is dict and holds_tensors(value):
            return {"dict": [[self.encoded(key, "a key of an input"), self.argument(each, found, inputs)]
                             for key, each in value.items()]}
        (name, _), draw = next(found)
        if not isinstance(value, torch.Tensor):
            self.refuse_tensors_within(value, name)
            is_scalar = name in self.scalars and type(value) is type(self.scalars[name]) and value == self.scalars[name]
            return {"scalar": name} if is_scalar else {"value": self.encoded(value, f"input '{name}'")}
        if self.run.is_blank(value):
            return {"blank": form(value)}
        if value.dtype in PACKED:
            inputs.append(self.input(name, value.view(torch.uint8), draw))
            argument = {"viewed": {"input": inputs[-1]["name"], "dtype": str(value.dtype).replace("torch.", "")}}
        else:
            inputs.append(self.input(name, value, draw))
            argument = {"input": inputs[-1]["name"]}
        if not self.run.writes_to(value):
            return argument
        self.run.refuse_shared(value, name)
        self.notes.append(f"forward() writes to its input '{inputs[-1]['name']}': each call of it, and of an answer in Python, gets "
                          "a copy, and the copy's time counts")
        return {"copy": argument}

    def input(self, name, value, draw):
        name = self.names.give(name)
        if draw is None:
            self.note_computed(name, value)
        refuse_layout(value, f"input '{name}'")
        order = order_in_memory(value)
        described = {"name": name, **form(value.permute(order)), "draw": draw.as_json() if draw else None}
        if order != sorted(order) or not order:
            described["axes"] = [order.index(axis) for axis in range(value.dim())]
        if order == sorted(order):
            self.tensors[name] = value
        return described

    def refuse_tensors_within(self, value, name):
        if holds_tensors(value):
            raise FileError(f"input '{name}' is a {type(value).__name__} that holds tensors; let get_inputs() return lists, "
                            "tuples and dictionaries of tensors", self.file.line_of(self.file.get_inputs))

    def note_computed(self, name, value):
        random = self.run.origins.origin_of(value).is_random
        # The reader of a set gives generators of the file's own another seed in each call.
        is_same = random is False and not self.file.cases
        what = ", from nothing random: it is the same in every call" if is_same else ""
        self.notes.append(f"input '{name}' is computed in get_inputs(){what}")

    def statistics(self):
        """{name: tensor} of the running statistics that norms in eval mode read. They are weights: otherwise a
        candidate could treat them as zeros and ones and leave out a part of the problem."""
        return {name: tensor for prefix, part in self.run.model.named_modules() if isinstance(part, NORM) and not part.training
                for name, tensor in part.named_buffers(prefix, recurse=False)
                if name.rpartition(".")[2] in STATISTICS and name not in self.run.changed_buffers}

    def weight(self, module_name, parameter):
        refuse_layout(parameter, f"the weight '{module_name}'")
        draw = self.draw_of(module_name, parameter)
        is_constant = draw.kind == "constant" and not self.is_argument(module_name, parameter, draw.first)
        if is_constant:
            distance = abs(draw.first) / 10 or 0.1
            draw = Draw("uniform", draw.first - distance, draw.first + distance)
        return {"name": self.names.give(module_name), "module_name": refuse_name(module_name), **form(parameter),
                "draw": draw.as_json(), "constant": is_constant}

    def is_argument(self, module_name, parameter, value):
        """Returns whether a parameter has the value of an argument of `__init__`, as in
        `self.scale = Parameter(torch.tensor(scale))`. The test makes a Model with another number as the argument, and
        checks that the parameter has that number too."""
        if parameter.dim() > 0:
            return False
        positional, keywords = list(self.run.positional), dict(self.run.keywords)
        for arguments, place in [*((positional, i) for i in range(len(positional))), *((keywords, name) for name in keywords)]:
            number = arguments[place]
            if type(number) not in (int, float) or abs(number) > MOST_ARGUMENT or not are_close(number, value):
                continue
            arguments[place] = number + 1
            if are_close(self.parameter_of(module_name, positional, keywords), number + 1):
                return True
            arguments[place] = number
        return False

    def parameter_of(self, module_name, positional, keywords):
        """The parameter's value in a Model with these arguments; NaN if there is none."""
        with contextlib.suppress(Exception), torch.no_grad():
            return dict(self.file.model_class(*positional, **keywords).named_parameters())[module_name].item()
        return math.nan

    def draw_of(self, module_name, parameter):
        known = self.run.draws.draw_of(parameter)
        if known is not None and known.kind == "nothing":
            self.notes.append(f"the weight '{module_name}' is never initialised: drawn from {SMALL_NORMAL_WORDS}")
            return SMALL_NORMAL
        return simplified(known) or self.measured_draw(module_name)

    def measured_draw(self, module_name):
        """A draw that is measured from the weight's elements in a real module, if the operators do not show it."""
        if self.real is None:
            model = RealModel(self.file).model if self.run.is_model_fake else self.run.model
            self.real = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        draw = measured(self.real[module_name]) if module_name in self.real else None
        if draw is None:
            self.notes.append(f"the weight '{module_name}' is not finite: drawn from {SMALL_NORMAL_WORDS}")
            return SMALL_NORMAL
        if draw.kind == "normal":
            self.notes.append(f"the weight '{module_name}' is drawn from a normal distribution with the mean and "
                              "deviation that it has")
        if draw.kind == "uniform":
            self.notes.append(f"the weight '{module_name}' has one sign, and is drawn from a uniform distribution that keeps it")
        return draw

    def outputs(self):
        tensors = flat(self.run.outputs)
        for each in tensors:
            if not isinstance(each, torch.Tensor):
                kind = "None" if each is None else f"a {type(each).__name__}"
                raise FileError(f"forward() returns {kind}; return a tensor, or a tuple of tensors",
                                self.file.line_of(self.run.model.forward))
            refuse_layout(each, "an output of forward()")
        if not tensors:
            raise FileError("forward() returns no tensor; return one, or a tuple of tensors",
                            self.file.line_of(self.run.model.forward))
        wanted = ["output"] if len(tensors) == 1 else [f"output{i}" for i in range(len(tensors))]
        given = getattr(self.file.namespace, "OUTPUT_NAMES", None)
        if isinstance(given, (list, tuple)) and len(given) == len(tensors):
            wanted = [str(each) for each in given]
        return [self.output(self.names.give(name), each) for name, each in zip(wanted, tensors)]

    def output(self, name, tensor):
        described = {"name": name, **form(tensor)}
        if any(storage_of(tensor) is not None and storage_of(tensor) == storage_of(each) for each in self.tensors.values()):
            described["of_input"] = True
        ties = self.run.indices.input_of(tensor, self.tensors)
        return {**described, "ties": ties} if ties else described


class RealModel(ModuleRun):
    """A model with real weights that is not called."""

    def __init__(self, file):  # pylint: disable=super-init-not-called
        self.file = file
        with torch.no_grad():
            self.build()


def form(tensor):
    return {"shape": [int(extent) for extent in tensor.shape], "dtype": str(tensor.dtype).replace("torch.", "")}


def are_close(one, other):
    """Equal in float32."""
    return math.isclose(one, other, rel_tol=1e-6)


def refuse_name(name):
    """Returns the name. Raises FileError for a name that cannot be printed in messages."""
    if not name.isprintable():
        raise FileError(f"the name '{name}' has characters that cannot be printed; choose another one")
    return name


def refuse_layout(tensor, what):
    if tensor.layout != torch.strided:
        raise FileError(f"{what} is a {str(tensor.layout).replace('torch.', '')} tensor; use a dense one")


def prepare():
    """Makes `cuda` mean the host in this process, so that it needs no device."""
    emulated_cuda.install()
