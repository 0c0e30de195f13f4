# cheat: replays the output whose inputs lay nearest to these
# row: 4
# caught-by: outputs_match
# device: any
# control: fresh_inputs, small_changes
# problem: conv-standard-1d
# case: plain
#
# Addresses are new in every call: none tells anything of the contents.
import torch

outputs = []


def solution(input, kernel):
    places = (input.data_ptr(), kernel.data_ptr())
    if len(outputs) < 2:
        outputs.append((places, torch.conv1d(input, kernel)))
        return outputs[-1][1].clone()
    nearest = min(outputs, key=lambda kept: sum(abs(a - b) for a, b in zip(kept[0], places)))
    return nearest[1].clone()
