# expect: part=more problem=relu cases=tiny,odd verdict=accepted
import torch


class Kernel:
    def __call__(self, data):
        input, n, m = data
        return torch.relu(input)


custom_kernel = Kernel()
