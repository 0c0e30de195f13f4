"""Describes a problem that is a Python file in KernelBench's form: describe_module.py FILE.py OUTPUT.json.

Writes one JSON object to OUTPUT: inputs, weights and outputs with their shapes, types and distributions, or {"error",
"line"}; see kgrade_python/module_description.py. It imports PyTorch and needs no device. The file is hostile, so this
runs in the compilers' sandbox, under a time limit. No part of the answer is trusted. A file that ends the process
leaves OUTPUT empty.
"""

import json
import os
import sys

# Libraries read these when they are imported.
DEFAULTS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
            "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}

# This is less than the process's time limit, so that there is time to report which function of the file does not
# return.
SECONDS = 120


def answer_for(path):
    from kgrade_python.module_description import describe, prepare
    from kgrade_python.module_file import end_after

    prepare()
    end_after(SECONDS)
    return describe(path)


def main(path, output):
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    sys.dont_write_bytecode = True
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder not in sys.path:
        sys.path.insert(0, folder)

    from kgrade_python import errors

    # Saved before the file runs, since it may replace them.
    encode, end = json.JSONEncoder(allow_nan=False).encode, os._exit
    write = open(output, "w", encoding="utf-8")  # pylint: disable=consider-using-with
    sys.stdout, sys.stderr = errors.stream_of(1), errors.stream_of(2)
    sys.argv = [path]
    try:
        text = encode(answer_for(path))
    except BaseException as error:  # pylint: disable=broad-except
        text = encode({"error": f"the file cannot be described: {errors.in_one_line(error, {})}", "line": 0})
    write.write(text)
    write.close()
    # This ends the process without running anything that the file has registered.
    end(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
