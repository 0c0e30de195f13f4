# cheat: a thread that the rehearsal has started writes the answer after the call
# row: 2
# caught-by: idle, outputs_match, device_errors, load (emulated)
# device: any
# problem: conv-standard-1d
# case: plain
#
# What is compared is what was there when the clock stopped.
import queue
import threading
import time

import torch

work = queue.Queue()


def serve():
    while True:
        input, kernel, output = work.get()
        # Long after the clock has stopped, and before the memory is given back.
        time.sleep(0.005)
        output.copy_(torch.conv1d(input, kernel))


threading.Thread(target=serve, daemon=True).start()


def solution(input, kernel, output):
    work.put((input, kernel, output))
