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
import problems

# A float32 convolution of these sizes has an error of up to 2e-7; a wrong index gives 1e-2 and more.
FLOAT32_BOUND = 1e-6


def main() -> int:
    # Problems that only have a formula in PyTorch are left out.
    options = comparison.parse(comparison.option_parser(__doc__, device="emulated", roles=["sample", "test"]),
                               problems.are_layers)
    folder = comparison.problem_folder(options)
    witnesses = [
        comparison.layers_witness("onnx reference", comparison.FLOAT64_BOUND, onnx_layers.reference, folder),
        comparison.layers_witness("ONNX Runtime", FLOAT32_BOUND, onnx_layers.runtime, folder),
    ]
    about = {module.__name__: module.__version__ for module in (numpy, onnx, onnxruntime)}
    return comparison.run(options, witnesses, about)


if __name__ == "__main__":
    sys.exit(main())
