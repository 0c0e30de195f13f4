# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Asserts, timing, printing of shapes, type hints, a data class, an enumeration, logging, a match.
from __future__ import annotations

import dataclasses
import enum
import logging
import typing

import numpy as np
import torch

logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger("conv")


class Mode(enum.Enum):
    PLAIN = "plain"
    STRIDED = "strided"


@dataclasses.dataclass(frozen=True)
class Plan:
    stride: int
    padding: int
    mode: Mode = Mode.PLAIN

    def run(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.conv1d(x, w, None, self.stride, self.padding)


def solution(input: torch.Tensor, kernel: torch.Tensor, stride: int, padding: int, **_: typing.Any) -> torch.Tensor:
    plan = Plan(stride, padding, Mode.STRIDED if stride > 1 else Mode.PLAIN)
    log.debug("input %s, plan %s", tuple(input.shape), plan)
    print(f"{input.shape=} {input.device=} {input.dtype=} {input.stride()=}")
    assert isinstance(stride, int) and np.prod(input.shape) == input.numel()
    return plan.run(input, kernel)
