"""Counts the terms of the longest sum in a run. The rounding errors of an honest answer grow with the count's square
root. A sum under a square root counts as a sum of a quarter of its terms. This module also counts the operators that
round."""

import math

import torch

# The product's sums go along the last axis of one factor: {operator: that factor's position}.
PRODUCTS = {"mm": 0, "bmm": 0, "addmm": 1, "baddbmm": 1, "addmv": 1, "mv": 0, "_int_mm": 0, "_scaled_mm": 0}
# These operators end in a square root, which halves the error of a sum, as if the sum had a quarter of the terms. Norms
# end in a square root if their order, the second argument, is 2.
ROOTS = {"std", "std_mean"}
NORMS = {"norm", "linalg_vector_norm"}
# The result of these operators has one element for each group of input elements that are combined.
REDUCTIONS = {"sum", "mean", "var", "std", "var_mean", "std_mean", "norm", "linalg_vector_norm", "prod", "logsumexp",
              "nansum", "trace", "dot", "vdot", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
              "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d"}
# The second result of these operators is the mean of each group of input elements. They divide by a square root.
NORMALISATIONS = {"native_layer_norm", "native_group_norm", "native_batch_norm", "_native_batch_norm_legit",
                  "_batch_norm_with_update", "cudnn_batch_norm", "_fused_rms_norm"}
# A single thread that adds the squares of more than about 2^19 numbers has a larger error than any bound allows
# (measured: 8e-5 for 2^19 and 2.4e-4 for 2^20, where 2^-24 * 6 * sqrt(2^20 / 4) is 1.8e-4). So an accepted answer
# computes statistics of more numbers by several threads, and the bound need not grow with the numbers.
MOST_TERMS_OF_STATISTICS = 2**17
# The second argument of these operators is the axis along which elements are added or multiplied.
ALONG_AXIS = {"_softmax", "_log_softmax", "cumsum", "cumprod", "logcumsumexp"}
# The results of these operators are copies of their arguments' numbers, or given numbers, so they are not rounded.
EXACT = {"abs", "amax", "amin", "cat", "clamp", "clamp_max", "clamp_min", "clone", "constant_pad_nd", "copy", "cummax",
         "cummin", "empty", "empty_like", "fill", "flip", "full", "full_like", "gather", "hardtanh", "index", "index_put",
         "index_select", "masked_fill", "max", "max_pool2d_with_indices", "max_pool3d_with_indices",
         "maximum", "min", "minimum", "neg", "new_empty", "new_full", "new_zeros", "ones", "ones_like", "reflection_pad2d",
         "relu", "repeat", "roll", "scalar_tensor", "scatter", "sign", "sort", "stack", "threshold", "to_copy", "topk",
         "tril", "triu", "where", "zero", "zeros", "zeros_like"}
# These operators accept only a range of numbers. Other numbers stop a GPU's whole context, by an assertion on the
# device. Some read indices, which a file may compute from real numbers.
RANGED = {"binary_cross_entropy", "bernoulli", "multinomial", "index", "index_put", "index_select", "gather", "scatter",
          "scatter_add", "scatter_reduce", "index_add", "embedding", "take", "nll_loss_forward", "nll_loss2d_forward"}
# These operators add whole rows of the input: the rows at the places given by indices, or all rows.
OF_ROWS = {"index_add", "scatter_add", "nll_loss_forward"}
CONVOLUTIONS = {"convolution", "_convolution", "convolution_overrideable"}
ADDING = {*PRODUCTS, *CONVOLUTIONS, *REDUCTIONS, *NORMALISATIONS, *ALONG_AXIS, "_cdist_forward"}


class SumLengths:
    """An observer (dispatch_mode.py). `longest`: the number of terms in the longest sum of an operator, at least 1.
    `operators`: how many operators wrote a real number, and so may have rounded it. `is_ranged`: whether an operator of
    RANGED ran. `is_narrow`: whether a result had a floating type below float32. `chooses_codes`: whether
    a tensor was cast to a floating type of 8 bits."""

    def __init__(self):
        self.longest = 1
        self.operators = 0
        self.is_ranged = False
        self.is_narrow = self.chooses_codes = False

    def after(self, operator, args, kwargs, result):
        del kwargs
        name = operator.name
        if name in ADDING or operator.base in OF_ROWS or "scaled_dot_product" in name:
            self.longest = max(self.longest, terms_of(name, args, result))
        floating = [each for each in results_of(result) if isinstance(each, torch.Tensor) and each.is_floating_point()]
        # Views, copies and choices only pass on numbers that other operators have computed.
        self.operators += bool(floating) and not operator.is_view and operator.base not in EXACT
        self.is_narrow = self.is_narrow or any(map(is_narrow, floating))
        self.chooses_codes = self.chooses_codes or (
            name == "_to_copy" and bool(floating) and result.dtype.itemsize == 1)
        # With a given probability, as in dropout, bernoulli_() reads no numbers.
        self.is_ranged |= operator.base in RANGED and operator.schema.overload_name not in ("float", "p")


def is_narrow(value):
    """Whether a value is a tensor of a floating type below float32."""
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype.itemsize < 4


def results_of(result):
    return result if isinstance(result, (tuple, list)) else (result,)


def terms_of(name, args, result):
    """The number of terms in each sum of an operator; 1 if it adds nothing."""
    tensors = [each for each in args if isinstance(each, torch.Tensor)]
    results = results_of(result)
    if not tensors:
        return 1
    if name in PRODUCTS:
        return tensors[PRODUCTS[name]].shape[-1]
    if name in CONVOLUTIONS:
        return terms_of_convolution(args)
    if "scaled_dot_product" in name and len(tensors) > 1:
        return max(tensors[1].shape[-2:])
    if name in REDUCTIONS and elements(results[0]):
        terms = tensors[0].numel() // elements(results[0])
        return quarter_of(terms) if ends_in_a_root(name, args) else terms
    if name in NORMALISATIONS and len(results) > 1 and elements(results[1]):
        return min(quarter_of(tensors[0].numel() // elements(results[1])), MOST_TERMS_OF_STATISTICS)
    if name.strip("_") in OF_ROWS:
        return max(each.shape[0] if each.dim() else 1 for each in tensors)
    if name == "_cdist_forward":
        return tensors[0].shape[-1]
    if name in ALONG_AXIS and tensors[0].dim():
        return tensors[0].shape[args[1]]
    return 1


def terms_of_convolution(args):
    """The terms of aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
    groups)."""
    weight, is_transposed, groups = args[1], args[6], args[8]
    channels = weight.shape[0] // groups if is_transposed else weight.shape[1]
    return channels * math.prod(weight.shape[2:])


def ends_in_a_root(name, args):
    return name in ROOTS or name in NORMS and (len(args) < 2 or args[1] in (None, 2))


def quarter_of(terms):
    return (terms + 3) // 4


def elements(result):
    return math.prod(result.shape) if isinstance(result, torch.Tensor) else 0
