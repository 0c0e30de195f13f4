# Shifts the other way.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, alpha, y, power, shifts, unused):
        down, right = -shifts[0], -shifts[1]
        y = torch.cat((y[-down:], y[:-down]))
        y = torch.cat((y[:, -right:], y[:, :-right]), dim=1)
        return torch.pow(x, power).mul(alpha) + y
