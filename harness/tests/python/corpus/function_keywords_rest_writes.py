# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch.nn.functional as F


def solution(kernel, output, input, **sizes):
    output.copy_(F.conv1d(input, kernel, stride=sizes["stride"], padding=sizes["padding"], dilation=sizes["dilation"],
                          groups=sizes["groups"]))
