# expect: problem=conv-standard-1d cases=plain verdict=accepted
# Threads of its own, joined: the device is theirs as well.
import threading

import torch


def solution(input, kernel):
    parts = [None, None]

    def work(number):
        parts[number] = torch.conv1d(input[number::2].to("cuda"), kernel) + torch.zeros(1, device="cuda")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = torch.empty(input.shape[0], *parts[0].shape[1:], device="cuda")
    result[0::2], result[1::2] = parts
    return result
