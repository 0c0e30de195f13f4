# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted emulated=unsupported
# expect: emulated-message="CUDA graphs: not on the emulated device"
# A graph for each shape, on memory of its own: what is lent lies elsewhere in every call.
import torch

captured = {}


def capture(input, kernel, stride, padding):
    x, weight = input.clone(), kernel.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.conv1d(x, weight, None, stride, padding)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = torch.conv1d(x, weight, None, stride, padding)
    return graph, x, weight, result


def solution(input, kernel, output, stride, padding):
    key = (input.shape, kernel.shape, stride, padding)
    if key not in captured:
        captured[key] = capture(input, kernel, stride, padding)
    graph, x, weight, result = captured[key]
    x.copy_(input)
    weight.copy_(kernel)
    graph.replay()
    output.copy_(result)
