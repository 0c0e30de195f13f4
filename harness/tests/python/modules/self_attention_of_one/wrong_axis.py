# The softmax along the other axis.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, queries, keys, values):
        return torch.softmax(queries @ keys.transpose(1, 2) / 4, dim=1) @ values
