ModelNew = Model  # noqa: F821
