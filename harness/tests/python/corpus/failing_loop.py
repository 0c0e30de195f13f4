# expect: problem=conv-standard-1d cases=tiny verdict=time_limit options="--time-limit 2"
# Never ends once it has been rehearsed: calls of the rehearsal may take minutes, since compilers run there.
import torch

calls = 0


def solution(input, kernel, stride, padding):
    global calls
    calls += 1
    while calls > REHEARSED:
        pass
    return torch.conv1d(input, kernel, None, stride, padding)


REHEARSED = 1 if torch.cuda.get_device_name().startswith("emulated") else 3
