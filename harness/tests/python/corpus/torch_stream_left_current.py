# expect: problem=conv-1d cases=tiny,plain verdict=wrong_answer|cheating only=cuda
# Work of later calls goes to a stream that nobody waits for.
import torch

side = torch.cuda.Stream()


def solution(input, kernel, stride, padding):
    torch.cuda.set_stream(side)
    torch.cuda._sleep(200_000_000)
    return torch.conv1d(input, kernel, None, stride, padding)
