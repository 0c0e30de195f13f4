"""For tests of modules without a worker process: a contestant that the test itself calls, and draws of its inputs."""

import sys
import types
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python import contestant, trusted_module  # noqa: E402
from kgrade_python.tensors import TYPES  # noqa: E402

SEED = 0xfedcba9876543210  # of the random numbers of a call


class Memory:
    """Stands in for the referee's memory: tensors by their addresses."""

    def __init__(self):
        self.lent = {}

    def lend(self, tensor):
        self.lent[tensor.data_ptr()] = tensor
        return tensor.data_ptr()

    def tensor(self, address, *_):
        return self.lent[address].view(self.lent[address].shape)


def contract_of(description, is_file=True):
    """As the C++ side makes it of a description."""
    def parameter(each, role):
        return {"name": each["name"], "role": role, "type": "[VAR]" if each["dtype"] == description["dtype"] else "own"}

    parameters = [parameter(each, "input") for each in description["inputs"] + description["weights"]]
    outputs = [parameter(each, "output") for each in description["outputs"]]
    return {
        "of_file": is_file,
        "keeps_types": description["dtype"] != "float32",
        "parameters": parameters + outputs,
        "output_positions": [len(parameters) + i for i in range(len(outputs))],
        "torch": {"init": [], "init_line": "def __init__(self):", "forward_line": "def forward(self):",
                  "mode": description["mode"],
                  "forward": [each.get("input", each) for each in description["forward"]],
                  "axes": {each["name"]: each["axes"] for each in description["inputs"] if "axes" in each},
                  "weights": {each["name"]: each["module_name"] for each in description["weights"]},
                  "free": [each["module_name"] for each in description["buffers"] if each["changes"]],
                  "views": [each["name"] for each in description["outputs"] if each.get("of_input")]},
    }


class Worker:
    """One process's contestant. `role`: "oracle", "reference" or None for a candidate with a ModelNew. `model`: the source
    of the problem's Model, which a candidate's process has."""

    def __init__(self, source, description, role, is_file=True, model=None):
        self.description, self.is_file = description, is_file
        self.contract = {**contract_of(description, is_file), **({"model": model} if model else {})}
        self.library = types.SimpleNamespace(is_emulated=True, report=lambda _: None,
                                             functions=types.SimpleNamespace(
                                                 kgrade_lent_tensor=None, kgrade_is_checking=lambda: 0))
        bundle = {"contract": self.contract, "source": source, "shown_as": "mine.py"}
        if role is None:
            bundle["entry"] = {**trusted_module.ENTRY, "name": "ModelNew"}
        else:
            bundle["role"] = role
        self.contestant = contestant.Contestant(self.library, bundle)
        self.memory = self.contestant.lender = Memory()
        self.contestant.load()
        self.describe_case()

    def describe_case(self):
        description = self.description
        tensors = description["inputs"] + description["weights"] + description["outputs"]
        self.contestant.describe({
            "number": 0, "shapes": {each["name"]: each["shape"] for each in tensors}, "scalars": {},
            "dtype": description["dtype"], "types": {each["name"]: self.type_of(each) for each in tensors},
            "module": {"positional": description["positional"], "keywords": description["keywords"],
                       "encoded": self.is_file}})

    def type_of(self, tensor):
        """The type that a tensor is lent in: the oracle's tensors of the file's type are lent in float32."""
        is_widened = self.contestant.role == trusted_module.ORACLE and tensor["dtype"] == self.description["dtype"]
        return "float32" if is_widened else tensor["dtype"]

    def call(self, tensors):
        return self.launch([tensors])[0]

    def launch(self, contents, seed=SEED):
        """The answers of the launches of one call, when it is over."""
        self.contestant.begin([seed] * len(contents))
        answers = []
        for tensors in contents:
            before = len(self.contestant.current.answers.tensors)
            outputs = self.launch_one(tensors)
            # An oracle writes where it is lent.
            is_oracle = self.contestant.role == trusted_module.ORACLE
            answers.append(list(outputs.values()) if is_oracle else self.contestant.current.answers.tensors[before:])
        return [[each.clone() for each in answer] for answer in answers]

    def launch_one(self, tensors):
        description = self.description
        types = {each["name"]: TYPES[self.type_of(each)][0] for each in
                 description["inputs"] + description["weights"] + description["outputs"]}
        outputs = {each["name"]: torch.empty(each["shape"], dtype=types[each["name"]]) for each in description["outputs"]}
        every = {**{name: tensor.to(types[name]) for name, tensor in tensors.items()}, **outputs}
        arguments = [self.memory.lend(every[each["name"]]) for each in self.contract["parameters"]]
        self.contestant.call(arguments)
        return outputs


def drawn(description, seed=1):
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for each in description["inputs"] + description["weights"]:
        draw, shape = each["draw"], each["shape"]
        if draw["kind"] == "integers":
            values = torch.randint(draw["first"], draw["second"] + 1, shape, generator=generator)
        elif draw["kind"] == "normal":
            values = torch.randn(shape, generator=generator) * draw["second"] + draw["first"]
        else:
            values = torch.rand(shape, generator=generator) * (draw["second"] - draw["first"]) + draw["first"]
        tensors[each["name"]] = values.to(TYPES[each["dtype"]][0])
    return tensors
