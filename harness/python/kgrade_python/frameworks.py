"""What takes long to import, and is imported before there is a candidate."""

import gc
import sys


def import_all(with_triton):
    gc.disable()
    import torch  # noqa: F401
    import torch.utils.cpp_extension  # noqa: F401

    if with_triton:
        import_triton()
    gc.enable()
    # None of it is looked at again by later collections.
    gc.freeze()


def import_triton():
    try:
        import triton  # noqa: F401
        import triton.language  # noqa: F401
    except ImportError:
        pass


def import_without_a_gpu():
    """Of import_all() what can be done outside of a sandbox and before a fork, which a context of CUDA does not survive."""
    import torch

    # It looks for CUDA's toolkit, and where it finds one it asks whether there is a GPU. What it imports itself takes all
    # of its time: a worker imports it again, in its sandbox.
    is_available = torch.cuda.is_available
    torch.cuda.is_available = lambda: True
    try:
        import torch.utils.cpp_extension  # noqa: F401
    finally:
        torch.cuda.is_available = is_available
    del sys.modules["torch.utils.cpp_extension"], torch.utils.cpp_extension
