"""Imports frameworks before a candidate arrives, since imports take long."""

import gc
import sys


def import_all(with_triton):
    gc.disable()
    import torch  # noqa: F401
    import torch.utils.cpp_extension  # noqa: F401

    if with_triton:
        import_triton()
    gc.enable()
    # Later garbage collections ignore all objects made so far.
    gc.freeze()


def import_triton():
    try:
        import triton  # noqa: F401
        import triton.language  # noqa: F401
    except ImportError:
        pass


def import_without_a_gpu():
    """The part of import_all() that is possible outside of a sandbox and before a fork, which a context of CUDA does
    not survive."""
    import torch

    # torch.utils.cpp_extension looks for CUDA's toolkit, and if it finds one, asks whether there is a GPU. Its own
    # imports take most of its time, so a worker can import it again in its sandbox.
    is_available = torch.cuda.is_available
    torch.cuda.is_available = lambda: True
    try:
        import torch.utils.cpp_extension  # noqa: F401
    finally:
        torch.cuda.is_available = is_available
    del sys.modules["torch.utils.cpp_extension"], torch.utils.cpp_extension
