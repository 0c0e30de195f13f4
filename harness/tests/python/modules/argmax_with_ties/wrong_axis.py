import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=2)[:, : x.shape[2]].contiguous()
