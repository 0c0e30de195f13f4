# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted only=cuda
# Leaving the stream joins it: its work is in the answer and in the time.
import torch

side = torch.cuda.Stream()


def solution(input, kernel, output, stride, padding):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
        output.copy_(torch.conv1d(input, kernel, None, stride, padding))
