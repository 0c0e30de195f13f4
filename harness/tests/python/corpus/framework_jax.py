# expect: problem=relu cases=tiny verdict=accepted|unsupported emulated=unsupported
# expect: emulated-message="JAX cannot run on the emulated device"
# XLA starts the CUDA Toolkit's ptxas. Where JAX is not installed, the package is named.
import jax
import jax.numpy as jnp
import torch


@jax.jit
def rectify(x):
    return jnp.maximum(x, 0)


def solution(input, n, m):
    answer = rectify(jax.dlpack.from_dlpack(input))
    return torch.from_dlpack(answer.block_until_ready())
