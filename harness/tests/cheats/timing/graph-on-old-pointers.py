# cheat: captures a graph on the tensors of one call, and replays it in the others
# row: 12
# caught-by: outputs_match, device_errors, guard_zones, completion
# device: cuda
# problem: conv-standard-1d
# case: plain
#
# Tensors lie elsewhere in every call.
import torch

graphs = {}


def solution(input, kernel, output):
    if input.shape not in graphs:
        torch.conv1d(input, kernel)
        torch.cuda.synchronize()
        graphs[input.shape] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[input.shape]):
            output.copy_(torch.conv1d(input, kernel))
    graphs[input.shape].replay()
