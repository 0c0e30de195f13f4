import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        rows = []
        for i in range(A.shape[0]):
            # What lies above the diagonal is zero and is not read.
            row = A[i, : i + 1] @ B[: i + 1]
            rows.append(row)
        return torch.stack(rows)
