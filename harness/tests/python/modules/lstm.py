import torch


class Model(torch.nn.Module):
    """A linear layer of the last state of an LSTM with two layers."""

    def __init__(self, features, hidden, layers, outputs):
        super().__init__()
        self.lstm = torch.nn.LSTM(features, hidden, layers)
        self.fc = torch.nn.Linear(hidden, outputs)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.fc(states[-1])


def get_inputs():
    return [torch.rand(6, 4, 5)]


def get_init_inputs():
    return [5, 8, 2, 3]
