"""Loads built extensions as modules of Python, and replaces the functions of PyTorch that build extensions."""

import ctypes
import importlib.machinery
import importlib.util
import inspect
import json
import os
import threading
import types

import torch

from . import extension_setup, extension_sources
from .extension_bridge import Bridge
from .extension_interface import ABSENT, ENTRY, FUNCTION, text_at, values_at

_MISMATCH = 2


class BuildFailed(RuntimeError):
    """An extension does not compile; the text is the compiler's."""


def load(path, name, bridge):
    """A module with the functions of a library that was built with kgrade's headers.

    path   -- the shared library's path
    bridge -- the process's Bridge
    Raises ImportError for a library that cannot be loaded or that was not built with these headers.
    """
    library = _library(path, name)
    if bridge.checked_memory is not None:
        bridge.checked_memory.note_library(library)
    functions, count, documentation = ctypes.c_void_p(), ctypes.c_int32(), ctypes.c_char_p()
    answer = bridge.enter()
    status = library.kgrade_extension_load(
        ctypes.byref(bridge.interface),
        ctypes.byref(functions),
        ctypes.byref(count),
        ctypes.byref(documentation),
    )
    bridge.leave(answer)
    if status != 0:
        raise ImportError(f"extension {name}: built for another version of kgrade; build it anew")
    module = types.ModuleType(name, (documentation.value or b"").decode("utf-8", "replace"))
    module.__file__ = str(path)
    # The library is kept, since unloading it would also remove its kernels.
    module.__kgrade_library__ = library
    addresses = (ctypes.c_uint64 * count.value).from_address(functions.value) if count.value else ()
    overloads = {}
    for address in addresses:
        record = _Overload(address, bridge)
        overloads.setdefault(record.name, []).append(record)
    for function_name, records in overloads.items():
        setattr(module, function_name, _function(name, function_name, records))
    return module


def load_torch_extension(path, name):
    """The Python extension module that was built with PyTorch's headers."""
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, str(path), loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def install(build, as_cuda=False, origin_of=None, folder=None, checked_memory=None):
    """Replaces load_inline, load and _jit_compile of torch.utils.cpp_extension by kgrade's, and setuptools' setup().

    build     -- function(request) -> (path of the library, "small" or "torch": the headers that it was built
                 with); raises BuildFailed
    as_cuda   -- see Bridge
    origin_of -- see extension_sources.inline_request
    folder    -- the submission's folder, where load() looks for files besides the current folder
    checked_memory -- see Bridge
    Returns the Builder, whose `requests` are the requests so far.
    """
    import torch.utils.cpp_extension as cpp_extension

    builder = Builder(build, as_cuda, origin_of, folder, checked_memory)
    builder.replace(cpp_extension)
    return builder


class Builder:
    """Builds each request once in a process. Its methods have the signatures of PyTorch's functions."""

    def __init__(self, build, as_cuda, origin_of, folder, checked_memory=None):
        self._build = build
        self._origin_of = origin_of
        self._folder = folder
        self._bridge = Bridge(as_cuda, checked_memory)
        self._modules = {}
        self._lock = threading.Lock()
        self.requests = []

    def replace(self, cpp_extension):
        """Puts the functions below into PyTorch's module."""
        for name, ours in (("load_inline", self.load_inline), ("load", self.load), ("_jit_compile", self.load)):
            original = getattr(cpp_extension, name, None)
            if original is not None:
                setattr(cpp_extension, name, _with_signature_of(original, ours))
        extension_setup.replace(self.load, cpp_extension)

    def load_inline(self, arguments):
        """arguments -- of PyTorch's load_inline, by name"""
        is_module = arguments.pop("is_python_module", True)
        request = extension_sources.inline_request(origin_of=self._origin_of, **arguments)
        return self._module(request, is_module)

    def load(self, arguments):
        """arguments -- of PyTorch's load, by name"""
        is_module = arguments.pop("is_python_module", True)
        if arguments.pop("is_standalone", False):
            raise RuntimeError(f"extension {arguments.get('name')}: stand-alone programs are not built")
        request = extension_sources.file_request(folder=self._folder, **arguments)
        return self._module(request, is_module)

    def _module(self, request, is_module):
        if not is_module:
            # Such a library registers operators with PyTorch, which needs PyTorch's headers.
            request["headers"] = "torch"
        key = json.dumps([request, is_module], sort_keys=True)
        with self._lock:
            if key not in self._modules:
                self.requests.append(request)
                self._modules[key] = self._load(request, is_module)
            return self._modules[key]

    def _load(self, request, is_module):
        name = request["name"]
        try:
            path, headers = self._build(request)
        except BuildFailed as failure:
            raise BuildFailed(f"Error building extension '{name}': {failure}") from None
        if not is_module:
            torch.ops.load_library(str(path))
            return str(path)
        if headers == "torch":
            module = load_torch_extension(path, name)
        else:
            module = load(path, name, self._bridge)
        return module


