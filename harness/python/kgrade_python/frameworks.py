"""What takes long to import, and is imported before there is a candidate."""

import gc


def import_all(with_triton):
    gc.disable()
    import torch  # noqa: F401
    import torch.utils.cpp_extension  # noqa: F401

    if with_triton:
        try:
            import triton  # noqa: F401
            import triton.language  # noqa: F401
        except ImportError:
            pass
    gc.enable()
    # None of it is looked at again by later collections.
    gc.freeze()
