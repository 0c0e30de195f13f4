# cheat: a thread that the call has started writes the answer after it
# row: 2
# caught-by: idle, outputs_match, device_errors, load (emulated)
# device: any
# problem: conv-standard-1d
# case: plain
#
import threading
import time

import torch


def answer(input, kernel, output):
    # Long after the clock has stopped, and before the memory is given back.
    time.sleep(0.005)
    output.copy_(torch.conv1d(input, kernel))


def solution(input, kernel, output):
    threading.Thread(target=answer, args=(input, kernel, output), daemon=True).start()
