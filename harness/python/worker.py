"""The Python worker: one interpreter for one contestant.

Started by the referee, never by hand: worker.py [--triton] [--cache FOLDER] LIBRARY ARGUMENTS... With --triton, Triton is
imported at once; what is compiled is kept in FOLDER, which is there.

LIBRARY is one of kgrade's own (harness/contest/worker_python.cc). It serves the referee's requests and calls back into
this program to load the contestant and to call it. It gets ARGUMENTS: which device to use.
"""

import os
import sys

_words = sys.argv[1:]
_with_triton = _words[0] == "--triton"
_words = _words[1:] if _with_triton else _words
if _words[0] == "--cache":
    for _name, _folder in {"TORCHINDUCTOR_CACHE_DIR": "inductor", "TRITON_CACHE_DIR": "triton"}.items():
        os.environ[_name] = os.path.join(_words[1], _folder)
    _words = _words[2:]
# PyTorch reads it from here when it counts GPUs: the worker has the node of its own GPU alone, under the number 0.
if len(_words) > 1 and _words[1].startswith("GPU-"):
    os.environ["CUDA_VISIBLE_DEVICES"] = _words[1]

# Before anything reads them. A worker counts its threads, and its caches go with it.
for _name, _value in {
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
    "TQDM_DISABLE": "1",
    # A path without any would make PyTorch and Triton guess.
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}.items():
    os.environ.setdefault(_name, _value)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from kgrade_python.serving import serve  # noqa: E402

if __name__ == "__main__":
    serve(_words[0], _words[1:], _with_triton)
