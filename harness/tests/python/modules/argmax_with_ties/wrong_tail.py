import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.argmax(x[:, :-1], dim=1)
