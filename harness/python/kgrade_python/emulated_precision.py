"""Gives products the lower precision of a GPU if PyTorch's switches allow it: TF32 and autocast("cuda"). A CPU ignores
these switches."""

import contextlib
import functools

import torch

from .dispatch_mode import DispatchMode
from .rounding import to_tf32

# Products, with the positions of the operands that are rounded to TF32 if the switch for matrix products allows it.
PRODUCTS = {"mm": (0, 1), "addmm": (1, 2), "_addmm_activation": (1, 2), "bmm": (0, 1), "baddbmm": (1, 2),
            "addbmm": (1, 2)}
CONVOLUTIONS = {"convolution", "_convolution"}
ATTENTION = "_scaled_dot_product_flash_attention_for_cpu"
# Operators of the dispatcher whose kernels call products.
CALL_PRODUCTS = {"_cdist_forward", "_euclidean_dist", "_trilinear", "conv_tbc", "linalg_matrix_exp",
                 "_native_multi_head_attention", "_transformer_encoder_layer_fwd"}
HOST = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
# Functions whose products cuDNN computes on a GPU.
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
# Functions without products, besides those that compute each element for itself.
WITHOUT_PRODUCTS = {"__get__", "__getitem__", "__setitem__", "cat", "clone", "contiguous", "copy_", "detach", "dim",
                    "expand", "numel", "permute", "reshape", "select", "size", "squeeze", "stack", "stride", "transpose",
                    "unsqueeze", "view"}
OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
# The dispatcher's names of the operators that autocast computes in half precision and in single precision (from
# PyTorch's list for CUDA).
HALF = {*PRODUCTS, *CONVOLUTIONS, ATTENTION, "mv", "addmv", "addr", "_prelu_kernel"}
SINGLE = {
    "acos", "asin", "cosh", "cumprod", "cumsum", "dist", "erfinv", "exp", "expm1", "linalg_vector_norm", "log", "log10",
    "log1p", "log2", "logsumexp", "mse_loss", "native_group_norm", "native_layer_norm", "nll_loss_forward", "norm",
    "pow", "prod", "reciprocal", "rsqrt", "sinh", "smooth_l1_loss", "_softmax", "_log_softmax", "softplus", "sum", "tan",
    "_cdist_forward", "_euclidean_dist", "binary_cross_entropy_with_logits", "kl_div", "huber_loss"}


def allows_tf32(operation):
    """operation -- "matmul", "conv" or "rnn"."""
    # The older functions raise if a newer switch was set.
    precision = getattr(torch._C, "_get_fp32_precision_getter", None)
    if precision is not None:
        return precision("cuda", operation) == "tf32"
    return torch._C._get_cublas_allow_tf32() if operation == "matmul" else torch._C._get_cudnn_allow_tf32()


def autocast_type():
    """The type in which autocast("cuda") computes products; None if it is off."""
    if not hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    return torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else None


def is_castable(value):
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16, torch.bfloat16)


def is_one_row(product, arguments):
    """Whether a product has a vector as an operand. For such products, libraries have kernels without tensor cores."""
    a, b = (arguments[place] for place in PRODUCTS[product])
    return a.shape[-2] == 1 or b.shape[-1] == 1


def is_depthwise(arguments):
    """Whether a convolution is depthwise. PyTorch's own kernels for depthwise convolutions use no tensor cores."""
    value, is_transposed, groups = arguments[0], arguments[6], arguments[8]
    return not is_transposed and groups > 1 and groups == value.shape[1]


def operands_in_tf32(name, arguments, are_products, are_convolutions):
    """The positions of the arguments that a GPU would round to TF32."""
    if name in PRODUCTS:
        places = PRODUCTS[name] if are_products and not is_one_row(name, arguments) else ()
    elif name in CONVOLUTIONS:
        places = (0, 1) if are_convolutions and not is_depthwise(arguments) else ()
    else:
        places = ()
    return places if all(arguments[place].dtype == torch.float32 for place in places) else ()


