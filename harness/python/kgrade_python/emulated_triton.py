"""Triton on the emulated device: its interpreter, without a GPU's driver."""


class Driver:
    """What Triton's own code asks of a driver, as far as the interpreter gets there."""

    def get_current_device(self):
        return 0

    def get_current_stream(self, _=None):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 80, 32)

    def get_benchmarker(self):
        return run_once

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(1)

    def clear_cache(self, _):
        pass


def run_once(function, *_, quantiles=None, **__):
    """Times mean nothing here: every configuration runs once, for its mistakes."""
    function()
    return [1.0] * len(quantiles) if quantiles else 1.0


def install():
    try:
        import triton
        from triton.runtime import driver
    except ImportError:
        return
    driver.set_active(Driver())
    if hasattr(triton, "testing"):
        triton.testing.do_bench = run_once
