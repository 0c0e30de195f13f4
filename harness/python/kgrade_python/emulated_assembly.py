"""Inline assembly for Triton's interpreter: the single instructions that kernels use."""

import re
import time

import numpy
import torch

from . import emulated_libdevice
from .errors import Unsupported, printable
from .rounding import to_tf32

TYPES = {"f32": numpy.float32, "f64": numpy.float64, "s32": numpy.int32, "u32": numpy.uint32, "b32": numpy.uint32,
         "s64": numpy.int64, "u64": numpy.uint64, "b64": numpy.uint64}
# Modifiers that are ignored. Results are always rounded to nearest.
MODIFIERS = {"rn", "approx", "ftz", "full", "lo"}
OPERATIONS = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "fma": "fma", "sqrt": "sqrt", "rsqrt": "rsqrt",
              "rcp": "rcp", "ex2": "exp2", "lg2": "log2", "sin": "sin", "cos": "cos", "tanh": "tanh", "abs": "fabs",
              "min": "fmin", "max": "fmax"}
FLOATING = {**{name: emulated_libdevice.FLOATING[other] for name, other in OPERATIONS.items()},
            "neg": numpy.negative, "mov": lambda x: x}
INTEGER = {"add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum,
           "and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor, "not": numpy.invert,
           "mov": lambda x: x}
INSTRUCTION = re.compile(r"([a-z][a-z0-9]*)((?:\.[a-z0-9]+)*)\s+\$0((?:\s*,\s*\$\d+)+)\s*;?")
SPECIAL = re.compile(r"mov\.[bsu](?:32|64)\s+\$0\s*,\s*%(smid|globaltimer|clock64|clock)\s*;?")


def one_instruction(text):
    """`text` in one line, without comments and braces."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return " ".join(text.split()).removeprefix("{").removesuffix("}").strip()


def function_of(text):
    """A function of NumPy arrays that computes the instruction `text`; or None."""
    match = INSTRUCTION.fullmatch(text)
    if match is None:
        return None
    name, (*modifiers, last) = match.group(1), match.group(2).split(".")
    kind = TYPES.get(last)
    if kind is None or not set(filter(None, modifiers)) <= MODIFIERS:
        return None
    is_float = last.startswith("f")
    operation = (FLOATING if is_float else INTEGER).get(name)
    if operation is None:
        return None
    places = [int(place) - 1 for place in re.findall(r"\$(\d+)", match.group(3))]
    is_coarse = name == "tanh" and kind is numpy.float32

    def calculate(arrays):
        operands = [numpy.ascontiguousarray(arrays[place]).view(kind) for place in places]
        wide = [operand.astype(numpy.float64) for operand in operands] if is_float else operands
        result = numpy.ascontiguousarray(operation(*wide).astype(kind))
        # The GPU's hyperbolic tangent has a relative error of up to 2^-11 (PTX ISA, tanh).
        return to_tf32(torch.from_numpy(result)).numpy() if is_coarse else result

    return calculate


def fixed_value(text):
    """The result of an instruction without operands; or None."""
    if text.startswith("griddepcontrol."):
        return 0
    match = SPECIAL.fullmatch(text)
    if match is None:
        return None
    return 0 if match.group(1) == "smid" else time.perf_counter_ns()


def install(interpreter, builder):
    def create_inline_asm(_, assembly, __, values, types, ___, pack):
        text = one_instruction(assembly)
        dtype = types[0].scalar
        kind = interpreter._get_np_dtype(dtype)  # pylint: disable=protected-access
        value, function = fixed_value(text), function_of(text)
        if len(types) == 1 and value is not None:
            result = numpy.full(values[0].data.shape if values else (1,), value).astype(kind)
        elif len(types) == 1 and pack == 1 and function is not None:
            result = function([value.data for value in values]).view(kind)
        else:
            raise Unsupported(f"Triton's inline assembly '{printable(text, 60)}': not on the emulated device")
        return Results(interpreter.TensorHandle(result, dtype))

    builder.create_inline_asm = create_inline_asm


class Results:
    """Stands for the compiler's call object, from which an instruction's results are read."""

    def __init__(self, handle):
        self.handle = handle

    def get_result(self, _):
        return self.handle
