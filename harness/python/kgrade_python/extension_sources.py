"""Turns the arguments of torch.utils.cpp_extension.load_inline() and load() into a build request.

A request is a plain dict, fit for JSON:

    name           of the extension, a C identifier
    units          the texts to compile, each on its own: {"file": "main.cpp", "text": ..., "small_flags": [...]}
    cflags, cuda_cflags, ldflags, include_paths    lists of str, as the submission gave them
    with_cuda      whether CUDA's headers and libraries are needed
    headers        "small": kgrade's own, or "torch": PyTorch's
    own_headers    headers that the submission wrote itself, see submission_headers.py

PyTorch itself would compile the same units, so a request can be compiled with either headers. A unit's "small_flags"
are added only with kgrade's own headers. Errors have the line numbers of the sources: "cpp_sources:3", or the line of
the Python file if the source is a literal in it.
"""

import ast
import functools
import os
import pathlib
import re

from . import submission_headers

# Standard headers that sources use without including them, since PyTorch's headers include them. Kgrade's headers do
# not include these, to save time. Each unit gets the standard headers whose names it uses.
_STANDARD_HEADERS = {
    "algorithm": r"\bstd::(sort|stable_sort|nth_element|partial_sort|max_element|min_element|minmax_element|find|"
    r"find_if|count|count_if|any_of|all_of|none_of|transform|reverse|rotate|unique|clamp|for_each|shuffle|"
    r"lower_bound|upper_bound|binary_search|remove|remove_if|replace|generate|is_sorted|min|max|minmax)\b",
    "array": r"\bstd::array\b",
    "atomic": r"\bstd::atomic",
    "cassert": r"\bassert\s*\(",
    "cfloat": r"\b(FLT|DBL)_[A-Z0-9_]+\b",
    "chrono": r"\bstd::chrono\b",
    "climits": r"\b(U?(INT|LONG|LLONG|CHAR|SHRT)_(MAX|MIN)|CHAR_BIT)\b",
    "cmath": r"\bstd::(a?(sin|cos|tan)h?|exp2?|expm1|log(2|10|1p)?|f?abs|pow|sqrt|cbrt|hypot|erfc?|ceil|floor|round|"
    r"trunc|fmod|fmin|fmax|fma|isnan|isinf|isfinite|signbit|lround|rint|nearbyint|tgamma|lgamma|atan2|ldexp|frexp)\b"
    r"|\b(M_PI\w*|M_E|M_SQRT\w+|M_LN\w+|M_LOG\w+|INFINITY|NAN|HUGE_VALF?)\b",
    "complex": r"\bstd::complex\b",
    "cstdio": r"\b(f|s|sn)?printf\s*\(",
    "cstdlib": r"\b(std::)?(getenv|exit|abort|malloc|free|rand|srand|atoi)\s*\(",
    "cstring": r"\b(std::)?(memcpy|memset|memmove|memcmp|strcmp|strlen)\s*\(",
    "deque": r"\bstd::deque\b",
    "functional": r"\bstd::(function|bind|hash|plus|less|greater|multiplies|ref|invoke)\b",
    "iomanip": r"\bstd::(setprecision|setw|setfill|hex)\b",
    "iostream": r"\b(std::)?(cout|cerr|clog|endl)\b",
    "limits": r"\bnumeric_limits\b",
    "map": r"\bstd::(multi)?map\b",
    "memory": r"\bstd::(unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|addressof)\b",
    "mutex": r"\bstd::(mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once)\b",
    "numeric": r"\bstd::(accumulate|iota|inner_product|partial_sum|reduce|gcd|lcm)\b",
    "queue": r"\bstd::(priority_)?queue\b",
    "random": r"\bstd::(mt19937|uniform_\w+_distribution|normal_distribution|random_device|default_random_engine)\b",
    "set": r"\bstd::(multi)?set\b",
    "sstream": r"\b(o|i)?stringstream\b",
    "stdexcept": r"\b(runtime_error|invalid_argument|out_of_range|logic_error|domain_error|length_error|range_error|"
    r"overflow_error)\b",
    "thread": r"\bstd::(this_)?thread\b",
    "type_traits": r"\bstd::(is_\w+|enable_if\w*|conditional\w*|decay\w*|remove_\w+)\b",
    "unordered_map": r"\bstd::unordered_(multi)?map\b",
    "unordered_set": r"\bstd::unordered_(multi)?set\b",
    "utility": r"\bstd::(pair|make_pair|move|forward|swap|exchange|index_sequence)\b",
    "variant": r"\bstd::(variant|visit|monostate)\b",
}
_STANDARD_HEADERS = {header: re.compile(pattern) for header, pattern in _STANDARD_HEADERS.items()}

