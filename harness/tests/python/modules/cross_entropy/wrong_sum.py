import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, labels):
        return torch.nn.functional.cross_entropy(predictions, labels, reduction="sum")
