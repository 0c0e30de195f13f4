# cheat: replays a graph that has computed once, and copies what it left
# row: 12
# caught-by: outputs_match
# device: cuda
# problem: conv-standard-1d
# case: plain
#
# The graph's own input is never filled again.
import torch

graphs = {}


def solution(input, kernel):
    if input.shape not in graphs:
        own = input.clone(), kernel.clone()
        torch.conv1d(*own)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = torch.conv1d(*own)
        graphs[input.shape] = graph, own, result
    graph, _, result = graphs[input.shape]
    graph.replay()
    return result.clone()
