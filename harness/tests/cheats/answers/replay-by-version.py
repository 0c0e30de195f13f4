# cheat: replays the output that it made for the versions of its inputs
# row: 5
# caught-by: outputs_match
# device: any
# control: fresh_inputs, small_changes
# problem: conv-standard-1d
# case: plain
#
# Tensors are new objects in every call, on new contents.
import torch

outputs = {}


def solution(input, kernel):
    key = (input.shape, kernel.shape, (input._version, kernel._version))
    if key not in outputs:
        outputs[key] = torch.conv1d(input, kernel)
    return outputs[key].clone()
