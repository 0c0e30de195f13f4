# expect: problem=conv-standard-1d cases=plain verdict=accepted
# A function that tries the module out has a name of an entry point, and takes nothing of the problem.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = torch.nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv1d(x)


def run():
    print(ModelNew(1, 2, 3).cuda()(torch.rand(1, 1, 9).cuda()))
