import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features, code):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(features, code))
        self.bias = torch.nn.Parameter(torch.empty(features))
        self.register_buffer("transposed", self.weight.detach().t().contiguous(), persistent=False)

    def forward(self, x):
        code = torch.sigmoid(x @ self.weight)
        return torch.addmm(self.bias, code, self.transposed)
