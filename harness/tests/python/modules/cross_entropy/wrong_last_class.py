import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, labels):
        return torch.nn.functional.cross_entropy(predictions[:, :-1], labels.clamp(max=predictions.shape[1] - 2))