# Parts of kgrade's headers, with the standard headers that they need. A unit that does not use a part leaves it out.
_PARTS_BY_USE = {
    "string": re.compile(r"\b(string|to_string|sto[a-z]+|getline|msg)\b"),
    "vector": re.compile(
        r"\b(vector|vec|\w*split\w*|chunk|unbind|meshgrid|broadcast_tensors)\b|\b(torch|at)\s*::\s*tensor\b"
    ),
    "optional": re.compile(r"\b(\w*optional|\w*Optional\w*|nullopt\w*|device_of)\b"),
}

# ATen's operators that kgrade's headers have; empty if the headers lie elsewhere. Then all operators are declared.
_OPERATOR_NAMES = (
    pathlib.Path(__file__).resolve().parents[1] / "include" / "kgrade_extension" / "operator_names.h"
)

_CUDA_SUFFIXES = (".cu", ".cuh")


def inline_request(
    name,
    cpp_sources,
    cuda_sources=None,
    functions=None,
    extra_cflags=None,
    extra_cuda_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    with_cuda=None,
    with_pytorch_error_handling=True,
    no_implicit_headers=False,
    build_directory=None,
    origin_of=None,
    **_others,
):
    """The request of a call of load_inline().

    origin_of -- a function that returns (file, first line) of a source that is a literal of a Python file, else
                 None
    Raises TypeError or ValueError for arguments that PyTorch's own function does not accept.
    """
    cpp_sources = _texts(cpp_sources, "cpp_sources")
    cuda_sources = _texts(cuda_sources, "cuda_sources")
    implicit = [] if no_implicit_headers else ["#include <torch/extension.h>"]
    binding = _binding(functions, with_pytorch_error_handling)
    units = [_unit("main.cpp", implicit, _placed(cpp_sources, "cpp_sources", origin_of), binding)]
    if cuda_sources:
        implicit = (
            []
            if no_implicit_headers
            else [f"#include <{h}>" for h in ("torch/types.h", "cuda.h", "cuda_runtime.h")]
        )
        units.append(_unit("cuda.cu", implicit, _placed(cuda_sources, "cuda_sources", origin_of), []))
    if with_cuda is None:
        with_cuda = bool(cuda_sources)
    request = _request(name, units, extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda)
    # PyTorch would write the sources into this folder.
    return _with_own_headers(request, [build_directory] * len(units))


def file_request(
    name,
    sources,
    extra_cflags=None,
    extra_cuda_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    with_cuda=None,
    folder=None,
    **_others,
):
    """The request of a call of load(). Files are looked for in the current folder, then in `folder`.

    Raises OSError for a file that cannot be read.
    """
    paths = [_found(path, folder) for path in _texts(sources, "sources")]
    if not paths:
        raise ValueError(f"extension {name!r}: sources is empty")
    units = [_file_unit(path, index) for index, path in enumerate(paths)]
    if with_cuda is None:
        with_cuda = any(path.endswith(_CUDA_SUFFIXES) for path in paths)
    include_paths = _texts(extra_include_paths, "extra_include_paths")
    include_paths += sorted({os.path.dirname(path) for path in paths} - set(include_paths))
    request = _request(name, units, extra_cflags, extra_cuda_cflags, extra_ldflags, include_paths, with_cuda)
    return _with_own_headers(request, [os.path.dirname(path) for path in paths])


def literal_origins(file, text):
    """An `origin_of` for inline_request(). Finds sources among the string literals of the Python file with this name
    and text."""
    literals = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            # If the literal has escapes or consists of several parts, its lines are not lines of the file.
            if node.end_lineno - node.lineno == node.value.count("\n"):
                literals.append((node.value, node.lineno))

    def origin_of(source):
        for value, line in literals:
            at = value.find(source) if source.strip() else -1
            if at >= 0:
                return file, line + value.count("\n", 0, at)
        return None

    return origin_of


def place_of(text, line):
    """(file, line) as a compiler would say it for a line of a unit's text, counted from 1."""
    file, number = None, line
    for at, content in enumerate(text.split("\n")[: line - 1], 1):
        directive = re.match(r'#line (\d+) "(.*)"$', content)
        if directive:
            file, number = re.sub(r"\\(.)", r"\1", directive[2]), int(directive[1]) + line - at - 1
    return file, number


