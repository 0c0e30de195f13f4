"""Chooses kernels of Triton for the referee, which finds the matrix units that they use (compile/matrix_units.h)."""

import ast
import base64
import os
import re

from . import gpu_frameworks

# The instructions of PTX that use matrix units, and the part of their names that says how large the matrices are.
INSTRUCTION = re.compile(r"\b(?:mma\.s[yp]|wmma\.mma|wgmma\.mma_async|tcgen05\.mma)[\w.:]*")
SIZE = re.compile(r"\.m\d+n\d+k\d+")

# Tuning may compile hundreds of kernels. Kernels with the same instructions on matrices use the same units, so that one
# kernel of each kind is enough. The limits are far beyond what honest candidates need.
MOST_KERNELS = 12
MOST_BYTES = 2 << 20  # of these kernels together; the referee reads at most 4 MiB of a report


def instructions_in(ptx):
    """The instructions on matrices in PTX, without the sizes of the matrices."""
    return frozenset(SIZE.sub("", found) for found in INSTRUCTION.findall(ptx))


def chosen(folder):
    """Returns one cubin in base64 for each kind of kernel that uses matrix units; None if there are too many, or if a file
    cannot be read, as while Triton still writes it. `folder`: Triton's cache, which may be missing."""
    try:
        return kernels_in(folder) if os.path.isdir(folder) else []
    except OSError:
        return None


def kernels_in(folder):
    def fail(error):
        raise error

    kinds = {}
    for place, _, names in sorted(os.walk(folder, onerror=fail)):
        for name in sorted(name for name in names if name.endswith(".ptx")):
            with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                kind = instructions_in(file.read())
            cubin = os.path.join(place, name[:-len("ptx")] + "cubin")
            if kind and kind not in kinds and os.path.exists(cubin):
                kinds[kind] = cubin
    if len(kinds) > MOST_KERNELS or sum(map(os.path.getsize, kinds.values())) > MOST_BYTES:
        return None
    kernels = []
    for cubin in kinds.values():
        with open(cubin, "rb") as file:
            kernels.append(base64.b64encode(file.read()).decode())
    return kernels


def compiles_elsewhere(source, entry, modules_beside):
    """Whether a candidate uses a framework whose compiled kernels are not in Triton's cache."""
    try:
        findings = gpu_frameworks.Findings(ast.parse(source), entry, [], modules_beside)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(framework != "Gluon" for framework, _, _ in findings.used)
