# cheat: an extension that includes files of the machine and of the referee
# row: 44
# caught-by: load, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# The compiler sees the extension and the toolkit.
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#if __has_include("/etc/passwd")
#include "/etc/passwd"
#endif
#if __has_include("/usr/share/kgrade/reference/conv-standard-1d.cu")
#include "/usr/share/kgrade/reference/conv-standard-1d.cu"
#endif
#include "/proc/self/environ"
#include "../../candidate.json"
torch::Tensor run(torch::Tensor x) { return x; }
"""
module = load_inline("spy", SOURCE, functions=["run"])


def solution(input, kernel):
    return input.new_zeros(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
