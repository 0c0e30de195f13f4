# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# The entry point is defined below `if` and `try`.
import torch

try:
    import a_package_that_nobody_has  # noqa: F401
except ImportError:
    if torch.cuda.is_available():
        def solution(input, kernel, stride, padding, dilation, groups):
            return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
    else:
        def solution(input, kernel, stride, padding, dilation, groups):
            raise RuntimeError("no GPU")
