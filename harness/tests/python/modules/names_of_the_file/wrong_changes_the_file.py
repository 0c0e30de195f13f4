# One dictionary: what it defines under a name of the problem's file, its own Model uses, and the reference does not.
def scaled(x, factor=0.5):
    return x * factor / 2


class ModelNew(Model):  # noqa: F821
    pass
