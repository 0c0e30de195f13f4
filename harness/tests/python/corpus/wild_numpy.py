# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Through the host and NumPy, and back.
import numpy as np
import torch


def solution(input, kernel, length, kernel_size, stride, padding):
    x, w = input.cpu().numpy(), kernel.detach().cpu().numpy()
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    extent = (length + 2 * padding - kernel_size) // stride + 1
    windows = np.stack([x[:, :, n * stride:n * stride + kernel_size] for n in range(extent)], axis=-1)
    return torch.from_numpy(np.einsum("bckn,ock->bon", windows, w).astype(np.float32)).to(input.device)
