"""Arguments that are not tensors, as JSON: {"tuple": [..]}, {"list": [..]}, {"dict": [[key, value], ..]}, {"float":
"inf" | "-inf" | "nan"}, and {"dtype": "float16"} for PyTorch's types. Other numbers, strings, true, false and null (None)
stand for themselves."""

import math
import numbers

LARGEST_INTEGER = 2**63 - 1
LONGEST = 10000
DEEPEST = 20
SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class NotEncodable(Exception):
    """A value cannot be written as such JSON; the text names its type."""


def encode(value, depth=0):
    """`value` for a JSON file. Raises NotEncodable."""
    if depth > DEEPEST:
        raise NotEncodable(f"more than {DEEPEST} lists in each other")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):
        return encode_integer(int(value))
    if isinstance(value, numbers.Real):
        return encode_float(float(value))
    if isinstance(value, str):
        return encode_text(str(value))
    if isinstance(value, (tuple, list, dict)):
        return encode_container(value, depth)
    if f"{type(value).__module__}.{type(value).__qualname__}" == "torch.dtype":
        return {"dtype": str(value).replace("torch.", "")}
    raise NotEncodable(f"a {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", ""))


def encode_container(value, depth):
    if len(value) > LONGEST:
        raise NotEncodable(f"a {type(value).__name__} of {len(value)} elements")
    if isinstance(value, dict):
        return {"dict": [[encode(key, depth + 1), encode(each, depth + 1)] for key, each in value.items()]}
    return {"tuple" if isinstance(value, tuple) else "list": [encode(each, depth + 1) for each in value]}


def encode_integer(value):
    if abs(value) > LARGEST_INTEGER:
        raise NotEncodable("an integer of more than 64 bits")
    return value


def encode_float(value):
    if math.isnan(value):
        return {"float": "nan"}
    return value if math.isfinite(value) else {"float": "inf" if value > 0 else "-inf"}


def encode_text(value):
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NotEncodable("a string that is no Unicode text") from None
    return value


def decode(value):
    """The value that was encoded."""
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "float":
        return SPECIAL[content]
    if kind == "dtype":
        import torch

        return getattr(torch, content)
    if kind == "dict":
        return {decode(key): decode(each) for key, each in content}
    return (tuple if kind == "tuple" else list)(decode(each) for each in content)
