"""Triton on the emulated device: its interpreter, without a GPU's driver."""

import inspect
import types

from . import emulated_interpreter, emulated_language
from .emulated_cuda import PROPERTIES
from .errors import Unsupported


class Missing(Unsupported, AttributeError):
    """A feature that Triton has only for a GPU. It is an AttributeError, so that hasattr() works."""


def missing(what):
    """A __getattr__ for an object. Its error names the missing attribute and its place."""

    def __getattr__(_, name):
        raise Missing(f"'{name}' of {what}: not on the emulated device")

    return __getattr__


class Utils:
    """The properties that persistent kernels and cost models ask the driver for."""

    __getattr__ = missing("Triton's driver")

    def get_device_properties(self, _=0):
        return {
            "max_shared_mem": PROPERTIES.shared_memory_per_block_optin,
            "max_num_regs": PROPERTIES.regs_per_multiprocessor,
            "multiprocessor_count": PROPERTIES.multi_processor_count,
            "warpSize": PROPERTIES.warp_size,
            "max_threads_per_sm": PROPERTIES.max_threads_per_multi_processor,
            "sm_clock_rate": 1_000_000, "mem_clock_rate": 1_000_000, "mem_bus_width": 256,
        }


class Driver:
    """The part of a driver that Triton's own code needs in the interpreter."""

    __getattr__ = missing("Triton's driver")
    utils = Utils()

    def get_current_device(self):
        return 0

    def set_current_device(self, _):
        pass

    def get_current_stream(self, _=None):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_device_capability(self, _=0):
        return PROPERTIES.major, PROPERTIES.minor

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 10 * PROPERTIES.major + PROPERTIES.minor, PROPERTIES.warp_size)

    def get_benchmarker(self):
        return run_once

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(1)

    def clear_cache(self, _):
        pass


def run_once(function, *_, quantiles=None, **__):
    """Runs every configuration once, to find mistakes. Times mean nothing here."""
    function()
    return [1.0] * len(quantiles) if quantiles else 1.0


class CompiledKernel:
    """The result of warmup() and of a launch: a kernel with the figures of a small one. It can be launched itself."""

    __getattr__ = missing("a compiled Triton kernel")
    n_regs, n_spills, n_max_threads = 32, 0, 1024

    def __init__(self, kernel, options):
        self.kernel = kernel
        self.options = options
        self.name = kernel.__name__
        self.metadata = types.SimpleNamespace(
            name=self.name, shared=1024, num_warps=options.get("num_warps", 4), num_ctas=options.get("num_ctas", 1),
            num_stages=options.get("num_stages", 3), cluster_dims=(1, 1, 1))

    def _init_handles(self):
        pass

    def __getitem__(self, grid):
        """The launch takes all arguments. In older versions of Triton, it takes only those that are not constants."""

        def launch(*arguments):
            names = list(self.kernel.arg_names)
            constants = {name: value for name, value in self.options.items() if name in names}
            if len(arguments) < len(names):
                names = [name for name in names if name not in constants]
            return self.kernel.run(grid=grid, warmup=False, **{**constants, **dict(zip(names, arguments))})

        return launch


def return_compiled(interpreter):
    """Makes warmup() and launches return a kernel. In the interpreter they return nothing."""
    interpreted = interpreter.InterpretedFunction
    compiler_options = getattr(interpreter, "InterpreterOptions", None)
    run = interpreted.run

    def run_and_return(self, *arguments, grid, warmup, **options):
        if not warmup:
            if compiler_options is not None:
                # num_threads() in a kernel reads this.
                compiler_options.num_warps = options.get("num_warps", 4)
            run(self, *arguments, grid=grid, warmup=False, **options)
        return CompiledKernel(self, options)

    interpreted.run = run_and_return
    interpreted.__getattr__ = missing("a Triton kernel")


def install():
    """Returns a function that tells limitations of the interpreter from mistakes in a kernel. Without Triton, returns
    None."""
    try:
        import triton
        from triton.runtime import driver, interpreter
    except ImportError:
        return None
    driver.set_active(Driver())
    if hasattr(triton, "testing"):
        triton.testing.do_bench = run_once
        triton.testing.do_bench_cudagraph = run_once
    if inspect.isclass(getattr(interpreter, "InterpretedFunction", None)):
        return_compiled(interpreter)
    emulated_interpreter.install(interpreter)
    emulated_language.install(interpreter)
    return emulated_interpreter.limitation
