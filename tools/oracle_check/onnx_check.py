"""Compares the oracle with ONNX's reference implementation and with ONNX Runtime, on the CPU.

onnx.reference.ReferenceEvaluator computes every sample and test case in float64, and ONNX Runtime computes it again, with
convolutions in float32. Run it with tools/oracle_check/onnx_check.sh, which provides the Python packages.
"""

import sys

import numpy
import onnx
import onnxruntime

import comparison
import onnx_layers

# A float32 convolution of these sizes has an error of up to 2e-7; a wrong index gives 1e-2 and more.
FLOAT32_BOUND = 1e-6

WITNESSES = [
    comparison.Witness("onnx reference", comparison.FLOAT64_BOUND,
                       lambda chain, inputs, expected: comparison.relative_error(
                           onnx_layers.reference(chain, inputs), expected)),
    comparison.Witness("ONNX Runtime", FLOAT32_BOUND,
                       lambda chain, inputs, expected: comparison.relative_error(
                           onnx_layers.runtime(chain, inputs), expected)),
]


def main() -> int:
    options = comparison.parse_options(__doc__, device="emulated", roles=["sample", "test"])
    about = {module.__name__: module.__version__ for module in (numpy, onnx, onnxruntime)}
    return comparison.run(options, WITNESSES, about)


if __name__ == "__main__":
    sys.exit(main())
