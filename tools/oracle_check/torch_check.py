"""Compares the oracle with PyTorch in float64, on all cases; large ones are made smaller so that they fit.

The problems are chains of layers (problems.py) or have a formula (formulas/*.py). Both work on the GPU, or on the CPU with
`--device emulated`. Needs Python with PyTorch and NumPy, and kgrade, built with the CUDA device unless it is emulated.
"""

import sys
from pathlib import Path

import numpy
import torch

import comparison
import problems
import torch_formulas
import torch_layers


def witness(options, formulas) -> comparison.Witness:
    device, folder = "cuda" if options.device == "cuda" else "cpu", comparison.problem_folder(options)

    def error(dump: comparison.Dump) -> float:
        formula = formulas.get(dump.slug)
        if formula is None:
            formula = torch_layers.formula(problems.layers(dump.slug, dump.parameters, folder), *dump.expected)
        return torch_formulas.error(formula, dump, device)

    return comparison.Witness("PyTorch float64", comparison.FLOAT64_BOUND, error)


def main() -> int:
    parser = comparison.option_parser(__doc__, device="cuda", roles=["sample", "test", "bench"], jobs=4)
    parser.add_argument("--formulas", type=Path, default=torch_formulas.FOLDER, help="folder of the formulas")
    options = comparison.parse(parser, lambda slug, folder: True)
    if options.device == "cuda" and not torch.cuda.is_available():
        print("error: PyTorch sees no GPU; with --device emulated, it computes on the CPU", file=sys.stderr)
        return 1
    about = {"numpy": numpy.__version__, "torch": torch.__version__}
    if options.device == "cuda":
        about["gpu"] = torch.cuda.get_device_name()
    return comparison.run(options, [witness(options, torch_formulas.load(options.formulas))], about)


if __name__ == "__main__":
    sys.exit(main())
