import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.transpose(1, 2).reshape(x.shape[0], -1), torch.relu(x)
