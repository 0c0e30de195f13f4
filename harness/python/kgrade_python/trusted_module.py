"""`Model` of a problem's own file, as the oracle or the reference. The oracle computes in float64."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ORACLE = "oracle"
REFERENCE = "reference"
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


class SingleDraws(TorchDispatchMode):
    """Random numbers of a forward in float64 are those that it has in float32: generators give others for each type."""

    DRAWS = {"rand", "randn", "rand_like", "randn_like", "normal", "bernoulli", "uniform_", "normal_", "bernoulli_",
             "exponential_", "cauchy_", "geometric_", "log_normal_"}

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
            return args[0].copy_(function(args[0].float(), *args[1:], **kwargs))
        if kwargs.get("dtype", torch.float64) not in (None, torch.float64):
            return function(*args, **kwargs)
        args = tuple(each.float() if is_double(each) else each for each in args)
        if takes_dtype(function):
            kwargs = {**kwargs, "dtype": torch.float32}
        return function(*args, **kwargs).double()

    @staticmethod
    def dropout(function, values, rate, is_training):
        if is_training is False or rate >= 1:
            return function(values, rate, is_training)
        _, mask = function(torch.ones_like(values, dtype=torch.float32), rate, is_training)
        return values * mask / (1 - rate), mask


def is_double(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def takes_dtype(function):
    return any(argument.name == "dtype" for argument in function._schema.arguments)  # pylint: disable=protected-access


@contextlib.contextmanager
def in_double():
    """What a forward makes by itself has the type of its inputs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with SingleDraws():
            yield
    finally:
        torch.set_default_dtype(before)


class TrustedModule:
    """A built module (module_state.py) of `role`. Its answers are in memory of their own, and those of the oracle have
    the types of the problem's outputs."""

    def __init__(self, built, role, device, weights):
        self.built, self.role = built, role
        self.weights = {name: tensor.clone() for name, tensor in weights.items()} if role == ORACLE else {}
        if role == ORACLE:
            built.module.double()
        convert_attributes(built.module, device, torch.float64 if role == ORACLE else None)

    def was_built_with(self, tensors):
        return all(torch.equal(tensor, tensors[name]) for name, tensor in self.weights.items())

    def forward_with(self, tensors, types):
        """`tensors` by name; `types`: of the outputs, in order."""
        results = self.in_double(tensors, types) if self.role == ORACLE else self.built.forward_with(tensors)
        addresses = {each.untyped_storage().data_ptr() for each in tensors.values()}
        return [each.clone() if isinstance(each, torch.Tensor) and each.untyped_storage().data_ptr() in addresses
                else each for each in results]

    def in_double(self, tensors, types):
        inputs = {name: convert(tensors[name], tensors[name].device, torch.float64) for name in self.built.names}
        with in_double():
            results = self.built.forward_with(inputs)
        if len(results) != len(types):
            return results
        return [each.to(dtype) if isinstance(each, torch.Tensor) else each for each, dtype in zip(results, types)]


def seed_forward():
    """The generators that a forward draws from, before each call: oracle, reference and candidate see the same numbers.
    What torch.manual_seed() does, without its cost: this is measured."""
    torch.default_generator.manual_seed(0)
    if torch.cuda.is_initialized() and torch.cuda.default_generators:
        torch.cuda.default_generators[0].manual_seed(0)
