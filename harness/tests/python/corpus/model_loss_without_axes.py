# expect: problem=mean-squared-error cases=tiny verdict=accepted
# As PyTorch's losses are.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.nn.functional.mse_loss(predictions, targets)
