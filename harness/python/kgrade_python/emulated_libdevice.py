"""CUDA's libdevice for Triton's interpreter: the functions that kernels use, by the symbols that Triton asks for."""

import re

import numpy
import torch

from .errors import Unsupported


def special(function):
    """Turns a function of PyTorch into one of NumPy arrays."""
    return lambda *arrays: function(*[torch.from_numpy(numpy.ascontiguousarray(array)) for array in arrays]).numpy()


def away_from_zero(x):
    return numpy.copysign(numpy.floor(numpy.abs(x) + 0.5), x)


def gamma(x):
    reflected = numpy.pi / (numpy.sin(numpy.pi * x) * numpy.exp(special(torch.lgamma)(1 - x)))
    return numpy.where(x < 0.5, reflected, numpy.exp(special(torch.lgamma)(x)))


def norm(*parts):
    return numpy.sqrt(sum(part * part for part in parts))


# Functions of floating-point numbers, all computed in float64: {name without prefix and suffix: function of arrays}.
FLOATING = {
    **{name: getattr(numpy, name) for name in (
        "ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "rint", "sin", "sinh",
        "sqrt", "tan", "tanh", "trunc", "cbrt", "copysign", "fmod", "hypot", "isnan", "isinf", "signbit")},
    "acos": numpy.arccos, "acosh": numpy.arccosh, "asin": numpy.arcsin, "asinh": numpy.arcsinh, "atan": numpy.arctan,
    "atan2": numpy.arctan2, "atanh": numpy.arctanh, "fabs": numpy.abs, "nearbyint": numpy.rint, "fmin": numpy.fmin,
    "fmax": numpy.fmax, "finite": numpy.isfinite, "isfinited": numpy.isfinite, "pow": numpy.power, "powi": numpy.power,
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "div": numpy.divide, "fdivide": numpy.divide,
    "fma": lambda x, y, z: x * y + z, "rcp": lambda x: 1 / x, "rsqrt": lambda x: 1 / numpy.sqrt(x),
    "rcbrt": lambda x: 1 / numpy.cbrt(x), "round": away_from_zero, "exp10": lambda x: numpy.power(10.0, x),
    "saturate": lambda x: numpy.nan_to_num(numpy.clip(x, 0, 1), nan=0.0), "fdim": lambda x, y: numpy.fmax(x - y, 0),
    "sinpi": lambda x: numpy.sin(numpy.pi * numpy.fmod(x, 2)),
    "cospi": lambda x: numpy.cos(numpy.pi * numpy.fmod(x, 2)),
    "ldexp": lambda x, n: numpy.ldexp(x, n.astype(numpy.int32)),
    "scalbn": lambda x, n: numpy.ldexp(x, n.astype(numpy.int32)),
    "ilogb": lambda x: numpy.frexp(x)[1] - 1, "logb": lambda x: numpy.frexp(x)[1] - 1.0,
    "remainder": lambda x, y: x - y * numpy.rint(x / y),
    "norm3d": norm, "norm4d": norm, "rnorm3d": lambda *parts: 1 / norm(*parts),
    "rnorm4d": lambda *parts: 1 / norm(*parts), "rhypot": lambda *parts: 1 / norm(*parts),
    "erf": special(torch.erf), "erfc": special(torch.erfc), "erfinv": special(torch.erfinv),
    "erfcinv": lambda x: special(torch.erfinv)(1 - x), "erfcx": special(torch.special.erfcx),
    "normcdf": special(torch.special.ndtr), "normcdfinv": special(torch.special.ndtri),
    "lgamma": special(torch.lgamma), "tgamma": gamma, "cyl_bessel_i0": special(torch.special.i0),
    "cyl_bessel_i1": special(torch.special.i1), "j0": special(torch.special.bessel_j0),
    "j1": special(torch.special.bessel_j1), "y0": special(torch.special.bessel_y0),
    "y1": special(torch.special.bessel_y1),
}


def bits_of(x):
    """The bits of integers, the highest first, in a new last axis."""
    return numpy.unpackbits(numpy.ascontiguousarray(x[..., None]).astype(x.dtype.newbyteorder(">")).view(numpy.uint8),
                            axis=-1)


def leading_zeros(x):
    bits = bits_of(x)
    return numpy.where(x == 0, bits.shape[-1], bits.argmax(axis=-1))


def first_set(x):
    return numpy.where(x == 0, 0, bits_of(x)[..., ::-1].argmax(axis=-1) + 1)


INTEGER = {"abs": numpy.abs, "llabs": numpy.abs, "clz": leading_zeros, "clzll": leading_zeros, "ffs": first_set,
           "ffsll": first_set, "popc": lambda x: bits_of(x).sum(axis=-1), "popcll": lambda x: bits_of(x).sum(axis=-1),
           "mul24": numpy.multiply, "umul24": numpy.multiply,
           "mulhi": lambda x, y: (x.astype(numpy.int64) * y) >> 32,
           "umulhi": lambda x, y: (x.astype(numpy.uint64) * y) >> numpy.uint64(32)}

ROUNDINGS = {"rn": numpy.rint, "rz": numpy.trunc, "rd": numpy.floor, "ru": numpy.ceil}
CONVERSION = re.compile(r"(float|double|int|uint|ll|ull)2(float|double|int|uint|ll|ull)_(rn|rz|rd|ru)")
TO_WHOLE = re.compile(r"(ll|l)(rint|round)f?")


def conversion(name, kind):
    """A function that converts or reinterprets to NumPy's type `kind`, or None."""
    if match := CONVERSION.fullmatch(name):
        rounding = match.group(3)
        if match.group(1) in ("float", "double") and match.group(2) not in ("float", "double"):
            return lambda x: ROUNDINGS[rounding](x).astype(kind)
        return (lambda x: x.astype(kind)) if rounding == "rn" else None
    if "_as_" in name:
        return lambda x: numpy.ascontiguousarray(x).view(kind)
    if match := TO_WHOLE.fullmatch(name):
        return lambda x: (numpy.rint if match.group(2) == "rint" else away_from_zero)(x).astype(kind)
    return None


def names_of(symbol):
    """The names that `symbol` may have in the tables above: for "__nv_fast_expf", one of them is "exp"."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    yield name
    without_rounding = name.removesuffix("_rn")
    if without_rounding != name:
        yield without_rounding.removesuffix("f")
        yield without_rounding[1:]  # "fadd", "dadd"
    yield name[:-1]  # "expf", "isnand"


def function_of(symbol, kind):
    """A function of NumPy arrays, whose result is of NumPy's type `kind`; or None."""
    name = symbol.removeprefix("__nv_")
    if name in INTEGER:
        return lambda *arrays: INTEGER[name](*arrays).astype(kind)
    if (convert := conversion(name, kind)) is not None:
        return convert
    for known in names_of(symbol):
        if known in FLOATING:
            return lambda *arrays: FLOATING[known](*[array.astype(numpy.float64) for array in arrays]).astype(kind)
    return None


def install(interpreter, builder):
    def create_extern_elementwise(_, __, ___, symbol, arguments, result_type, *____):
        dtype = result_type.scalar
        kind = interpreter._get_np_dtype(dtype)  # pylint: disable=protected-access
        function = function_of(symbol, kind) if symbol.startswith("__nv_") else None
        if function is None:
            raise Unsupported(f"Triton's libdevice function {symbol}: not on the emulated device")
        with numpy.errstate(all="ignore"):
            return interpreter.TensorHandle(function(*[argument.data for argument in arguments]), dtype)

    builder.create_extern_elementwise = create_extern_elementwise
