# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Whatever has no name of its own arrives by keyword; the output does not, since nobody names it.
import torch.nn.functional as F


def solution(input, **rest):
    assert "output" not in rest, "outputs only go to those who name them"
    keys = ("stride", "padding", "dilation", "groups")
    return F.conv1d(input, rest["kernel"], **{key: rest[key] for key in keys})
