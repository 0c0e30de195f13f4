"""Products of matrices, and attention."""

import torch
import torch.nn.functional as F


def _product(a, b, output, expression="ij,jk->ik"):
    return lambda t, p: {output: torch.einsum(expression, t[a], t[b])}


def _linear(t, x, weight, bias):
    return F.linear(t[x], t[weight], t[bias])


FORMULAS = {
    **{
        slug: _product("input_a", "input_b", "output_c")
        for slug in ("matrix-multiplication", "square-matmul", "symmetric-matmul", "matrix-vector")
    },
    "upper-trig-matmul": lambda t, p: {"output_c": torch.triu(t["input_a"] @ t["input_b"])},
    "lower-trig-matmul": lambda t, p: {"output_c": torch.tril(t["input_a"] @ t["input_b"])},
    "diagonal-matmul": lambda t, p: {"output_c": torch.diag(t["diagonal_a"]) @ t["input_b"]},
    "matmul-transposed-a": _product("a", "b", "output", "ji,jk->ik"),
    "matmul-transposed-b": _product("a", "b", "output", "ij,kj->ik"),
    "matmul-transposed-both": _product("a", "b", "output", "ji,kj->ik"),
    "batched-matmul": lambda t, p: {"output": torch.bmm(t["a"], t["b"])},
    "matmul-3d": _product("A", "B", "C", "nmk,kl->nml"),
    "matmul-4d": _product("A", "B", "C", "bijl,lk->bijk"),
    "matrix-power": lambda t, p: {"output_matrix": torch.linalg.matrix_power(t["input_matrix"], p["n"])},
    "matrix-scalar": lambda t, p: {"output_matrix": t["input_matrix"] * p["scalar"]},
    "matrix-scalar-constant": lambda t, p: {"output": t["input"] * 3.14},
    "gemm-relu": lambda t, p: {"C": F.relu(_linear(t, "A", "W", "b"))},
    "gemm-multiply-leakyrelu": lambda t, p: {"output": F.leaky_relu(t["A"] @ t["B"] * t["C"], p["alpha"])},
    "matmul-swish": lambda t, p: {
        "output": p["scaling_factor"] * F.silu(_linear(t, "input_matrix", "weight_matrix", "bias"))
    },
    "matmul-swish-scaling": lambda t, p: {"output": p["scale"] * F.silu(t["A"] @ t["B"])},
    "matmul-sigmoid-sum": lambda t, p: {"output": torch.sigmoid(t["A"] @ t["B"]).sum().reshape(1)},
    "scaled-dot-attention": lambda t, p: {"output": F.scaled_dot_product_attention(t["Q"], t["K"], t["V"])},
}
