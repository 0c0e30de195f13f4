import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(channels, momentum=0.25)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.bn(x) / self.calls, self.bn.running_mean, self.bn.running_var
