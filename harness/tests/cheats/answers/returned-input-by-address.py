# cheat: replaces what kgrade takes results with, and hands over the address of an input
# row: 59
# caught-by: outputs_match
# device: any
# control: outputs_apart
# problem: problems/copy.py
#
# Which memory may be handed over is not decided in Python.
import sys

import torch


def take_results(self, arguments, call, results, *_):
    arguments[self.contract["output_positions"][0]] = results[0].data_ptr()


sys.modules["kgrade_python.contestant"].Contestant.take_results = take_results


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
