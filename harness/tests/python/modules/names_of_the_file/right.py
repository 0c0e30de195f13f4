class ModelNew(Model):  # noqa: F821
    def forward(self, x):
        return scaled(torch.addmm(self.linear.bias, x, self.linear.weight.t())).clamp_(min=0)  # noqa: F821
