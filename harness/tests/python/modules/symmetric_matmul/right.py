import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        # It reads half of each matrix.
        lower = torch.tril(A, -1)
        upper = torch.triu(B, 1)
        whole = lower + lower.T + torch.diag(A.diagonal())
        return whole @ (upper + upper.T + torch.diag(B.diagonal()))
