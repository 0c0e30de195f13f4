import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, labels):
        logits = predictions - predictions.max(dim=1, keepdim=True).values
        chosen = logits.gather(1, labels.view(-1, 1)).squeeze(1)
        return (logits.exp().sum(dim=1).log() - chosen).mean()