@functools.cache
def is_composite(function):
    """Whether an operator only calls other operators. Modes see such operators in inference mode too."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(function.name(), "CompositeImplicitAutograd")


@functools.cache
def is_without_products(name):
    """Whether a function of PyTorch is known to compute no products of matrices or convolutions."""
    operator = getattr(torch.ops.aten, name, None) if name.isidentifier() and not name.startswith("__") else None
    return name in WITHOUT_PRODUCTS or operator is not None and any(
        torch.Tag.pointwise in getattr(operator, overload).tags for overload in operator.overloads())


class GpuPrecision(DispatchMode):
    """Rounds operands and results as a GPU would. Sums are in double precision, so that PyTorch's kernels for CPUs do
    not apply these switches in their own way. `are_products`, `are_convolutions`: whether their operands are rounded to
    TF32."""

    def __init__(self, half, are_products, are_convolutions):
        super().__init__()
        # Passed in, because autocast appears to be off while operators are dispatched.
        self.half = half
        self.are_products, self.are_convolutions = are_products, are_convolutions

    # Without this, higher-order operators refuse to run while the mode is active.
    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = getattr(function, "_schema", None)
        if schema is None or not schema.name.startswith("aten::"):
            return function(*args, **kwargs)
        # "addmm_" writes to its first argument.
        full_name = schema.name.removeprefix("aten::")
        name = full_name if full_name.startswith("_") else full_name.removesuffix("_")
        half = self.half if any(is_castable(value) for value in args) else None
        if half is not None and name in SINGLE:
            args = [value.float() if is_castable(value) else value for value in args]
            # The operators that it calls are not cast.
            inner = GpuPrecision(None, self.are_products, self.are_convolutions)
            return inner.called(function, name, args, kwargs)
        if half is not None and name in HALF:
            rounded = [value.to(half) if is_castable(value) else value for value in args]
            return self.computed(function, name, rounded, args, kwargs, half)
        places = operands_in_tf32(name, args, self.are_products, self.are_convolutions)
        if places:
            rounded = [to_tf32(value) if place in places else value for place, value in enumerate(args)]
            return self.computed(function, name, rounded, args, kwargs, torch.float32)
        return self.called(function, name, args, kwargs)

    def called(self, function, name, args, kwargs):
        """The results of an operator that is not a product. Products that it calls are computed as on a GPU."""
        if name == ATTENTION and self.are_products and args[0].dtype == torch.float32:
            return self.attention(function, *args, **kwargs)
        if is_composite(function):
            with self:
                return function.decompose(*args, **kwargs)
        # Older versions have no redispatch().
        if name in CALL_PRODUCTS and hasattr(function, "redispatch"):
            with self:
                return function.redispatch(HOST, *args, **kwargs)
        return function(*args, **kwargs)

    def attention(self, function, query, key, value, rate=0.0, is_causal=False, **kwargs):
        """Computes the fused attention of CPUs with operators whose products this mode sees. Also returns the
        logarithms of sums."""
        _, sums = function(query, key, value, rate, is_causal, **kwargs)
        shared = {"enable_gqa": True} if query.shape[-3] != key.shape[-3] else {}
        with self:
            result, _ = torch.ops.aten._scaled_dot_product_attention_math(
                query, key, value, kwargs.get("attn_mask"), rate, is_causal, scale=kwargs.get("scale"), **shared)
        return result, sums

    def computed(self, function, name, rounded, args, kwargs, dtype):
        out = kwargs.get("out")
        if out is None and function._schema.name.endswith("_") and isinstance(args[0], torch.Tensor):
            out = args[0]
        kwargs = {key: value for key, value in kwargs.items() if key != "out"}
        wide = [value.double() if is_castable(value) else value for value in rounded]
        operator = getattr(torch.ops.aten, name).default if out is not None else function
        results = operator(*wide, **kwargs)
        if out is not None:
            return out.copy_(results)
        if isinstance(results, tuple):
            return tuple(self.narrowed(result, dtype) for result in results)
        return self.narrowed(results, dtype)

    @staticmethod
    def narrowed(result, dtype):
        return result.to(dtype) if isinstance(result, torch.Tensor) and result.dtype == torch.float64 else result


def reach_scripts():
    """Wraps TorchScript's calls, which no mode of functions sees."""
    for name in ("ScriptFunction", "ScriptMethod"):
        kind = getattr(torch._C, name, None)
        if kind is not None:
            kind.__call__ = below_call(kind.__call__)


def below_call(plain):
    return lambda *args, **kwargs: call(plain, args, kwargs)


@contextlib.contextmanager
def without_onednn():
    """A context without oneDNN, whose fused LSTM hides its products from modes."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def call(function, args, kwargs):
    """function(*args, **kwargs), as a GPU would compute it."""
    half = autocast_type()
    name = getattr(function, "__name__", "").partition(".")[0]
    # An operator of an extension may have any name.
    if half is None and is_without_products(name) and not isinstance(function, OPERATORS):
        return function(*args, **kwargs)
    are_products = allows_tf32("rnn" if name in RECURRENT else "matmul")
    are_convolutions = allows_tf32("conv")
    if half is None and not are_products and not are_convolutions:
        return function(*args, **kwargs)
    # A scripted module or function has the name "__call__".
    may_be_lstm = name in ("lstm", "__call__")
    with GpuPrecision(half, are_products, are_convolutions), without_onednn() if may_be_lstm else contextlib.nullcontext():
        return function(*args, **kwargs)
