# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer|runtime_error|out_of_bounds emulated=unsupported
# expect: emulated-message="CUDA graphs: not on the emulated device"
# The graph reads and writes what was lent in the call that captured it.
import torch

captured = {}


def solution(input, kernel, output, stride, padding):
    if input.shape not in captured:
        torch.conv1d(input, kernel, None, stride, padding)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output.copy_(torch.conv1d(input, kernel, None, stride, padding))
        captured[input.shape] = graph
    captured[input.shape].replay()
