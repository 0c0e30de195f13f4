import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.register_buffer("codes", torch.randint(0, 256, (features // 2, outputs), dtype=torch.uint8))
        self.scales = torch.nn.Parameter(torch.rand(outputs).half() / 64)

    def forward(self, x):
        low, high = (self.codes & 15).float() - 8, (self.codes >> 4).float() - 8
        product = x[:, 0::2].float() @ low + x[:, 1::2].float() @ high
        return (product * self.scales.float()).half()