def _request(name, units, cflags, cuda_cflags, ldflags, include_paths, with_cuda):
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"extension name {name!r}: must be letters, digits and '_', since it becomes a C name")
    return {
        "name": name,
        "units": units,
        "cflags": _texts(cflags, "extra_cflags"),
        "cuda_cflags": _texts(cuda_cflags, "extra_cuda_cflags"),
        "ldflags": _texts(ldflags, "extra_ldflags"),
        "include_paths": _texts(include_paths, "extra_include_paths"),
        "with_cuda": bool(with_cuda),
        "headers": "small",
    }


def _with_own_headers(request, folders):
    """The request with the headers that the submission wrote. `folders`: the folders of the units' files, or None."""
    flags = request["cflags"] + request["cuda_cflags"]
    named = [flag[2:].strip() for flag in flags if flag.startswith("-I")]
    sources = [(unit["text"], folder) for unit, folder in zip(request["units"], folders)]
    request["own_headers"] = submission_headers.collect(sources, request["include_paths"] + named)
    headers = "\n".join(header["text"] for header in request["own_headers"].get("files", []))
    if headers:
        for unit in request["units"]:
            unit["small_flags"] = _small_flags(unit["file"], unit["text"] + headers)
    return request


def _texts(value, what):
    """A list of str, made from one text, several texts or None. Empty flags, which submissions often give, are left
    out."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{what} must be a str or a list of them, not {type(value).__name__}")
    texts = [os.fspath(entry) if isinstance(entry, os.PathLike) else entry for entry in value]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{what} must be a str or a list of them, not a list with {type(text).__name__}")
    return [text for text in texts if text.strip() or not what.startswith("extra_")]


def _placed(sources, argument, origin_of):
    """The lines of sources, each source after a #line that names its origin."""
    lines = []
    for index, source in enumerate(sources):
        place = origin_of(source) if origin_of else None
        file, first = place or (argument if len(sources) == 1 else f"{argument}[{index}]", 1)
        lines += [_line_directive(first, file), source]
    return lines


def _line_directive(line, file):
    quoted = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'#line {line} "{quoted}"'


def _binding(functions, with_error_handling):
    """The module's definition, as PyTorch writes it."""
    if functions is None:
        return []
    if isinstance(functions, str):
        functions = [functions]
    if isinstance(functions, (list, tuple)):
        functions = {function: function for function in functions}
    elif not isinstance(functions, dict):
        raise ValueError(f"Expected 'functions' to be a list or dict, but was {type(functions)}")
    lines = [_line_directive(1, "functions"), "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {"]
    for function, documentation in functions.items():
        if not isinstance(function, str) or not re.fullmatch(r"[A-Za-z_:][A-Za-z0-9_:<>, ]*", function):
            raise ValueError(f"functions: {function!r} is not the name of a C++ function")
        target = f"torch::wrap_pybind_function({function})" if with_error_handling else function
        lines.append(f'm.def("{function}", {target}, "{_escaped(str(documentation))}");')
    return lines + ["}"]


def _escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _unit(file, implicit, placed, binding):
    text = "\n".join(implicit + placed + binding) + "\n"
    return {"file": file, "text": text, "small_flags": _small_flags(file, text)}


def _file_unit(path, index):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    base = re.sub(r"[^A-Za-z0-9_.]", "_", os.path.basename(path))
    unit = f"{index}_{base}"
    return {
        "file": unit,
        "text": f"{_line_directive(1, path)}\n{text}",
        "small_flags": _small_flags(unit, text),
    }


def _small_flags(file, text):
    """Flags with which kgrade's headers declare the names that a unit uses from PyTorch's headers."""
    flags = []
    for header, used in _STANDARD_HEADERS.items():
        if used.search(text) and not re.search(rf"#\s*include\s*<{header}>", text):
            flags += ["-include", header]
    operators = _operator_names()
    # A header of the submission may use any operator, and a macro may compose names. Then everything is declared.
    if operators and not re.search(r'#\s*include\s*"|##', text):
        used = operators & set(re.findall(r"\w+", text))
        used |= {part for part, pattern in _PARTS_BY_USE.items() if pattern.search(text)}
        flags += ["-DKGRADE_BY_USE"] + [f"-DKGRADE_USES_{name}=1" for name in sorted(used)]
    if file.endswith(_CUDA_SUFFIXES) and not re.search(r"PYBIND11|pybind11|\bpy::", text):
        flags.append("-DKGRADE_EXTENSION_WITHOUT_MODULE")
    return flags


@functools.lru_cache(maxsize=1)
def _operator_names():
    try:
        return frozenset(re.findall(r"\bX\((\w+)\)", _OPERATOR_NAMES.read_text(encoding="utf-8")))
    except OSError:
        return frozenset()


def _found(path, folder):
    if os.path.isabs(path) or os.path.exists(path) or folder is None:
        return os.path.abspath(path)
    return os.path.join(folder, path)
