# cheat: replaces what kgrade takes results with once it has been rehearsed, and hands over the address of an input
# row: 59
# caught-by: outputs_match
# device: any
# control: outputs_apart
# problem: problems/copy.py
#
# Which memory may be handed over is not decided in Python.
import gc
import sys

import torch

Contestant = sys.modules["kgrade_python.contestant"].Contestant


def take_results(self, arguments, call, results, *_):
    arguments[self.contract["output_positions"][0]] = results[0].data_ptr()


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if Contestant.take_results is not take_results:
            if not any(type(each) is Contestant and each.is_locked for each in gc.get_objects()):
                return x.clone()
            Contestant.take_results = take_results
        return x
