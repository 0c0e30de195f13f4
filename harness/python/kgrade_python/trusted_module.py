"""Runs the `Model` of a problem as the oracle, the reference or a baseline. The oracle computes in float64
(wide_arithmetic.py). If a file in float32 is graded in a type of 16 bits, the reference's weights, buffers and plain
tensors are cast to this type. The oracle's are cast to this type too, and then to float64. A file in other types keeps
them."""

import contextlib

import torch

from .drawn_tensors import memory_in
from .tensors import are_equal
from .wide_arithmetic import Choices, WideArithmetic, is_narrower, set_states, states_of_generators

ORACLE = "oracle"
REFERENCE = "reference"
BASELINE = "baseline"
# Describes the entry point `Model` in the form in which contestant.py describes a candidate's `ModelNew`.
ENTRY = {"name": "Model", "kind": "module", "arguments": [], "positional": 0, "writes": False}


def holds_tensors(value):
    """Whether a value is a tensor, or a plain list, tuple or dictionary with one in it."""
    if type(value) in (list, tuple):
        return any(holds_tensors(each) for each in value)
    return holds_tensors(list(value.values())) if type(value) is dict else isinstance(value, torch.Tensor)


def convert(value, device, dtype):
    """A value with its tensors moved to `device`, and floating ones converted to `dtype` if one is given."""
    if isinstance(value, torch.Tensor):
        return value.to(device, dtype if value.is_floating_point() and dtype is not None else value.dtype)
    if type(value) in (list, tuple):
        return type(value)(convert(each, device, dtype) for each in value)
    if type(value) is dict:
        return {key: convert(each, device, dtype) for key, each in value.items()}
    return value


def convert_attributes(module, device, dtype):
    """Converts plain tensors that a module keeps as attributes, which module.to() and module.double() ignore."""
    for part in module.modules():
        for name, value in list(vars(part).items()):
            if name not in ("_parameters", "_buffers", "_modules") and holds_tensors(value):
                vars(part)[name] = convert(value, device, dtype)


@contextlib.contextmanager
def by_default(dtype):
    """A context in which tensors that a forward makes itself have `dtype`, the type of its inputs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def choose(variant):
    """Sets the arithmetic of a baseline's later calls: "pytorch-tf32", "pytorch-compile-fp32". Returns whether they
    are compiled."""
    is_tf32 = variant.endswith("-tf32")
    torch.backends.cuda.matmul.allow_tf32 = is_tf32
    torch.backends.cudnn.allow_tf32 = is_tf32
    return "-compile-" in variant


# The most compilations of one forward: one per case's shape and class of arithmetic.
MOST_COMPILED = 256


def compiled(module):
    """The module, compiled separately for each shape. So each case is as fast as for a user who compiles for one
    shape."""
    # Older versions of PyTorch use the second name.
    for name in ("recompile_limit", "cache_size_limit"):
        if hasattr(torch._dynamo.config, name):  # pylint: disable=protected-access
            setattr(torch._dynamo.config, name, MOST_COMPILED)  # pylint: disable=protected-access
    return torch.compile(module, dynamic=False)


def state_of(module):
    """Names and tensors of a module's parameters and buffers."""
    return [*module.named_parameters(), *module.named_buffers()]


def types_of(module):
    return {name: tensor.dtype for name, tensor in state_of(module)}


