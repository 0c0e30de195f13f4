import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, alpha, y, power, shifts, unused):
        down, right = shifts
        y = torch.cat((y[-down:], y[:-down]))
        y = torch.cat((y[:, -right:], y[:, :-right]), dim=1)
        return torch.pow(x, power).mul(alpha) + y
