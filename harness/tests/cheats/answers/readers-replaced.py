# cheat: replaces what kgrade reads results with once it has been rehearsed, and answers with an older output
# row: 46
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# All of it is the worker's own, which the referee does not believe.
import gc
import sys

import torch

kept = {}
contestant = sys.modules["kgrade_python.contestant"]
tensors = sys.modules["kgrade_python.tensors"]


def older(result, name, shape, *_):
    first = kept.setdefault(shape, result)
    return first.data_ptr(), first


def replace():
    contestant.address_of_result = tensors.address_of_result = older
    for owner, name in ((torch._C, "_to_dlpack"), (torch._C, "_from_dlpack"), (torch.Tensor, "data_ptr"),
                        (torch.Tensor, "is_contiguous"), (torch.Tensor, "contiguous")):
        original = getattr(owner, name)
        setattr(owner, name, (lambda call: lambda *args, **kwargs: call(*args, **kwargs))(original))


def solution(input, kernel):
    if contestant.address_of_result is not older and any(
            type(each) is contestant.Contestant and each.is_locked for each in gc.get_objects()):
        replace()
    return torch.conv1d(input, kernel)
