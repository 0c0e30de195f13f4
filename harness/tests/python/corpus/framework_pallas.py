# expect: part=more problem=relu cases=tiny verdict=accepted|unsupported emulated=unsupported
# expect: emulated-message="JAX cannot run on the emulated device"
from functools import partial

import jax
import jax.numpy as jnp
import torch
from jax.experimental import pallas as pl

BLOCK = 128


def rectify_block(x, y):
    y[...] = jnp.maximum(x[...], 0)


@partial(jax.jit, static_argnums=1)
def rectify(x, blocks):
    padded = jnp.pad(x.reshape(-1), (0, blocks * BLOCK - x.size))
    block = pl.BlockSpec((BLOCK,), lambda i: (i,))
    answer = pl.pallas_call(rectify_block, out_shape=jax.ShapeDtypeStruct(padded.shape, padded.dtype), grid=(blocks,),
                            in_specs=[block], out_specs=block)(padded)
    return answer[:x.size].reshape(x.shape)


def solution(input, n, m):
    answer = rectify(jax.dlpack.from_dlpack(input), pl.cdiv(n * m, BLOCK))
    return torch.from_dlpack(answer.block_until_ready())