class TrustedModule:
    """A built module (module_state.py) of `role`. Its answers are in separate memory of the device, except outputs that may
    be inputs: PyTorch returns some results on the host. The oracle's answers have the types of the problem's outputs. `keeps_weights`: whether the weights stay the
    same, as those of a KernelBench file do. In other problems the weights are inputs, which may change in every
    call. `narrow_type`: the type that the module is cast to; None: it is not cast. `types`: the types of the problem's
    tensors, by name. `dtype`: the type that the problem is graded in."""

    def __init__(self, built, role, device, weights, keeps_weights=True, narrow_type=None, types=None,
                 dtype=torch.float32):
        self.built, self.role, self.narrow_type = built, role, narrow_type
        self.types, self.dtype, self.device = types or {}, dtype, device
        self.eager, self.compiled = built.module, None
        # The weights that the module was built with. They are copies if the module has them in another form or in the
        # oracle's type.
        self.weights = {name: tensor.clone() if role == ORACLE or name not in built.parameters
                        else built.parameters[name] for name, tensor in weights.items()}
        self.lent = [] if keeps_weights else list(built.parameters.items())
        self.own_types = []  # of the oracle's parameters and buffers: (tensor, its type in the file)
        self.chooses = False  # whether forward() draws by probabilities
        if role == ORACLE:
            before = types_of(built.module)
            built.module.double()
            self.own_types = [(tensor, before[name]) for name, tensor in state_of(built.module)
                              if before[name] != tensor.dtype]
        convert_attributes(built.module, device, torch.float64 if role == ORACLE else narrow_type)

    def was_built_with(self, tensors):
        return bool(self.lent) or all(
            are_equal(tensor.reshape(-1), tensors[name].reshape(-1).to(tensor.dtype))
            for name, tensor in self.weights.items())

    def forward_with(self, tensors, types, may_be_inputs, is_compiled=False):
        """`tensors`: by name; `types` and `may_be_inputs`: one for each output. An output that may be an input is not
        copied, since a candidate need not copy it either, and the copy would count as time."""
        for name, parameter in self.lent:
            parameter.data = tensors[name].view(parameter.shape)
        if self.role == BASELINE:
            self.built.module = self.compiled_module() if is_compiled else self.eager
        results = self.results_of(tensors, types)
        results = results if isinstance(results, (tuple, list)) else [results]
        if len(results) != len(may_be_inputs):
            return results
        results = [each.to(self.device) if isinstance(each, torch.Tensor) else each for each in results]
        lent = memory_in(tensors.values())
        return [each if may_be_input or lent.isdisjoint(memory_in([each])) else each.clone()
                for each, may_be_input in zip(results, may_be_inputs)]

    def compiled_module(self):
        if self.compiled is None:
            self.compiled = compiled(self.eager)
        return self.compiled

    def results_of(self, tensors, types):
        if self.role != ORACLE and self.narrow_type is None:
            return self.built.forward_with(tensors)
        if self.role != ORACLE:
            with by_default(self.narrow_type):
                results = self.built.forward_with(tensors)
        else:
            before = states_of_generators()
            results = self.wide_results(tensors, self.choices(tensors, before) if self.chooses else ())
            if results is None:
                self.chooses = True
                set_states(before)
                results = self.wide_results(tensors, self.choices(tensors, before))
        if len(results) != len(types):
            return results
        return [each.to(dtype) if isinstance(each, torch.Tensor) else each for each, dtype in zip(results, types)]

    def wide_results(self, tensors, choices):
        """The oracle's results; None if forward() draws by probabilities and `choices` are still unknown."""
        inputs = {**tensors, **{name: convert(tensors[name], tensors[name].device, torch.float64)
                                for name in self.built.names if isinstance(tensors[name], torch.Tensor)}}
        arithmetic = WideArithmetic(self.narrow_type or torch.float32, self.dtype, choices)
        for tensor, dtype in [*self.own_types, *((inputs[name], self.types.get(name)) for name in self.built.names)]:
            if dtype is not None and is_narrower(dtype):
                arithmetic.note_type(tensor, dtype)
        with by_default(torch.float64), arithmetic:
            results = self.built.forward_with(inputs)
        return None if arithmetic.has_chosen and not self.chooses else results

    def choices(self, tensors, states):
        """What forward() draws by probabilities that it computes in the types of the file, as the reference does. The
        generators are then in these states again."""
        module, choices = self.built.module, Choices()
        wide = [(tensor, tensor.data) for tensor, _ in self.own_types]
        for tensor, dtype in self.own_types:
            tensor.data = tensor.data.to(dtype)
        device = next((each.device for each in tensors.values() if isinstance(each, torch.Tensor)), torch.device("cpu"))
        narrow = self.narrow_type or torch.float32
        convert_attributes(module, device, narrow)
        try:
            with by_default(narrow), choices:
                self.built.forward_with(tensors)
        finally:
            convert_attributes(module, device, torch.float64)
            for tensor, data in wide:
                tensor.data = data
            set_states(states)
        return choices.results


def seed_forward(seed):
    """Seeds the generators that a forward draws from, before each launch. The referee draws one seed per launch, so
    oracle, reference and candidate see the same numbers. torch.manual_seed() would do the same, but the seeding is part
    of the measured time, and torch.manual_seed() takes longer."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized() and torch.cuda.default_generators:
        torch.cuda.default_generators[0].manual_seed(seed)
