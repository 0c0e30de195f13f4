# expect: problem=conv-standard-1d cases=tiny verdict=accepted
# Makes a folder in the current one while it is loaded, as builds of extensions do.
import os

import torch.nn.functional as F

os.makedirs("built", exist_ok=True)
with open("built/source.cu", "w") as file:
    file.write("// nothing")


def solution(input, kernel, stride, padding, dilation, groups):
    return F.conv1d(input, kernel, None, stride, padding, dilation, groups)
