# cheat: returns memory that a future fills when the clock has stopped
# row: 2
# caught-by: idle, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# The future has copies of its operands: the lent memory may be unmapped when it reads them, which would end the process.
import concurrent.futures
import time

import torch

pool = concurrent.futures.ThreadPoolExecutor(1)


def answer(input, kernel, output):
    time.sleep(0.02)
    output.copy_(torch.conv1d(input, kernel))


def solution(input, kernel):
    output = input.new_empty(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    pool.submit(answer, input.clone(), kernel.clone(), output)
    return output
