# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
# What stands below `if __name__ == "__main__"` does not run.
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)


if __name__ == "__main__":
    raise SystemExit("a test of its own")
