"""Plain tensors that a constructor fills with random numbers. They may be weights that it packs before they become
parameters."""

import torch

# Includes the functions of torch.nn.init.
DRAWS_IN_PLACE = {"uniform_", "normal_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_", "xavier_uniform_",
                  "xavier_normal_", "exponential_", "orthogonal_"}
DRAWS = {"rand", "randn", "rand_like", "randn_like", "normal"}
# Operations with numbers: `torch.randn(...) * 0.02` still counts as a draw.
SCALES = {"mul", "multiply", "div", "divide", "true_divide", "add", "sub", "__mul__", "__rmul__", "__truediv__", "__add__",
          "__radd__", "__sub__"}


def memory_of(tensor):
    """The address of a tensor's whole storage; None if it has no memory yet."""
    try:
        return tensor.untyped_storage().data_ptr() or None
    except (RuntimeError, NotImplementedError, ValueError):
        return None


def memory_in(values):
    """The addresses of the storages of all tensors in `values`."""
    return {memory_of(each) for each in values if isinstance(each, torch.Tensor)} - {None}


def is_whole(tensor):
    """Whether a tensor is all of its storage."""
    return memory_of(tensor) is not None and (
        tensor.untyped_storage().nbytes() == tensor.numel() * tensor.element_size())


class DrawnTensors:
    """Numbers the tensors in the order in which they are drawn. `values` (number: tensor) replaces the values of some
    tensors."""

    def __init__(self, values=None):
        self.values = values or {}
        # The tensors are kept, so that no other tensor gets their memory.
        self.tensors = []
        self.numbers = {}
        self.scaled = set()

    def note(self, name, arguments, target, result):
        """Call this after a call of `name`. Returns the tensor if it has got one of `values`, else None. `target`: the
        tensor that an in-place call has filled."""
        if name in DRAWS_IN_PLACE:
            return self.add(target)
        if name in DRAWS:
            return self.add(result)
        number = self.number_of(target)
        if name not in SCALES or number is None or any(isinstance(each, torch.Tensor) for each in arguments[1:]):
            return None
        self.scaled.add(number)
        return self.add(result)

    def number_of(self, tensor):
        return self.numbers.get(memory_of(tensor)) if isinstance(tensor, torch.Tensor) and self.numbers else None

    def add(self, tensor):
        if not isinstance(tensor, torch.Tensor) or isinstance(tensor, torch.nn.Parameter) or not is_whole(tensor):
            return None
        if self.number_of(tensor) is not None:
            return None
        number = len(self.tensors)
        self.tensors.append(tensor)
        self.numbers[memory_of(tensor)] = number
        value = self.values.get(number)
        if value is None or value.shape != tensor.shape:
            return None
        with torch._C.DisableTorchFunction(), torch.no_grad():  # pylint: disable=protected-access
            tensor.copy_(value)
        return tensor

    def named(self, others):
        """{made-up name: tensor} of the drawn tensors that share no memory with `others`, so that they are not
        parameters."""
        taken = {memory_of(tensor) for tensor in others}
        return {f"<drawn {number}>": tensor for number, tensor in enumerate(self.tensors)
                if number not in self.scaled and memory_of(tensor) not in taken}

    def values_at(self, places, tensors):
        """The `values` (see the class) that put the problem's `tensors` at `places` (weight: name). The names are those
        of named()."""
        numbers = {f"<drawn {number}>": number for number in range(len(self.tensors))}
        return {numbers[name]: tensors[weight].cpu() for weight, name in places.items() if name in numbers}


def is_reordered(tensor, value):
    """Whether a tensor has the elements of `value` in another order."""
    mine, other = tensor.detach().cpu().flatten(), value.detach().cpu().flatten()
    return (mine.dtype == other.dtype and mine.numel() == other.numel() and not torch.equal(mine, other)
            and torch.equal(mine.sort().values, other.sort().values))
