"""Operators for extensions: operators that ATen lacks, and operators of ATen with a faster path here."""

import torch

from .extension_interface import OPTIONS
from .operators import Options

# Saved before a submission can patch it.
_C = torch._C._VariableFunctions
_empty, _zeros, _ones = _C.empty, _C.zeros, _C.ones
_item = torch.Tensor.item
_as_tensor = torch.tensor


def table(as_cuda):
    """name -> function(kinds, objects).

    as_cuda -- the CPU is the device under test
    """
    functions = {
        "empty": _factory(_empty, "empty"),
        "zeros": _factory(_zeros, "zeros"),
        "ones": _factory(_ones, "ones"),
        "item": lambda kinds, objects: _item(objects[0]),
        "is_nonzero": lambda kinds, objects: bool(objects[0]),
        "cuda": lambda kinds, objects: objects[0] if as_cuda else objects[0].cuda(),
        # The result is a copy, as on a GPU.
        "cpu": lambda kinds, objects: objects[0].clone() if as_cuda else objects[0].cpu(),
        ".tensor": _tensor,
        ".is_alias_of": lambda kinds, objects: _storage(objects[0]) == _storage(objects[1]),
        ".suggest_memory_format": lambda kinds, objects: _suggested_format(objects[0]),
        ".set_grad_enabled": lambda kinds, objects: _set_grad_enabled(objects[0]),
    }
    streams = _host_streams() if as_cuda else _cuda_streams()
    return {**functions, **streams}


def _factory(function, name):
    """empty, zeros and ones without the search for an overload, since nearly every submission calls them."""
    general = None

    def make(kinds, objects):
        if len(objects) == 2 and kinds[1] == OPTIONS and isinstance(objects[0], list):
            options = objects[1]
            if options.pin_memory is None and options.memory_format is None and not options.requires_grad:
                # The device is the CPU unless the options name another one. Python's default device does not count.
                device = options.device or "cpu"
                return function(objects[0], dtype=options.dtype, device=device)
        nonlocal general
        if general is None:
            from .operators import Operators

            general = Operators()
        return general.call(name, kinds, objects)

    return make


def _tensor(kinds, objects):
    values, scalar, options = objects
    if not isinstance(options, Options):
        raise TypeError("torch::tensor: options expected")
    data = values[0] if scalar else values
    device = options.device or "cpu"
    return _as_tensor(data, dtype=options.dtype, device=device, requires_grad=options.requires_grad)


def _storage(tensor):
    return tensor.untyped_storage().data_ptr()


def _suggested_format(tensor):
    for format in (torch.channels_last, torch.channels_last_3d):
        dimensions = 4 if format is torch.channels_last else 5
        if (
            tensor.dim() == dimensions
            and tensor.is_contiguous(memory_format=format)
            and not tensor.is_contiguous()
        ):
            return format
    return torch.contiguous_format


def _set_grad_enabled(on):
    before = torch.is_grad_enabled()
    torch._C._set_grad_enabled(on)
    return before


def _host_streams():
    """The stream functions of a device that has only the default stream."""
    return {
        name: lambda kinds, objects: 0
        for name in (".current_stream", ".stream_from_pool", ".set_stream", ".blas_handle")
    }


def _cuda_streams():
    kept = []

    def device(index):
        return torch.cuda.current_device() if index < 0 else index

    def from_pool(kinds, objects):
        high_priority, index = objects
        kept.append(torch.cuda.Stream(device(index), priority=-1 if high_priority else 0))
        return kept[-1].cuda_stream

    def set_stream(kinds, objects):
        stream, index = objects
        torch.cuda.set_stream(
            torch.cuda.ExternalStream(stream, device=device(index))
            if stream
            else torch.cuda.default_stream(device(index))
        )

    return {
        ".current_stream": lambda kinds, objects: torch._C._cuda_getCurrentRawStream(device(objects[0])),
        ".stream_from_pool": from_pool,
        ".set_stream": set_stream,
        ".blas_handle": lambda kinds, objects: torch.cuda.current_blas_handle(),
    }
