class ModelNew(Model):  # noqa: F821
    def forward(self, x):
        return torch.relu(scaled(x @ self.linear.weight.t()))  # noqa: F821
