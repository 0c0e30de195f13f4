# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


def taps(padded, kernel, stride, extent):
    total = None
    for tap in range(kernel.shape[2]):
        part = padded[:, :, tap:tap + (extent - 1) * stride + 1:stride]
        product = torch.einsum("oc,bcx->box", kernel[:, :, tap], part)
        total = product if total is None else total + product
    return total


fast = torch.compile(taps, mode="reduce-overhead")


def solution(input, kernel, length, kernel_size, stride, padding):
    extent = (length + 2 * padding - kernel_size) // stride + 1
    return fast(torch.nn.functional.pad(input, (padding, padding)), kernel, stride, extent).clone()
