# expect: problem=matrix-scalar cases=tiny,odd verdict=wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, s):
        return A * 0.5
