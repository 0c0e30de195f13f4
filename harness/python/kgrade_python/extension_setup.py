"""Replaces setuptools.setup(ext_modules=[CUDAExtension(...)]) for a submission. Extensions are built as load() builds
them, and can then be imported under their names. Nothing is installed, and no program is started."""

import sys
import types

_LANGUAGES = {"extra_cflags": "cxx", "extra_cuda_cflags": "nvcc"}


class Extension:
    """The result of CUDAExtension and CppExtension: the arguments, under setuptools' names."""

    def __init__(self, name, sources, *_args, **more):
        self.name = name
        self.sources = list(sources)
        self.include_dirs = _listed(more, "include_dirs")
        self.define_macros = _listed(more, "define_macros")
        self.undef_macros = _listed(more, "undef_macros")
        self.library_dirs = _listed(more, "library_dirs")
        self.libraries = _listed(more, "libraries")
        self.extra_objects = _listed(more, "extra_objects")
        self.extra_link_args = _listed(more, "extra_link_args")
        self.extra_compile_args = more.get("extra_compile_args") or []
        self.language = more.get("language", "c++")


def load_arguments(extension):
    """The arguments of PyTorch's load() for an extension, which is an Extension or setuptools' own class."""
    macros = [f"-D{macro[0]}" if len(macro) < 2 or macro[1] is None else f"-D{macro[0]}={macro[1]}"
              for macro in extension.define_macros or []]
    macros += [f"-U{name}" for name in extension.undef_macros or []]
    given = extension.extra_compile_args or []
    flags = {argument: macros + list(given.get(language) or [] if isinstance(given, dict) else given)
             for argument, language in _LANGUAGES.items()}
    libraries = [f"-L{folder}" for folder in extension.library_dirs or []]
    libraries += [f"-l{name}" for name in extension.libraries or []]
    return {
        "name": extension.name.rpartition(".")[2],
        "sources": list(extension.sources),
        "extra_include_paths": list(extension.include_dirs or []),
        "extra_ldflags": libraries + list(extension.extra_link_args or []),
        **flags,
    }


def setup_with(load):
    """A setup() that builds with `load`, a function from load()'s arguments (a dict) to a module."""

    def setup(*_args, ext_modules=None, **_others):
        for extension in ext_modules or []:
            make_importable(extension.name, load(load_arguments(extension)))

    return setup


def make_importable(name, module):
    """Puts a module where `import name` finds it. Makes the missing packages of a dotted name."""
    parent, _, last = name.rpartition(".")
    sys.modules[name] = module
    while parent:
        package = sys.modules.get(parent)
        if package is None:
            package = sys.modules[parent] = types.ModuleType(parent)
            package.__path__ = []
        setattr(package, last, module)
        module = package
        parent, _, last = parent.rpartition(".")


def replace(load, cpp_extension):
    """Puts the functions above into setuptools and into PyTorch's module."""
    import setuptools

    setuptools.setup = setup_with(load)
    if "distutils.core" in sys.modules:
        sys.modules["distutils.core"].setup = setuptools.setup
    cpp_extension.CUDAExtension = cpp_extension.CppExtension = Extension


def _listed(arguments, name):
    return list(arguments.get(name) or [])
