# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


@torch.jit.script
def taps(padded: torch.Tensor, kernel: torch.Tensor, stride: int, extent: int) -> torch.Tensor:
    total = torch.zeros(padded.size(0), kernel.size(0), extent, device=padded.device)
    for tap in range(kernel.size(2)):
        part = padded[:, :, tap:tap + (extent - 1) * stride + 1:stride]
        total = total + torch.einsum("oc,bcx->box", kernel[:, :, tap], part)
    return total


def solution(input, kernel, length, kernel_size, stride, padding):
    extent = (length + 2 * padding - kernel_size) // stride + 1
    return taps(torch.nn.functional.pad(input, (padding, padding)), kernel, stride, extent)
