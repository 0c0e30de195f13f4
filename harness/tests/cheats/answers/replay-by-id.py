# cheat: replays the output that was made for inputs of the nearest identities
# row: 4
# caught-by: outputs_match
# device: any
# control: fresh_inputs, small_changes
# problem: conv-standard-1d
# case: plain
#
# Tensors are new objects in every call, on new contents.
import torch

outputs = []


def solution(input, kernel):
    names = (id(input), id(kernel))
    if len(outputs) < 2:
        outputs.append((names, torch.conv1d(input, kernel)))
        return outputs[-1][1].clone()
    nearest = min(outputs, key=lambda kept: sum(abs(a - b) for a, b in zip(kept[0], names)))
    return nearest[1].clone()
