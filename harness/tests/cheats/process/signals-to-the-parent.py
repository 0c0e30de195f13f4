# cheat: stops, traces and ends its parent, and every process that it can see
# row: 38
# caught-by: outputs_match, completion
# device: any
# needs: confinement
# problem: conv-standard-1d
# case: plain
#
# In a worker's own namespace there is nobody to be hit.
import ctypes
import os
import signal

library = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16


def hit(process):
    library.ptrace(PTRACE_ATTACH, process, 0, 0)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(process, number)
        except OSError:
            pass


def solution(input, kernel):
    own = {int(task) for task in os.listdir("/proc/self/task")}
    for process in {os.getppid(), *range(1, 200)} - own:
        hit(process)
    return input.new_zeros(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
