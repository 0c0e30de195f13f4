"""Finds which random numbers or constants a tensor holds, by watching PyTorch's operators while they run."""

import math
from dataclasses import dataclass, replace

import torch


@dataclass(frozen=True)
class Draw:
    """kind: "uniform" (from, to), "normal" (mean, deviation), "integers" (both ends included), "constant" (the value,
    twice), or "nothing" (memory that has not been written)."""

    kind: str
    first: float = 0
    second: float = 0

    def scaled(self, factor):
        if self.kind == "normal":
            return replace(self, first=self.first * factor, second=abs(self.second * factor))
        if self.kind in ("uniform", "constant"):
            ends = sorted((self.first * factor, self.second * factor))
            return replace(self, first=ends[0], second=ends[1])
        return None

    def moved(self, offset):
        if self.kind == "normal":
            return replace(self, first=self.first + offset)
        if self.kind in ("uniform", "constant"):
            return replace(self, first=self.first + offset, second=self.second + offset)
        return None

    def as_json(self):
        return {"kind": self.kind, "first": rounded(self.first), "second": rounded(self.second)}


def rounded(number):
    """Rounds off the last digits of a computed bound: 0.5 for 0.49999999999999994."""
    return float(f"{number:.12g}") if isinstance(number, float) else number


def constant(value):
    return Draw("constant", value, value)


def simplified(draw):
    """The draw, as a constant if its elements are all equal; None if its bounds are not finite numbers."""
    if draw is None:
        return None
    if not all(isinstance(end, (int, float)) and math.isfinite(end) for end in (draw.first, draw.second)):
        return None
    draw = replace(draw, first=draw.first * 1, second=draw.second * 1)  # True is 1
    if (draw.kind == "normal" and draw.second == 0) or (draw.kind == "uniform" and draw.first == draw.second):
        return constant(draw.first)
    return draw


def measured(tensor):
    """A draw that resembles the elements of a real tensor; None if they are not finite. If all elements have the same
    sign, the draw has only that sign, since a module may take a root or logarithm."""
    values = tensor.detach().double()
    if values.numel() == 0:
        return constant(0.0)
    least, most = values.min().item(), values.max().item()
    if least == most:
        return simplified(constant(least))
    mean, deviation = values.mean().item(), values.std(unbiased=False).item()
    if least >= 0 or most <= 0:
        reach = 3**0.5 * deviation  # of a uniform distribution with this deviation
        low, high = max(least, mean - reach), min(most, mean + reach)
        return simplified(Draw("uniform", float(f"{low:.6g}"), float(f"{high:.6g}")))
    return simplified(Draw("normal", float(f"{mean:.6g}"), float(f"{deviation:.6g}")))


# The draw of the tensor that an operator of PyTorch returns. The arguments are as in its schema.
MADE = {
    "rand": lambda *_: Draw("uniform", 0, 1),
    "rand_like": lambda *_: Draw("uniform", 0, 1),
    "randn": lambda *_: Draw("normal", 0, 1),
    "randn_like": lambda *_: Draw("normal", 0, 1),
    "ones": lambda *_: constant(1),
    "ones_like": lambda *_: constant(1),
    "new_ones": lambda *_: constant(1),
    "zeros": lambda *_: constant(0),
    "zeros_like": lambda *_: constant(0),
    "new_zeros": lambda *_: constant(0),
    "full": lambda _, value, *__: constant(value),
    "full_like": lambda _, value, *__: constant(value),
    "new_full": lambda _, __, value, *___: constant(value),
    "scalar_tensor": lambda value, *_: constant(value),
    "empty": lambda *_: Draw("nothing"),
    "empty_like": lambda *_: Draw("nothing"),
    "empty_strided": lambda *_: Draw("nothing"),
    "new_empty": lambda *_: Draw("nothing"),
}
MADE_BY_OVERLOAD = {
    "randint": lambda high, *_: Draw("integers", 0, high - 1),
    "randint.generator": lambda high, *_: Draw("integers", 0, high - 1),
    "randint.low": lambda low, high, *_: Draw("integers", low, high - 1),
    "randint.low_generator": lambda low, high, *_: Draw("integers", low, high - 1),
    "randint_like": lambda _, high, *__: Draw("integers", 0, high - 1),
    "randint_like.low_dtype": lambda _, low, high, *__: Draw("integers", low, high - 1),
    "normal.float_float": lambda mean, deviation, *_: Draw("normal", mean, deviation),
}
# The draw that an operator writes into a whole tensor.
WRITTEN = {
    "uniform_": lambda first=0, second=1: Draw("uniform", first, second),
    "normal_": lambda first=0, second=1: Draw("normal", first, second),
    "fill_": lambda value: constant(value),
    "zero_": lambda: constant(0),
}
RANDOM = {"rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "normal", "bernoulli",
          "multinomial", "poisson", "native_dropout", "uniform_", "normal_", "random_", "bernoulli_", "exponential_",
          "cauchy_", "geometric_", "log_normal_", "rrelu_with_noise", "_fused_dropout"}


def storage_of(tensor):
    """An identifier of a tensor's storage, or None."""
    try:
        return tensor.untyped_storage()._cdata  # pylint: disable=protected-access
    except (RuntimeError, NotImplementedError):
        return None


