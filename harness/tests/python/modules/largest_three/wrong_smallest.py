import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        values, places = torch.topk(x, 3, dim=-1, largest=False)
        return values, places
