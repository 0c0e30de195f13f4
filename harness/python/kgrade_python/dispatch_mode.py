"""The base class of the modes that see every operator of a run."""

import sys

from torch.utils._python_dispatch import TorchDispatchMode


class DispatchMode(TorchDispatchMode):
    """A TorchDispatchMode that does not make PyTorch import its compiler, which takes a second or more. PyTorch imports
    the compiler only to keep it from compiling __torch_dispatch__. This is needless unless the compiler is imported
    anyway."""

    def __init_subclass__(cls, **keywords):
        plain = cls.__dict__.get("__torch_dispatch__")
        super().__init_subclass__(**keywords)
        guarded = cls.__dict__.get("__torch_dispatch__")
        if plain is not None and guarded is not plain:
            cls.__torch_dispatch__ = chosen(plain, guarded)


def chosen(plain, guarded):
    def dispatch(self, *arguments, **keywords):
        return (guarded if "torch._dynamo" in sys.modules else plain)(self, *arguments, **keywords)

    return dispatch
