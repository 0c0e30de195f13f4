"""Makes Triton's interpreter compute as a GPU does: products in TF32, bfloat16, libdevice, inline assembly."""

import os
import traceback

import numpy
import torch

from . import emulated_assembly, emulated_libdevice
from .errors import Unsupported, printable
from .rounding import to_tf32

INTERPRETER = os.path.join("triton", "runtime", "interpreter.py")

# Triton's names of types that NumPy does not have.
TORCH_TYPES = {name: getattr(torch, other, None) for name, other in (
    ("bf16", "bfloat16"), ("fp8e4nv", "float8_e4m3fn"), ("fp8e5", "float8_e5m2"), ("fp16", "float16"),
    ("fp32", "float32"))}


def convert_float(original):
    """Makes conversions round to nearest. The interpreter truncates, or loses the carry into the exponent."""

    def convert(value, from_type, to_type, rounding):
        source, target = TORCH_TYPES.get(from_type.name), TORCH_TYPES.get(to_type.name)
        cuts = rounding is not None and "RTZ" in str(rounding)
        if source is None or target is None or cuts:
            return original(value, from_type, to_type, rounding)
        bits = numpy.ascontiguousarray(value)
        bits = bits.view(f"int{8 * bits.itemsize}")
        numbers = torch.from_numpy(bits).view(source).float()
        if target.itemsize == 1:
            # A GPU's conversions saturate at the largest number.
            largest = torch.finfo(target).max
            numbers = numbers.clamp(-largest, largest)
        converted = numbers.to(target)
        width = 8 * target.itemsize
        return converted.view(getattr(torch, f"int{width}")).numpy().view(f"uint{width}").reshape(value.shape)

    return convert


class BrainFloats:
    """Computes with numbers in bfloat16 as a GPU does: operands are widened to float32 and results are rounded. The
    interpreter itself computes with the 16 bits as if they were integers."""

    def __init__(self, interpreter):
        self.interpreter = interpreter
        self.language = interpreter.tl

    def is_one(self, handle):
        return getattr(handle, "dtype", None) is not None and handle.dtype.scalar == self.language.bfloat16

    def convert(self, handle, dtype):
        interpreter = self.interpreter
        data = interpreter._convert_float(handle.data, handle.dtype.scalar, dtype, None)  # pylint: disable=protected-access
        return interpreter.TensorHandle(data.view(interpreter._get_np_dtype(dtype)), dtype)  # pylint: disable=protected-access

    def widened(self, value):
        return self.convert(value, self.language.float32) if self.is_one(value) else value

    def narrowed(self, handle):
        is_float = handle.data.dtype == numpy.float32
        return self.convert(handle, self.language.bfloat16) if is_float else handle

    def constant(self, builder, value):
        """A Python number in bfloat16, for the interpreter of Triton 3.6, which cannot make one."""
        return self.narrowed(builder.get_fp32(value))

    def around(self, method):
        """Wraps `method` of the interpreter's builder, for operands that may be in bfloat16."""

        def calculate(builder, *operands):
            if not any(self.is_one(operand) for operand in operands):
                return method(builder, *operands)
            return self.narrowed(method(builder, *[self.widened(operand) for operand in operands]))

        return calculate

    def around_cast(self, cast):
        def cast_impl(builder, source, to_type):
            if to_type.scalar == self.language.bfloat16 and not self.is_one(source):
                return self.convert(cast(builder, source, self.language.float32), to_type.scalar)
            return cast(builder, self.widened(source), to_type)

        return cast_impl

    def around_reduction(self, apply):
        """Wraps a reduction or a scan, whose inputs are tensors of the language."""
        language = self.language

        def converted(tensor, convert, dtype):
            kind = language.block_type(dtype, list(tensor.type.shape)) if tensor.type.is_block() else dtype
            return language.core.tensor(convert(tensor.handle), kind)

        def apply_widened(self_, tensors):
            if not isinstance(tensors, tuple):
                return apply_widened(self_, (tensors,))[0]
            is_one = [self.is_one(tensor.handle) for tensor in tensors]
            results = apply(self_, tuple(converted(tensor, self.widened, language.float32) if one else tensor
                                         for tensor, one in zip(tensors, is_one)))
            return tuple(converted(result, self.narrowed, language.bfloat16) if one else result
                         for result, one in zip(results, is_one))

        return apply_widened

    def install(self, builder):
        builder.cast_impl = self.around_cast(builder.cast_impl)
        for name in ("binary_op", "unary_op", "create_fma", "create_clampf"):
            if hasattr(builder, name):
                setattr(builder, name, self.around(getattr(builder, name)))
        reductions = getattr(self.interpreter, "ReduceScanOpInterface", None)
        if reductions is not None:
            reductions.apply = self.around_reduction(reductions.apply)


