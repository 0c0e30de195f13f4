"""The names on PyPI of packages that Python imports by other names. Under several of the imported names, PyPI has
packages by other people."""

import ast
import re

# A package without an entry has the same name on PyPI.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "apex": "apex of github.com/NVIDIA/apex",
    "cuda": "cuda-python",
    "cuda.bindings": "cuda-bindings",
    "cuda.compute": "cuda-cccl",
    "cuda.coop": "cuda-cccl",
    "cuda.core": "cuda-core",
    "cuda.tile": "cuda-tile",
    "cudnn": "nvidia-cudnn-frontend",
    "cupy": "cupy-cuda13x",
    "cupyx": "cupy-cuda13x",
    "cutlass": "nvidia-cutlass-dsl",
    "cv2": "opencv-python",
    "flash_attn": "flash-attn",
    "flashinfer": "flashinfer-python",
    "jax": "jax[cuda13]",
    "jaxlib": "jax[cuda13]",
    "numba.cuda": "numba-cuda",
    "nvmath": "nvmath-python",
    "quack": "quack-kernels",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "transformer_engine": "transformer-engine[pytorch]",
    "tvm": "apache-tvm",
    "warp": "warp-lang",
    "yaml": "pyyaml",
}


def imported_when_loaded(source):
    """The packages that a source imports outside of its functions, by their names in Python."""
    try:
        waiting = list(ast.parse(source).body)
    except (SyntaxError, ValueError):
        return set()
    found = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update([(node.module or "").split(".")[0]] if not node.level else [])
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += [part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.stmt, ast.ExceptHandler))]
    return found


def name_of(module, source=""):
    """The name by which a missing module can be installed. If a whole package is missing, `source` shows which part is
    needed: `cuda.tile` and `cuda.core` come from different distributions."""
    package = re.escape(module)
    parts = re.findall(rf"\b{package}\.(\w+)|\bfrom\s+{package}\s+import\s+(\w+)", source)
    names = [f"{module}.{first or second}" for first, second in parts]
    above = module.split(".")
    names += [".".join(above[:count]) for count in range(len(above), 0, -1)]
    return next((DISTRIBUTIONS[name] for name in names if name in DISTRIBUTIONS), module)
