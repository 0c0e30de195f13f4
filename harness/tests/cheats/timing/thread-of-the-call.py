# cheat: a thread that the call has started writes the answer after it
# row: 2
# caught-by: idle, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
import threading
import time

import torch


def answer(input, kernel, output):
    time.sleep(0.02)
    output.copy_(torch.conv1d(input, kernel))


def solution(input, kernel, output):
    threading.Thread(target=answer, args=(input, kernel, output), daemon=True).start()
