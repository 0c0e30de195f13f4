# expect: problem=matrix-scalar cases=tiny,odd,one verdict=accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, s):
        assert isinstance(s, float)
        return A * s
