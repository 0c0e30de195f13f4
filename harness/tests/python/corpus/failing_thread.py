# expect: problem=conv-standard-1d cases=tiny,plain verdict=cheating|runtime_error
# A thread of its own goes on after the call.
import threading
import time

import torch


def linger():
    time.sleep(30)


def solution(input, kernel, stride, padding):
    threading.Thread(target=linger, daemon=True).start()
    return torch.conv1d(input, kernel, None, stride, padding)
