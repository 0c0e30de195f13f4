"""The emulated device as PyTorch's `cuda`: tensors lie in host memory, but report that they are on the device under
test."""

import contextlib
import threading
import types

import torch
import torch.utils._device  # some versions load it only when it is first used
from torch.overrides import TorchFunctionMode

from . import emulated_precision
from .errors import Unsupported

DEVICE = torch.device("cuda", 0)
HOST = torch.device("cpu")


def is_cuda(device):
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device.split(":")[0] == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


class DeviceUnderTest(TorchFunctionMode):
    """A requested `cuda` device means host memory, and every tensor reports that it is on `cuda`."""

    # In `x.to(0)` and `x.cuda(0)`, the number is a device. In other functions, a number has another meaning.
    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        if name == "__get__":
            owner = getattr(function, "__self__", None)
            which = getattr(owner, "__name__", "")
            if which == "device":
                return DEVICE
            if which == "is_cuda":
                return True
        if name in ("cuda",):
            return args[0]
        if name == "get_device":
            return 0
        if kwargs.get("device") is not None and is_cuda(kwargs["device"]):
            kwargs = {**kwargs, "device": HOST}
        if name == "to" and len(args) > 1 and is_cuda(args[1]):
            args = (args[0], HOST, *args[2:])
        elif name in ("_parse_to",):
            pass
        elif any(isinstance(value, torch.device) and value.type == "cuda" for value in args):
            args = tuple(HOST if isinstance(value, torch.device) and value.type == "cuda" else value for value in args)
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        if name == "pin_memory":
            return args[0]
        return emulated_precision.call(function, args, kwargs)


class Stream:
    """Work is done at once, so all streams are one."""

    cuda_stream = 0
    stream_id = 0
    device = DEVICE

    def __init__(self, *_, **__):
        pass

    def synchronize(self):
        pass

    def wait_stream(self, _):
        pass

    def wait_event(self, _):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Event:
    """Times mean nothing on the emulated device."""

    def __init__(self, *_, **__):
        pass

    def record(self, *_):
        pass

    def wait(self, *_):
        pass

    def synchronize(self):
        pass

    def query(self):
        return True

    def elapsed_time(self, _):
        return 1.0


PROPERTIES = types.SimpleNamespace(
    name="emulated device", major=8, minor=0, total_memory=16 << 30, multi_processor_count=4, warp_size=32,
    max_threads_per_block=1024, max_threads_per_multi_processor=2048, shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=99 << 10, shared_memory_per_multiprocessor=100 << 10,
    regs_per_multiprocessor=65536, L2_cache_size=4 << 20, gcnArchName="", is_integrated=False)


def refuse(what):
    def refused(*_, **__):
        raise Unsupported(f"{what}: not on the emulated device")

    return refused


def answering(answer):
    """A function that always returns `answer`. It is a new function each time, since PyTorch's compiler refuses one
    object under two names."""

    def function(*_, **__):
        return answer

    return function


def default_to_host():
    """Makes the mode of torch.set_default_device() use the host. DeviceUnderTest does not see the device that this mode
    adds."""
    context = torch.utils._device.DeviceContext  # pylint: disable=protected-access
    begin = context.__init__
    context.__init__ = lambda self, device: begin(self, HOST if is_cuda(device) else device)


def reach_threads():
    """Enters DeviceUnderTest in each thread that a candidate starts, since a mode is active in one thread only."""
    run = threading.Thread.run

    def run_on_device(self):
        with DeviceUnderTest():
            run(self)

    threading.Thread.run = run_on_device


class GeneratorKind(type(torch.Generator)):
    """Makes isinstance() accept PyTorch's own generators, which have the original class of `torch.Generator`."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Generator.__base__) if cls is Generator else super().__instancecheck__(instance)


class Generator(torch.Generator, metaclass=GeneratorKind):
    """Replaces torch.Generator, since a mode does not see how a generator is made."""

    def __new__(cls, device="cpu"):
        return super().__new__(cls, HOST if is_cuda(device) else device)


def on_host(device_types):
    """The device or devices that an operator's kernel is registered for, with the host instead of "cuda"."""
    if isinstance(device_types, str) or device_types is None:
        return "cpu" if device_types == "cuda" else device_types
    return sorted({on_host(one) for one in device_types})


def register_on_host():
    """Registers the host for a candidate's operators for GPUs, since they are called with tensors in host memory."""
    library = torch.library
    for name in ("custom_op", "register_kernel"):
        if hasattr(library, name):
            setattr(library, name, with_device_on_host(getattr(library, name)))
    if hasattr(library, "Library"):
        library.Library.impl = on_host_once(library.Library.impl)


def on_host_once(implement):
    """Library.impl that registers kernels for GPUs on the host. If an operator has kernels for both, the first one
    counts. Some operators of PyTorch's own compiler have both."""
    on_host_already = set()

    def impl(self, name, function, key="", **options):
        place = (self.ns, str(name))
        if key not in ("CPU", "CUDA"):
            return implement(self, name, function, key, **options)
        if place in on_host_already:
            return None
        on_host_already.add(place)
        return implement(self, name, function, "CPU", **options)

    return impl


def with_device_on_host(register):
    def registered(name, *arguments, **options):
        if "device_types" in options:
            options["device_types"] = on_host(options["device_types"])
        elif register.__name__ == "register_kernel" and arguments:
            arguments = (on_host(arguments[0]), *arguments[1:])
        return register(name, *arguments, **options)

    return registered


def install():
    default_to_host()
    register_on_host()
    emulated_precision.reach_scripts()
    reach_threads()
    torch.Generator = Generator
    cuda = torch.cuda
    answers = {
        "is_available": True, "device_count": 1, "current_device": 0, "is_initialized": True,
        "get_device_name": PROPERTIES.name, "get_device_capability": (PROPERTIES.major, PROPERTIES.minor),
        "get_device_properties": PROPERTIES, "memory_allocated": 0, "max_memory_allocated": 0, "memory_reserved": 0,
        "max_memory_reserved": 0, "is_bf16_supported": True, "get_arch_list": ["sm_80"],
        "is_current_stream_capturing": False, "mem_get_info": (16 << 30, 16 << 30),
    }
    for name, answer in answers.items():
        setattr(cuda, name, answering(answer))
    for name in ("init", "synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all", "_lazy_init",
                 "reset_peak_memory_stats", "ipc_collect", "set_stream"):
        setattr(cuda, name, answering(None))
    stream = Stream()
    for name in ("current_stream", "default_stream"):
        setattr(cuda, name, answering(stream))
    cuda.Stream, cuda.Event = Stream, Event
    # Without this, recurrent layers would lay out their weights for cuDNN.
    torch.backends.cudnn.is_acceptable = answering(False)
    # PyTorch reads the argument of record_stream before any mode sees the call.
    torch.Tensor.record_stream = answering(None)
    cuda.stream = lambda *_: contextlib.nullcontext()
    cuda.device = lambda *_: contextlib.nullcontext()
    cuda.device_of = lambda *_: contextlib.nullcontext()
    # Libraries inherit from the first two classes when they are imported.
    for name in ("CUDAGraph", "graph"):
        setattr(cuda, name, type(name, (), {"__init__": refuse("CUDA graphs"), "__module__": "torch.cuda"}))
    cuda.make_graphed_callables = refuse("CUDA graphs")
    torch.compile = lambda model=None, **_: model if model is not None else (lambda function: function)
    cuda.nvtx = types.SimpleNamespace(range_push=answering(None), range_pop=answering(None), mark=answering(None),
                                      range=lambda *_, **__: contextlib.nullcontext())
    DeviceUnderTest().__enter__()
