"""Compares the oracle with PyTorch in float64 on a GPU, on all cases; large ones get a smaller batch so that they fit.

Needs Python with PyTorch and NumPy, and kgrade built with the CUDA device.
"""

import sys

import numpy
import torch

import comparison
import torch_layers


def error(chain, inputs, expected) -> float:
    return torch_layers.relative_error(torch_layers.float64(chain, inputs, "cuda"), expected)


def main() -> int:
    options = comparison.parse_options(__doc__, device="cuda", roles=["sample", "test", "bench"], jobs=4)
    if not torch.cuda.is_available():
        print("error: PyTorch sees no GPU; tools/oracle_check/onnx_check.sh does a similar check on the CPU",
              file=sys.stderr)
        return 1
    about = {"numpy": numpy.__version__, "torch": torch.__version__, "gpu": torch.cuda.get_device_name()}
    witness = comparison.Witness("PyTorch float64", comparison.FLOAT64_BOUND, error)
    return comparison.run(options, [witness], about)


if __name__ == "__main__":
    sys.exit(main())
