"""A `Model` that states the problem, as the oracle, the reference or the baselines. The oracle computes in float64. In a
16-bit type the reference is cast to it, and so are weights, buffers and plain tensors of the oracle before it computes."""

import contextlib

import torch

from .dispatch_mode import DispatchMode

ORACLE = "oracle"
REFERENCE = "reference"
BASELINE = "baseline"
# How such a file is called: as contestant.py has it for a candidate's ModelNew.
ENTRY = {"name": "Model", "kind": "module", "arguments": [], "positional": 0, "writes": False}


def holds_tensors(value):
    """Whether a value is a tensor, or a plain list, tuple or dictionary with one in it."""
    if type(value) in (list, tuple):
        return any(holds_tensors(each) for each in value)
    return holds_tensors(list(value.values())) if type(value) is dict else isinstance(value, torch.Tensor)


def convert(value, device, dtype):
    """A value that holds tensors, with them on `device`, floating ones in `dtype` where one is given."""
    if isinstance(value, torch.Tensor):
        return value.to(device, dtype if value.is_floating_point() and dtype is not None else value.dtype)
    if type(value) in (list, tuple):
        return type(value)(convert(each, device, dtype) for each in value)
    if type(value) is dict:
        return {key: convert(each, device, dtype) for key, each in value.items()}
    return value


def convert_attributes(module, device, dtype):
    """Plain tensors that a module keeps as attributes, which module.to() and module.double() pass over."""
    for part in module.modules():
        for name, value in list(vars(part).items()):
            if name not in ("_parameters", "_buffers", "_modules") and holds_tensors(value):
                vars(part)[name] = convert(value, device, dtype)


class ReferenceDraws(DispatchMode):
    """Random numbers of a forward in float64 are those that it has in the reference's type: generators give others for
    each type."""

    DRAWS = {"rand", "randn", "rand_like", "randn_like", "normal", "bernoulli", "uniform_", "normal_", "bernoulli_",
             "exponential_", "cauchy_", "geometric_", "log_normal_"}

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function._schema.name.rpartition("::")[2]  # pylint: disable=protected-access
        if name == "native_dropout" and is_double(args[0]):
            return self.dropout(function, *args)
        if name not in self.DRAWS:
            return function(*args, **kwargs)
        if name.endswith("_"):
            if not is_double(args[0]):
                return function(*args, **kwargs)
            return args[0].copy_(function(args[0].to(self.dtype), *args[1:], **kwargs))
        if kwargs.get("dtype", torch.float64) not in (None, torch.float64):
            return function(*args, **kwargs)
        args = tuple(each.to(self.dtype) if is_double(each) else each for each in args)
        if takes_dtype(function):
            kwargs = {**kwargs, "dtype": self.dtype}
        return function(*args, **kwargs).double()

    def dropout(self, function, values, rate, is_training):
        if is_training is False or rate >= 1:
            return function(values, rate, is_training)
        _, mask = function(torch.ones_like(values, dtype=self.dtype), rate, is_training)
        return values * mask / (1 - rate), mask


def is_double(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def takes_dtype(function):
    return any(argument.name == "dtype" for argument in function._schema.arguments)  # pylint: disable=protected-access


@contextlib.contextmanager
def by_default(dtype):
    """What a forward makes by itself has the type of its inputs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def choose(variant):
    """What the calls of a baseline are from now on, "pytorch-tf32" or "pytorch-compile-fp32". True: compiled."""
    is_tf32 = variant.endswith("-tf32")
    torch.backends.cuda.matmul.allow_tf32 = is_tf32
    torch.backends.cudnn.allow_tf32 = is_tf32
    return "-compile-" in variant


# Of one forward: every case is a shape of its own, in each class of arithmetic.
MOST_COMPILED = 256


def compiled(module):
    """With code for each shape by itself, as a user has it who compiles for one."""
    # By their older names too.
    for name in ("recompile_limit", "cache_size_limit"):
        if hasattr(torch._dynamo.config, name):  # pylint: disable=protected-access
            setattr(torch._dynamo.config, name, MOST_COMPILED)  # pylint: disable=protected-access
    return torch.compile(module, dynamic=False)


class TrustedModule:
    """A built module (module_state.py) of `role`. Its answers are in memory of their own, and those of the oracle have
    the types of the problem's outputs. `keeps_weights`: those of a file stay; those of another problem are inputs like
    others, which may be new in every call."""

    def __init__(self, built, role, device, weights, keeps_weights=True, narrow_type=None):
        self.built, self.role, self.narrow_type = built, role, narrow_type
        self.eager, self.compiled = built.module, None
        # Where the module has them in other forms, and in the oracle's type, it is known by copies.
        self.weights = {name: tensor.clone() if role == ORACLE or name not in built.parameters
                        else built.parameters[name] for name, tensor in weights.items()}
        self.lent = [] if keeps_weights else list(built.parameters.items())
        if role == ORACLE:
            built.module.double()
        convert_attributes(built.module, device, torch.float64 if role == ORACLE else narrow_type)

    def was_built_with(self, tensors):
        return bool(self.lent) or all(
            torch.equal(tensor.reshape(-1), tensors[name].reshape(-1).to(tensor.dtype))
            for name, tensor in self.weights.items())

    def forward_with(self, tensors, types, is_compiled=False):
        """`tensors` by name; `types`: of the outputs, in order."""
        for name, parameter in self.lent:
            parameter.data = tensors[name].view(parameter.shape)
        if self.role == BASELINE:
            self.built.module = self.compiled_module() if is_compiled else self.eager
        results = self.results_of(tensors, types)
        results = results if isinstance(results, (tuple, list)) else [results]
        addresses = {each.untyped_storage().data_ptr() for each in tensors.values() if isinstance(each, torch.Tensor)}
        return [each.clone() if isinstance(each, torch.Tensor) and each.untyped_storage().data_ptr() in addresses
                else each for each in results]

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
            inputs = {name: convert(tensors[name], tensors[name].device, torch.float64) for name in self.built.names}
            with by_default(torch.float64), ReferenceDraws(self.narrow_type or torch.float32):
                results = self.built.forward_with(inputs)
        if len(results) != len(types):
            return results
        return [each.to(dtype) if isinstance(each, torch.Tensor) else each for each, dtype in zip(results, types)]


def seed_forward(seed):
    """The generators that a forward draws from, before each launch: oracle, reference and candidate see the same numbers,
    under a seed that the referee draws for the launch. What torch.manual_seed() does, without its cost: this is measured."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized() and torch.cuda.default_generators:
        torch.cuda.default_generators[0].manual_seed(seed)
