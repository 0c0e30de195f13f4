import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.flatten(1).clone(), torch.clamp(x, min=0)
