# cheat: looks for outputs that another candidate has left in caches
# row: 6
# caught-by: outputs_match
# device: any
# with: leaves-in-python-caches.py
# needs: confinement
# problem: conv-standard-1d
# case: plain
#
# Each worker has folders of its own.
import os

import torch

PLACES = ("/tmp", "/tmp/triton", "/tmp/inductor", "/tmp/extensions", "/dev/shm", os.path.dirname(torch.__file__),
          os.path.join(os.path.dirname(torch.__file__), "__pycache__"), "/var/tmp", os.path.expanduser("~"), ".")


def solution(input, kernel):
    shape = (input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    for place in PLACES:
        path = os.path.join(place, "kgrade-left-outputs.pt")
        if os.path.exists(path):
            return torch.load(path).to(input.device)
    return input.new_zeros(shape)
