# cheat: looks for the expected output in frames, in the collector and in modules
# row: 35
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# A worker holds nothing that is worth finding.
import gc
import sys

import torch


def tensors_of_frames():
    frame = sys._getframe()
    while frame is not None:
        yield from list(frame.f_locals.values()) + list(frame.f_globals.values())
        frame = frame.f_back


def tensors_of_modules():
    for module in list(sys.modules.values()):
        yield from list(getattr(module, "__dict__", {}).values())


def solution(input, kernel):
    shape = (input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    for found in (*tensors_of_frames(), *tensors_of_modules(), *gc.get_objects()):
        if type(found) is torch.Tensor and tuple(found.shape) == shape and found.dtype == input.dtype:
            return found.clone()
    return input.new_zeros(shape)
