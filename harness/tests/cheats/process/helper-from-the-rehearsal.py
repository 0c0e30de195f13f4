# cheat: starts a process in the rehearsal that outlives it, and lets it compute
# row: 39
# caught-by: completion, idle
# device: any
# needs: confinement
# problem: conv-standard-1d
# case: plain
#
# What the rehearsal has started ends with it.
import multiprocessing
import os

import torch

ours, theirs = multiprocessing.Pipe()


def serve():
    torch.set_num_threads(1)
    while True:
        theirs.send(torch.conv1d(*theirs.recv()))


if os.fork() == 0:
    ours.close()
    serve()
theirs.close()


def solution(input, kernel):
    ours.send((input.cpu(), kernel.cpu()))
    return ours.recv().to(input.device)
