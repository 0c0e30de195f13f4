# cheat: replays a graph that writes the diagonal of an output whose zeros were written before the capture
# row: 12
# caught-by: outputs_match
# device: cuda
# control: outputs_overwritten
# problem: problems/diagonal.py
#
# A graph may keep its output, and has to write all of it.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.graph = None

    def capture(self, x):
        self.x, self.y = x.clone(), torch.zeros(len(x), len(x), device=x.device)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.exp(self.x, out=self.y.diagonal())
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            torch.exp(self.x, out=self.y.diagonal())

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y
