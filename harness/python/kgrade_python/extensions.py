"""The builds that load_inline(), load() and setup() ask for. The referee does them in the compilers' sandbox."""

import os
import re
import shutil

from . import checked_memory, extension_module, extension_sources
from .errors import Unsupported

# BuildAnswer in contest/protocol.h.
FAILED = 1
BUILT_WITH_TORCH = 2

# Compiler errors about PyTorch's own headers and libraries of the toolkit, which the emulated device does not have.
LACKS_HERE = re.compile(
    r"[^\n]*(is not a member of .?(torch|at|c10|pybind11|py)\b|.(torch|at|c10)(::\w+)*. has not been declared"
    r"|PyTorch's own headers|has no member named"
    r"|\b(torch|ATen|c10|pybind11|cub|thrust|cutlass|cute|cooperative_groups|cuda)/[\w/.]+: No such file|TORCH_LIBRARY"
    r"|no match for .operator<<. \(operand types are .*\bat::Tensor\b"
    r"|\bcublas\w+|\bcudnn\w+|\bcufft\w+|\bcurand\w+)[^\n]*")


class Extensions:
    """The builds of one candidate. `folder`: the folder of the candidate's file in this process."""

    def __init__(self, library):
        self.library = library
        self.headers = set()
        self.built = 0
        self.checked_memory = checked_memory.of_this_process(library)

    def install(self, shown, source, folder):
        if self.checked_memory is not None:
            self.checked_memory.install()
        extension_module.install(self.build, as_cuda=self.library.is_emulated,
                                 origin_of=extension_sources.literal_origins(shown, source), folder=folder,
                                 checked_memory=self.checked_memory)

    def headers_used(self):
        return sorted(self.headers)

    def build(self, request):
        """Returns (path of the library, "small" or "torch"); raises BuildFailed with the compiler's log."""
        path, headers, log = self.attempt(request)
        if path is None:
            if self.library.is_emulated and (lack := LACKS_HERE.search(log)):
                raise Unsupported(f"an extension needs what the emulated device does not have: {lack.group(0)}")
            raise extension_module.BuildFailed(log)
        self.headers.add(headers)
        return path, headers

    def attempt(self, request):
        """(path, headers, "") or (None, None, log). The referee decides which headers to build with."""
        kind, descriptor = self.library.build(request)
        with os.fdopen(descriptor, "rb") as file:
            file.seek(0)
            if kind == FAILED:
                return None, None, file.read().decode("utf-8", "replace")
            if self.checked_memory is not None:
                self.checked_memory.number = self.built
            self.built += 1
            path = f"/tmp/extension-{self.built}-{request['name']}.so"
            with open(path, "wb") as copy:
                shutil.copyfileobj(file, copy)
        return path, "torch" if kind == BUILT_WITH_TORCH else "small", ""
