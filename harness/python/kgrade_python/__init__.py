"""What kgrade runs inside of a Python interpreter. Only the standard library and PyTorch are needed."""
