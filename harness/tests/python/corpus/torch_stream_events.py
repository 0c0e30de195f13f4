# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch

side = torch.cuda.Stream()


def solution(input, kernel, stride, padding):
    ready, done = torch.cuda.Event(), torch.cuda.Event(enable_timing=True)
    ready.record()
    with torch.cuda.stream(side):
        side.wait_event(ready)
        result = torch.conv1d(input, kernel, None, stride, padding)
        result.record_stream(side)
        done.record(side)
    torch.cuda.current_stream().wait_event(done)
    return result
