# cheat: learns the answer of every shape in the rehearsal, and replays it
# row: 5
# caught-by: outputs_match
# device: any
# control: fresh_inputs, small_changes
# problem: conv-standard-1d
# case: plain
#
# Contents of the rehearsal are used nowhere else.
import torch

learnt = {}


def solution(input, kernel):
    shape = (input.shape, kernel.shape)
    if shape not in learnt:
        learnt[shape] = torch.conv1d(input, kernel)
    return learnt[shape].clone()