class _Overload:
    """An exported function, as struct FunctionRecord describes it."""

    def __init__(self, address, bridge):
        name, documentation, signature, parameters, named, names, defaults, entry, _target, _plain = (
            FUNCTION.unpack(ctypes.string_at(address, FUNCTION.size))
        )
        self._address = address
        self._bridge = bridge
        self._entry = ENTRY(entry)
        self.name = text_at(name)
        self.documentation = text_at(documentation)
        *self._types, self._result_type = text_at(signature).split("\n")
        addresses = (ctypes.c_uint64 * named).from_address(names) if named else ()
        self._names = [text_at(each) for each in addresses]
        self._defaults = {}
        for (kind, count, payload), parameter in zip(values_at(defaults, named), self._names):
            if kind != ABSENT:
                self._defaults[parameter] = bridge.to_object(kind, count, payload)

    def signature(self):
        """(arg0: torch.Tensor, arg1: int) -> torch.Tensor"""
        names = self._names or [f"arg{index}" for index in range(len(self._types))]
        listed = []
        for name, kind in zip(names, self._types):
            listed.append(f"{name}: {kind}" + (f" = {self._defaults[name]}" if name in self._defaults else ""))
        return f"({', '.join(listed)}) -> {self._result_type}"

    def call(self, args, kwargs):
        """(True, result), or (False, None) if the arguments do not fit."""
        if kwargs or len(args) != len(self._types):
            args = self._in_order(args, kwargs)
            if args is None:
                return False, None
        kept = []
        bridge = self._bridge
        values = b"".join([bridge.to_value(_wanted(item, kind), kept) for item, kind in zip(args, self._types)])
        memory = ctypes.create_string_buffer(values, len(values)) if values else None
        answer = bridge.enter()
        status = self._entry(self._address, ctypes.addressof(memory) if memory else None, len(args))
        result = bridge.leave(answer)
        return status != _MISMATCH, result

    def _in_order(self, args, kwargs):
        if len(args) > len(self._types) or (not self._names and kwargs):
            return None
        given = dict(zip(self._names, args))
        if len(given) != len(args) or given.keys() & kwargs.keys() or kwargs.keys() - set(self._names):
            return None
        given = {**self._defaults, **given, **kwargs}
        return (
            [given[name] for name in self._names] if given.keys() >= set(self._names) and self._names else None
        )


def _wanted(item, kind):
    """Converts tensors and NumPy's types to numbers if a number is wanted, as pybind11 does."""
    if kind == "float" and not isinstance(item, (int, float)) and hasattr(item, "__float__"):
        return float(item)
    if kind == "int" and not isinstance(item, (int, float)) and hasattr(item, "__index__"):
        try:
            return item.__index__()
        except TypeError:
            return item
    return item


def _function(module_name, name, overloads):
    """A plain function, which can be called, named and copied like any other."""

    def function(*args, **kwargs):
        for overload in overloads:
            fits, result = overload.call(args, kwargs)
            if fits:
                return result
        raise TypeError(_mismatch(name, overloads, args, kwargs))

    function.__name__ = function.__qualname__ = name
    function.__module__ = module_name
    function.__doc__ = "\n\n".join(
        f"{name}{each.signature()}\n\n{each.documentation}".rstrip() for each in overloads
    )
    # With this attribute, torch.compile calls the function without compiling it.
    function._torchdynamo_disable = True
    return function


def _mismatch(name, overloads, args, kwargs):
    lines = [f"{name}(): incompatible function arguments. The following argument types are supported:"]
    lines += [f"    {number}. {each.signature()}" for number, each in enumerate(overloads, 1)]
    invoked = [_shown(arg) for arg in args] + [f"{key}={_shown(value)}" for key, value in kwargs.items()]
    return "\n".join(lines) + "\n\nInvoked with: " + ", ".join(invoked)


def _shown(item):
    if isinstance(item, torch.Tensor):
        return f"a {item.dtype} tensor of {tuple(item.shape)}"
    text = repr(item)
    return text if len(text) <= 80 else text[:77] + "..."


def _library(path, name):
    try:
        library = ctypes.CDLL(os.fspath(path))
    except OSError as error:
        raise ImportError(f"extension {name}: {error}") from None
    if not hasattr(library, "kgrade_extension_load"):
        raise ImportError(
            f"extension {name} defines no module: name its functions in `functions=`, or write PYBIND11_MODULE"
        )
    return library


def _with_signature_of(original, ours):
    signature = inspect.signature(original)

    def replacement(*args, **kwargs):
        return ours(dict(signature.bind(*args, **kwargs).arguments))

    replacement.__name__ = original.__name__
    replacement.__doc__ = original.__doc__
    replacement.__signature__ = signature
    return replacement
