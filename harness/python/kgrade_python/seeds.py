"""Seeds of the generators from which a problem's file and candidates draw numbers: PyTorch's, NumPy's and Python's."""

import contextlib
import random
import sys

import torch

# These functions do nothing while get_inputs() runs. Otherwise, a file that seeds itself would draw the same numbers in
# every call.
SEEDS = [(torch, "manual_seed"), (torch, "seed"), (torch.random, "manual_seed"), (torch.random, "seed"),
         (torch.cuda, "manual_seed"), (torch.cuda, "manual_seed_all"), (random, "seed")]


def seed_all(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


@contextlib.contextmanager
def unseeded():
    """A context in which nothing reseeds the generators of seed_all()."""
    numpy = sys.modules.get("numpy")
    places = [*SEEDS, (numpy.random, "seed")] if numpy is not None else SEEDS
    kept = [(owner, name, getattr(owner, name)) for owner, name in places]
    for owner, name, _ in kept:
        setattr(owner, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)
