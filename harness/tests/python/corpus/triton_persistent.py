# expect: problem=relu cases=tiny,odd verdict=accepted
# As many programs as the device holds at once: properties of the driver, and what a compiled kernel needs.
import torch
import triton
import triton.language as tl
from triton.runtime import driver

DEVICE = triton.runtime.driver.active.get_active_torch_device()
properties = driver.active.utils.get_device_properties(DEVICE.index)
TARGET = driver.active.get_current_target()


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    blocks = tl.cdiv(n, BLOCK)
    for block in tl.range(tl.program_id(0), blocks, tl.num_programs(0), num_stages=num_stages):
        at = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)


def solution(input, output, n, m):
    assert TARGET.backend == "cuda"
    kernel = rectify.warmup(input, output, n * m, BLOCK=128, num_stages=2, num_warps=8, grid=(1,))
    kernel._init_handles()
    programs = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
    if kernel.metadata.shared:
        programs = min(programs, properties["max_shared_mem"] // kernel.metadata.shared)
    programs = min(max(programs, 1) * properties["multiprocessor_count"], triton.cdiv(n * m, 128))
    kernel[(programs, 1, 1)](input, output, n * m, 128, 2)
