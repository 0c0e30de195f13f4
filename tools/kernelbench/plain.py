"""What tools/kernelbench_files.py asks plain PyTorch about a file in KernelBench's form, in a process of its own.

    plain.py time FILE --device cuda              median time of a call of Model
    plain.py difference FILE NAME... --device cuda  how far the answer moves without each of these parameters

It shares nothing with kgrade: inputs are those of get_inputs(), the clock is CUDA's events. One line of JSON is printed."""

import argparse
import copy
import importlib.util
import json
import statistics
import sys
import time
from pathlib import Path

import torch

HALF = "half"  # stands for a parameter's name, and means the whole Model in half precision
WARM_UP_CALLS = 3
MOST_CALLS = 50
MOST_SECONDS = 3.0
# Memory of twice the size of the L2 cache is written before each timed call, as kgrade does.
FLUSHED = 2


def load(path):
    spec = importlib.util.spec_from_file_location("kernelbench_file", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def arguments_of(module):
    arguments = module.get_init_inputs()
    if len(arguments) == 2 and isinstance(arguments[0], (list, tuple)) and isinstance(arguments[1], dict):
        return list(arguments[0]), arguments[1]
    return list(arguments), {}


def moved(value, device, dtype=None):
    """A value with its tensors on the device. Floating tensors are converted to `dtype` if one is given."""
    if isinstance(value, torch.Tensor):
        return value.to(device, dtype if dtype is not None and value.is_floating_point() else value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(moved(each, device, dtype) for each in value)
    return value


def make(module, device):
    """Model and inputs under a fixed seed. A weight whose elements are all equal gets slightly different elements, as
    in kgrade. Otherwise, an answer without a weight of zeros or ones would be right."""
    torch.manual_seed(0)
    positional, keywords = arguments_of(module)
    with torch.device(device):
        model = module.Model(*positional, **keywords).to(device)
        inputs = moved(module.get_inputs(), device)
    for parameter in model.parameters():
        if parameter.is_floating_point() and parameter.numel() and bool((parameter == parameter.flatten()[0]).all()):
            distance = abs(parameter.flatten()[0].item()) / 10 or 0.1
            parameter.add_((torch.rand_like(parameter) * 2 - 1) * distance)
    return model, inputs


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value.detach().to(torch.float32)]
    return [tensor for each in value for tensor in tensors_of(each)] if isinstance(value, (list, tuple)) else []


def answer_of(model, inputs):
    torch.manual_seed(0)
    return tensors_of(model(*inputs))


def distance(one, other):
    """The norm of the difference divided by the norm of `other`. The largest such number of all outputs."""
    found = 0.0
    for left, right in zip(one, other):
        norm = torch.linalg.vector_norm(right).item()
        off = torch.linalg.vector_norm(left - right).item()
        found = max(found, off / norm if norm else float(off > 0))
    return found


def difference(path, device, names):
    model, inputs = make(load(path), device)
    right = answer_of(copy.deepcopy(model), inputs)
    found = {}
    for name in names:
        other = copy.deepcopy(model)
        if name == HALF:
            answer = answer_of(other.half(), moved(inputs, device, torch.half))
        else:
            dict(other.named_parameters())[name].zero_()
            answer = answer_of(other, inputs)
        found[name] = distance(answer, right)
        del other, answer
    return found


class EventClock:
    """Measures the milliseconds of a call on the GPU. A wait on the GPU before the call hides the time of the
    launches."""

    def __init__(self, device):
        properties = torch.cuda.get_device_properties(device)
        self.flushed = torch.empty(FLUSHED * properties.L2_cache_size, dtype=torch.uint8, device=device)
        self.cycles = 1_000_000

    def hide(self, seconds):
        """Makes the wait longer than the `seconds` that the host takes for a call."""
        self.cycles = int(min(max(2 * seconds, 0.5e-3), 0.2) * 2e9)

    def time(self, call):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.flushed.fill_(1)
        torch.cuda._sleep(self.cycles)  # pylint: disable=protected-access
        begin.record()
        kept = call()
        end.record()
        end.synchronize()
        del kept
        return begin.elapsed_time(end)


class HostClock:
    """Measures a call's milliseconds without a GPU."""

    def hide(self, seconds):
        pass

    def time(self, call):
        begin = time.perf_counter()
        call()
        return (time.perf_counter() - begin) * 1e3


def measure(path, device):
    on_gpu = device.startswith("cuda")
    if ":" in device:
        torch.cuda.set_device(device)  # events are recorded on this device's streams
    model, inputs = make(load(path), device)
    clock = EventClock(device) if on_gpu else HostClock()
    call = lambda: model(*inputs)  # noqa: E731
    for _ in range(WARM_UP_CALLS):
        call()
    if on_gpu:
        torch.cuda.synchronize()
    before = time.perf_counter()
    call()
    clock.hide(time.perf_counter() - before)  # the seconds that the host takes to launch a call
    times, begin = [], time.monotonic()
    while len(times) < MOST_CALLS and (len(times) < 5 or time.monotonic() - begin < MOST_SECONDS):
        for each in inputs:
            # New contents of an input, if its contents were drawn.
            if isinstance(each, torch.Tensor) and each.is_floating_point():
                each.uniform_()
        times.append(clock.time(call))
    return {"median_ms": statistics.median(times), "calls": len(times)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("time", "difference"))
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with torch.no_grad():
        if options.what == "time":
            print(json.dumps(measure(options.file, options.device)))
        else:
            print(json.dumps(difference(options.file, options.device, options.names)))


if __name__ == "__main__":
    main()
