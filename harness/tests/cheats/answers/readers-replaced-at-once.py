# cheat: replaces what kgrade reads results with as soon as it is loaded, and answers with an older output
# row: 46
# caught-by: protocol
# device: any
# problem: conv-standard-1d
# case: plain
#
# After the rehearsal kgrade's own functions have to be what they were.
import sys

import torch

kept = {}


def older(result, name, shape, *_):
    first = kept.setdefault(shape, result)
    return first.data_ptr(), first


sys.modules["kgrade_python.tensors"].address_of_result.__code__ = older.__code__
sys.modules["kgrade_python.tensors"].kept = kept


def solution(input, kernel):
    return torch.conv1d(input, kernel)
