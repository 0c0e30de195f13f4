# Without the diagonal.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, scores, mask):
        n = scores.shape[-1]
        allowed = torch.ones(n, n, dtype=torch.bool, device=scores.device).tril(-1)
        allowed[0, 0] = True
        return torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
