# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted only=cuda
# The stream that is left current is joined when the call ends.
import torch

side = torch.cuda.Stream()


def solution(input, kernel, stride, padding):
    torch.cuda.set_stream(side)
    torch.cuda._sleep(200_000_000)
    return torch.conv1d(input, kernel, None, stride, padding)
