"""The Python worker: one interpreter for one contestant.

Started by the referee, never by hand: worker.py [--triton] [--cache FOLDER] [--toolkit TOOLKIT] LIBRARY
ARGUMENTS... With --triton, Triton is imported at once. Compiled code is kept in FOLDER, which must exist. Frameworks
look for the CUDA Toolkit in TOOLKIT.

LIBRARY is a library of kgrade's (harness/contest/worker_python.cc). The library serves the referee's requests. It calls
back into this program to load and to call the contestant. ARGUMENTS tell the library which device to use.
"""

import os
import sys

# Libraries read these when they are imported. The number of a worker's threads is limited, and its caches are deleted
# when it ends.
DEFAULTS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "TORCHINDUCTOR_CACHE_DIR": "/tmp/inductor",
    "TRITON_CACHE_DIR": "/tmp/triton",
    "TORCH_EXTENSIONS_DIR": "/tmp/extensions",
    "CUTE_DSL_CACHE_DIR": "/tmp/cute",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "USER": "kgrade",
    # The referee and the other contestants need memory of the device, too.
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "TQDM_DISABLE": "1",
    # Without a PATH, PyTorch and Triton would guess one.
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}


def places_of_toolkit(folder):
    """The variables by which frameworks find the CUDA Toolkit. The toolkit is not added to PATH, since candidates do
    not call compilers."""
    return {"CUDA_HOME": folder, "CUDA_PATH": folder, "XLA_FLAGS": f"--xla_gpu_cuda_data_dir={folder}"}


def set_defaults():
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)


def main(words):
    with_triton = words[0] == "--triton"
    words = words[1:] if with_triton else words
    if words[0] == "--cache":
        for name, folder in {"TORCHINDUCTOR_CACHE_DIR": "inductor", "TRITON_CACHE_DIR": "triton"}.items():
            os.environ[name] = os.path.join(words[1], folder)
        words = words[2:]
    if words[0] == "--toolkit":
        os.environ.update(places_of_toolkit(words[1]))
        words = words[2:]
    # PyTorch reads this variable when it counts GPUs. The worker has only the device node of its own GPU, as number 0.
    if len(words) > 1 and words[1].startswith("GPU-"):
        os.environ["CUDA_VISIBLE_DEVICES"] = words[1]
    set_defaults()
    sys.dont_write_bytecode = True
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder not in sys.path:
        sys.path.insert(0, folder)

    from kgrade_python.serving import serve

    serve(words[0], words[1:], with_triton)


if __name__ == "__main__":
    main(sys.argv[1:])
