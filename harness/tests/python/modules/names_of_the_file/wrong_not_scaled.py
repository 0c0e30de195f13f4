class ModelNew(Model):  # noqa: F821
    def forward(self, x):
        return torch.relu(self.linear(x))  # noqa: F821
