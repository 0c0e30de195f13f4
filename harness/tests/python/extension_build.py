"""For tests: builds an extension of host code with g++ against kgrade's headers, as the compile step does."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HARNESS = pathlib.Path(__file__).resolve().parents[2]
HEADERS = HARNESS / "python" / "include"
sys.path.insert(0, str(HARNESS / "python"))

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed for this Python") from None

from kgrade_python import extension_module  # noqa: E402

_folder = tempfile.TemporaryDirectory(prefix="kgrade-extension-")
_builds = 0


def build(request):
    """What install() wants: compiles each unit and links them."""
    global _builds
    _builds += 1
    folder = pathlib.Path(_folder.name) / str(_builds)
    folder.mkdir()
    objects = []
    for unit in request["units"]:
        source = folder / unit["file"]
        source.write_text(unit["text"])
        objects.append(f"{source}.o")
        command = [
            "g++",
            "-std=c++17",
            "-O0",
            "-fPIC",
            "-fno-gnu-unique",
            f"-DTORCH_EXTENSION_NAME={request['name']}",
        ]
        command += [
            f"-I{HEADERS}",
            *unit["small_flags"],
            "-c",
            str(source),
            "-o",
            objects[-1],
            *request["cflags"],
        ]
        command += [f"-I{path}" for path in request["include_paths"]]
        _run(command)
    library = folder / "extension.so"
    _run(["g++", "-shared", "-Wl,-Bsymbolic", "-o", str(library), *objects, *request["ldflags"]])
    return library, "small"


def _run(command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        raise extension_module.BuildFailed(process.stderr)


def installed(as_cuda=False, **more):
    """The functions that install() puts into torch.utils.cpp_extension, by name, and the builder."""
    import setuptools
    import torch.utils.cpp_extension as cpp_extension

    names = ("load_inline", "load", "_jit_compile", "CUDAExtension", "CppExtension")
    originals = {name: getattr(cpp_extension, name) for name in names}
    setup = setuptools.setup
    builder = extension_module.install(build, as_cuda=as_cuda, **more)
    loaders = {name: getattr(cpp_extension, name) for name in originals}
    loaders["setup"], setuptools.setup = setuptools.setup, setup
    for name, original in originals.items():
        setattr(cpp_extension, name, original)
    return loaders, builder


def same(test, actual, expected, what):
    """Asserts that two results agree: type, shape, strides' order, dtype, bits but for rounding."""
    if isinstance(expected, (list, tuple)):
        test.assertEqual(len(actual), len(expected), what)
        for a, e in zip(actual, expected):
            same(test, a, e, what)
    elif isinstance(expected, torch.Tensor):
        test.assertIsInstance(actual, torch.Tensor, what)
        test.assertEqual((actual.dtype, actual.shape), (expected.dtype, expected.shape), what)
        test.assertEqual(actual.stride(), expected.stride(), what)
        test.assertTrue(
            torch.equal(torch.nan_to_num(actual), torch.nan_to_num(expected)), f"{what}: {actual} {expected}"
        )
    else:
        test.assertEqual(type(actual), type(expected), what)
        test.assertEqual(actual, expected, what)