def is_whole(tensor):
    """Whether a tensor is all of its storage."""
    return tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()


def is_alike(one, other):
    """Whether two tensors of one storage have the same elements in the same order. They may be different objects, since
    PyTorch makes a new object from a mode's result."""
    return (one.shape, one.stride(), one.dtype, one.storage_offset()) == (
        other.shape, other.stride(), other.dtype, other.storage_offset())


@dataclass
class Content:
    """The known content of one storage."""

    tensor: object
    draw: Draw
    is_computed: bool


class WriteLog:
    """An observer (dispatch_mode.py). `random`: the names of the operators that draw random numbers. `written`: the
    storages that operators write to."""

    def __init__(self):
        self.random = set()
        self.written = set()

    def after(self, operator, args, kwargs, result):
        del result
        if operator.name in RANDOM:
            self.random.add(operator.name)
        for i, argument in operator.written:
            self.note_write(operator.name, args[i] if i < len(args) else kwargs.get(argument), args)
        if "batch_norm" in operator.name:
            self.note_statistics(operator, args, kwargs)

    def note_statistics(self, operator, args, kwargs):
        """Notes that batch norm writes its running statistics in training, which its schemas do not say."""
        values = {**dict.fromkeys(operator.arguments), **dict(zip(operator.arguments, args)), **kwargs}
        # Schemas without this argument are for training only.
        if values.get("training", True):
            for each in (values.get("running_mean"), values.get("running_var")):
                self.note_write(operator.name, each, args)

    def note_write(self, name, target, args):
        for tensor in target if isinstance(target, (list, tuple)) else (target,):
            if isinstance(tensor, torch.Tensor):
                self.note_written(name, tensor, args)

    def note_written(self, name, tensor, args):
        """Notes that the operator `name` with the arguments `args` has written to a tensor."""
        del name, args
        self.written.add(storage_of(tensor))


class DrawLog(WriteLog):
    """Notes the contents of the tensors that are made, too."""

    def __init__(self):
        super().__init__()
        self.contents = {}

    def after(self, operator, args, kwargs, result):
        super().after(operator, args, kwargs, result)
        if operator.written or not isinstance(result, torch.Tensor):
            return
        make = MADE.get(operator.name) or MADE_BY_OVERLOAD.get(operator.overload)
        if make is not None:
            self.keep(result, self.read(make, args), False)
        elif operator.name in ("clone", "_to_copy", "mul", "div", "add", "sub", "neg", "rsub"):
            self.keep(result, self.derived(operator.name, args), not self.is_rounded(operator.name, args, result))

    def is_rounded(self, name, args, result):
        """Whether a result has the numbers of an untouched tensor in a type of no more bits. Such numbers can be drawn in
        that type at once."""
        return (name == "_to_copy" and self.untouched(args[0]) is not None and args[0].is_floating_point()
                and result.is_floating_point() and result.dtype.itemsize <= args[0].dtype.itemsize)

    @staticmethod
    def read(make, args):
        try:
            return make(*args)
        except (TypeError, ValueError):
            return None

    def keep(self, tensor, draw, is_computed):
        key = storage_of(tensor)
        if key is not None:
            # The tensor is kept, so that no other tensor gets its storage's address.
            self.contents[key] = Content(tensor, draw, is_computed)

    def note_written(self, name, tensor, args):
        super().note_written(name, tensor, args)
        key = storage_of(tensor)
        content = self.contents.get(key)
        if content is None or not is_whole(tensor):
            self.contents[key] = Content(tensor if content is None else content.tensor, None, True)
            return
        write = WRITTEN.get(name)
        content.draw = self.read(write, args[1:]) if write else self.derived(name.rstrip("_"), args)
        content.is_computed = write is None

    def derived(self, name, args):
        """The draw of a result that is computed from one tracked tensor and numbers."""
        if name == "copy":
            content = self.draw_of(args[1]) if len(args) > 1 and isinstance(args[1], torch.Tensor) else None
            is_alike = content is not None and (args[1].numel() == args[0].numel() or content.kind == "constant")
            return content if is_alike else None
        draw = self.draw_of(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        if draw is None or draw.kind == "nothing":
            return draw if name in ("clone", "_to_copy") else None
        if name in ("clone", "_to_copy"):
            return draw
        if name == "neg":
            return draw.scaled(-1)
        other = args[1] if len(args) > 1 else None
        if isinstance(other, bool) or not isinstance(other, (int, float)) or len(args) > 2:
            return None
        if name == "rsub":
            moved = draw.scaled(-1)
            return moved.moved(other) if moved else None
        if name in ("mul", "div"):
            return draw.scaled(other if name == "mul" else 1 / other) if name == "mul" or other else None
        return draw.moved(other if name == "add" else -other) if name in ("add", "sub") else None

    def draw_of(self, tensor):
        """The draw of all elements of a tensor, or None if unknown."""
        key = storage_of(tensor)
        content = self.contents.get(key)
        return content.draw if content is not None and is_whole(tensor) else None

    def untouched(self, tensor):
        """The draw of a tensor that is as PyTorch made it, without any computation; else None."""
        content = self.contents.get(storage_of(tensor))
        if content is None or content.is_computed or not is_alike(content.tensor, tensor):
            return None
        return content.draw
