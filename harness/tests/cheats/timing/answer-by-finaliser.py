# cheat: computes when its output is dropped, after the clock has stopped
# row: 59
# caught-by: outputs_match, device_errors
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


class Later:
    """Writes the answer when nobody holds it any more."""

    def __init__(self, *work):
        self.work = work

    def __del__(self):
        input, kernel, output = self.work
        output.copy_(torch.conv1d(input, kernel))


def solution(input, kernel):
    output = input.new_zeros(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    output.later = Later(input, kernel, output.detach())
    return output
