"""After the rehearsal nothing may compile. This module finds and names a late compilation."""

import sys

from .errors import Unsupported


def watch(contestant):
    watch_triton(contestant)


def watch_triton(contestant):
    # A Triton that is imported later cannot start its compilers.
    if "triton" not in sys.modules:
        return
    from triton.runtime import jit

    def refuse(kernel):
        contestant.compiled_late = f"the Triton kernel '{kernel}', for arguments that no rehearsal had"
        raise Unsupported("compiles in a measured call: " + contestant.compiled_late)

    function = getattr(jit, "JITFunction", None)
    if function is None or not hasattr(function, "_do_compile"):
        return

    def do_compile(self, *_, **__):
        refuse(getattr(self, "__name__", "?"))

    function._do_compile = do_compile  # pylint: disable=protected-access
