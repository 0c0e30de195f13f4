# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Two halves of the batch on streams of their own, which wait for each other.
import torch

streams = None


def solution(input, kernel, output, stride, padding):
    global streams
    streams = streams or [torch.cuda.Stream() for _ in range(2)]
    here = torch.cuda.current_stream()
    middle = (input.shape[0] + 1) // 2
    for side, part in zip(streams, (slice(0, middle), slice(middle, None))):
        side.wait_stream(here)
        with torch.cuda.stream(side):
            if input[part].shape[0]:
                output[part] = torch.conv1d(input[part], kernel, None, stride, padding)
    for side in streams:
        here.wait_stream(side)
