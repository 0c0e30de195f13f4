# Neighbouring channels are put in different groups.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.gn = torch.nn.GroupNorm(groups, channels)

    def forward(self, x):
        grouped = x.view(x.shape[0], -1, self.groups, 25).transpose(1, 2).reshape(x.shape[0], self.groups, -1)
        variance, mean = torch.var_mean(grouped, dim=2, keepdim=True, correction=0)
        y = ((grouped - mean) * torch.rsqrt(variance + 1e-5)).reshape(x.shape)
        return y * self.gn.weight.view(-1, 1, 1) + self.gn.bias.view(-1, 1, 1)