def dot_as_on_gpu(dot, brain_floats):
    """Makes tl.dot() round operands in float32 to TF32, unless a kernel asks for another precision."""

    def create_dot(builder, a, b, total, precision, *rest):
        a, b = brain_floats.widened(a), brain_floats.widened(b)
        if getattr(precision, "name", precision) in ("TF32", "tf32", True):
            a, b = (with_data(operand, rounded(operand.data)) for operand in (a, b))
        return dot(builder, a, b, total, precision, *rest)

    def with_data(handle, data):
        return type(handle)(data, handle.dtype)

    def rounded(data):
        return to_tf32(torch.from_numpy(numpy.ascontiguousarray(data))).numpy() if data.dtype == numpy.float32 else data

    return create_dot


def atomics_of_floats(change, interpreter, brain_floats):
    """Atomic sums in float16 and bfloat16, and exchanges of floats, done one element after another."""
    memory = interpreter._interpreter  # pylint: disable=protected-access

    def create_atomic_rmw(builder, kind, pointers, value, mask, *order):
        name = getattr(kind, "name", "")
        is_half = value.data.dtype == numpy.float16 or brain_floats.is_one(value)
        exchanges = name == "XCHG" and value.data.dtype.kind == "f"
        if not exchanges and not (is_half and name == "FADD"):
            return change(builder, kind, pointers, value, mask, *order)
        addresses, values, chosen = numpy.broadcast_arrays(pointers.data, value.data, mask.data)
        before = numpy.zeros(values.shape, values.dtype)
        for place in numpy.argwhere(chosen):
            at = tuple(slice(index, index + 1) for index in place)
            where, here = numpy.ascontiguousarray(addresses[at]), numpy.ascontiguousarray(chosen[at])
            before[at] = memory.load(where, here, before[at].copy(), before.dtype)
            operands = [type(value)(number, value.dtype.scalar) for number in (before[at].copy(), values[at].copy())]
            after = operands[1] if exchanges else builder.binary_op(*operands, numpy.add)
            memory.store(where, after.data, here)
        return type(value)(before, value.dtype.scalar)

    return create_atomic_rmw


def nothing(*_):
    """Replaces waits between kernels, which are needless here: each kernel runs after the previous one has ended."""


def limitation(error):
    """The part of the language that the interpreter could not compute when `error` was raised, in one line; or
    None."""
    frames = traceback.extract_tb(error.__traceback__)
    is_its_own = bool(frames) and frames[-1].filename.endswith(INTERPRETER) and frames[-1].name.startswith("create_")
    if not is_its_own or not isinstance(error, (ValueError, NotImplementedError)):
        return None
    what = frames[-1].name.removeprefix("create_")
    return f"Triton's interpreter cannot do '{what}' ({printable(str(error), 80)}): not on the emulated device"


def refuse_unknown(_, name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise Unsupported(f"Triton's interpreter lacks '{name.removeprefix('create_')}': not on the emulated device")


def with_numbers_of_one_element(patch):
    """Replaces Triton 3.6's conversion of an array of one element to a Python number, which NumPy 2.5 refuses."""

    def patched(tensor, *scope):
        patch(tensor, *scope)
        tensor.__index__ = lambda self: int(self.handle.data.item())

    return patched


def install(interpreter):
    builder = getattr(interpreter, "InterpreterBuilder", None) or getattr(interpreter, "Builder", None)
    handle = getattr(interpreter, "TensorHandle", None)
    if builder is None or handle is None or not hasattr(interpreter, "_convert_float"):
        return
    interpreter._patch_lang_tensor = with_numbers_of_one_element(interpreter._patch_lang_tensor)  # pylint: disable=protected-access
    interpreter._convert_float = convert_float(interpreter._convert_float)  # pylint: disable=protected-access
    brain_floats = BrainFloats(interpreter)
    if hasattr(builder, "cast_impl"):
        brain_floats.install(builder)
    if not hasattr(builder, "get_bf16"):
        builder.get_bf16 = lambda self, value: brain_floats.constant(self, value)
    builder.create_dot = dot_as_on_gpu(builder.create_dot, brain_floats)
    builder.create_atomic_rmw = atomics_of_floats(builder.create_atomic_rmw, interpreter, brain_floats)
    for name in ("create_grid_dependency_wait", "create_grid_dependency_launch_dependents"):
        setattr(builder, name, nothing)
    emulated_libdevice.install(interpreter, builder)
    emulated_assembly.install(interpreter, builder)
    builder.__getattr__ = refuse_unknown
