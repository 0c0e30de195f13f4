# cheat: makes a class that computes when it is looked at the one that parameters are said to be of
# row: 59
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# Which classes are plain is known before the candidate is loaded.
import torch


class Later(torch.Tensor):
    """Holds its inputs until somebody asks for its memory."""

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        tensor = args[0] if args else None
        if getattr(function, "__name__", "") == "data_ptr" and isinstance(tensor, Later):
            tensor.as_subclass(torch.Tensor).copy_(torch.conv1d(*tensor.inputs))
        return super().__torch_function__(function, kinds, args, kwargs or {})


torch.nn.Parameter = Later


def solution(input, kernel):
    output = torch.empty(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1, device="cuda")
    later = output.as_subclass(Later)
    later.inputs = input, kernel
    return later
