"""Numbers of few bits in blocks with a common scale: MXFP4, MXFP8 and NVFP4."""

import torch

E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
LARGEST = {"e2m1": 6.0, "e4m3": 448.0}


def _numbers(code, device):
    """The number that each of the 16 or 256 codes stands for."""
    if code == "e2m1":
        sizes = torch.tensor(E2M1, dtype=torch.float64, device=device)
        return torch.cat((sizes, -sizes))
    return torch.arange(256, dtype=torch.uint8, device=device).view(torch.float8_e4m3fn).double()


def _decoded(codes, code):
    if code == "e2m1":
        codes = torch.stack((codes % 16, codes // 16), dim=-1).flatten(-2)
    return _numbers(code, codes.device)[codes]


def _row_by_row(scales, rows, blocks):
    """Scales in the swizzled layout, as a matrix."""
    tiles = scales.reshape(-1, -(-blocks // 4), 32, 4, 4)  # tile row, tile column, row % 32, row // 32, block
    return tiles.permute(0, 3, 2, 1, 4).reshape(tiles.shape[0] * 128, -1)[:rows, :blocks]


def _swizzled(scales):
    rows, blocks = scales.shape
    padded = torch.zeros(-(-rows // 128) * 128, -(-blocks // 4) * 4, dtype=scales.dtype, device=scales.device)
    padded[:rows, :blocks] = scales
    tiles = padded.reshape(padded.shape[0] // 128, 4, 32, padded.shape[1] // 4, 4)
    return tiles.permute(0, 3, 2, 1, 4).reshape(padded.shape)


def _matrix(codes, scales, code, block, swizzled, divisor=1.0):
    numbers = _decoded(codes, code)
    rows, columns = numbers.shape
    if not scales.is_floating_point():
        scales = torch.exp2(scales.double() - 127)
    if swizzled:
        scales = _row_by_row(scales, rows, columns // block)
    return numbers * scales.repeat_interleave(block, dim=1) / divisor


def _dequantised(code, block, swizzled):
    return lambda t, p: {"out": _matrix(t["q"], t["scale"], code, block, swizzled, p.get("sf_g", 1.0))}


def _product(code, block):
    def formula(t, p):
        a, b = (_matrix(t[f"q_{x}"], t[f"scale_{x}"], code, block, True, p.get(f"sf_g_{x}", 1.0)) for x in "ab")
        return {"c": a @ b.T}

    return formula


def _nearest(values, code):
    """The codes of the nearest numbers. If two numbers are equally near, the even code is taken."""
    numbers = _numbers(code, values.device)
    sizes = numbers[: 8 if code == "e2m1" else 127]
    middles = (sizes[1:] + sizes[:-1]) / 2
    size = values.abs()
    codes = torch.bucketize(size, middles)
    at_middle = middles[codes.clamp(max=len(middles) - 1)] == size
    codes = codes + (at_middle & (codes % 2 == 1)).long()
    return codes + (values < 0).long() * (len(numbers) // 2)


def _packed(codes, code):
    return codes[..., ::2] + 16 * codes[..., 1::2] if code == "e2m1" else codes


def _mx(code):
    def formula(t, p):
        blocks = t["a"].unflatten(1, (-1, 32))
        exponents = torch.floor(torch.log2(blocks.abs().amax(dim=2))) - (2 if code == "e2m1" else 8)
        codes = _nearest(blocks / torch.exp2(exponents)[..., None], code).flatten(1)
        return {"q": _packed(codes, code), "scale": exponents.long() + 127}

    return formula


def _nvfp4(t, p):
    blocks = t["a"].unflatten(1, (-1, 16))
    scales = (blocks.abs().amax(dim=2).float() / 6 * p["sf_g"]).clamp(max=448.0).to(torch.float8_e4m3fn).double()
    codes = _nearest(blocks * p["sf_g"] / scales[..., None], "e2m1").flatten(1)
    return {"q": _packed(codes, "e2m1"), "scale": _swizzled(scales)}


FORMULAS = {
    "mxfp4-dequantize": _dequantised("e2m1", 32, False),
    "mxfp8-dequantize": _dequantised("e4m3", 32, False),
    "nvfp4-dequantize": _dequantised("e2m1", 16, True),
    "mxfp4-gemm": _product("e2m1", 32),
    "mxfp8-gemm": _product("e4m3", 32),
    "nvfp4-gemm": _product("e2m1", 16),
    "mxfp4-quantize": _mx("e2m1"),
    "mxfp8-quantize": _mx("e4m3"),
    "nvfp4-quantize": _nvfp4,
}
