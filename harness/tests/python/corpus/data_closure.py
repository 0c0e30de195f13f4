# expect: part=more problem=relu cases=tiny,odd verdict=accepted
import torch


def with_buffer():
    buffers = {}

    def kernel(data):
        input, n, m = data
        output = buffers.setdefault(tuple(input.shape), torch.empty_like(input))
        return output.copy_(torch.relu(input))

    return kernel


custom_kernel = with_buffer()
