"""A candidate's answers, kept until they have been captured. A sample may have several launches, and their answers
are captured together after its clock has stopped. A candidate may return the same memory in each launch, as a CUDA
graph does. Then the answers of all launches except the last are copied at once, and the time of the copies counts."""

import collections

import torch

_Tensor = torch.Tensor
_data_ptr = torch.Tensor.data_ptr
_clone = torch.Tensor.clone
_numel = torch.Tensor.numel
_element_size = torch.Tensor.element_size

# The number of earlier calls whose answers are kept, since PyTorch gives the memory of a freed answer to the next
# one. A candidate may use two buffers in turn.
CALLS_HELD = 2
# The most bytes of kept answers. Kernels with larger answers take so long that their samples have one launch.
MOST_HELD_BYTES = 64 << 20


class KeptAnswers:
    """The kept answers of one case. `tensors`: the answers of the present call. Their addresses are kept too, since a
    tensor of an earlier run of PyTorch's CUDA graphs must not be asked for its address."""

    def __init__(self):
        self.tensors, self.addresses = [], []
        self.bytes = 0
        self.held = collections.deque(maxlen=CALLS_HELD)
        self.is_reused = False  # the candidate has returned memory that still held an older answer

    def begin(self):
        """A call begins."""
        are_held = self.bytes <= MOST_HELD_BYTES and not self.is_reused
        self.held.append((self.tensors, self.addresses) if are_held else ([], []))
        self.forget()

    def forget(self):
        self.tensors, self.addresses = [], []
        self.bytes = 0

    def clear(self):
        self.forget()
        self.held.clear()

    def keep(self, tensor, address, is_last_launch, is_input):
        """Keeps an answer, and returns the address from which it is captured. An input is never copied, since each
        launch has its own."""
        if is_input:
            self.tensors.append(tensor)
            return address
        if any(address in addresses for _, addresses in self.held):
            self.is_reused = True
            self.held.clear()
        if self.is_reused and not is_last_launch:
            tensor = _clone(tensor)
            address = _data_ptr(tensor)
        self.tensors.append(tensor)
        self.addresses.append(address)
        self.bytes += _numel(tensor) * _element_size(tensor)
        return address
