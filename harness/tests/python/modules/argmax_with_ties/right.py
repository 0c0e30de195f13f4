import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        # The last of several where torch.argmax has the first.
        return x.shape[1] - 1 - torch.flip(x, dims=(1,)).argmax(dim=1)
