"""Stand-ins for frameworks that the emulated device cannot run and that a candidate imports without need: the
examination of its source (gpu_frameworks.py) found that its entry point does not use them. They also replace installed
frameworks, so that the verdict does not depend on what is installed."""

import importlib.machinery
import sys
import types

from .errors import Unsupported


class StandIn(types.ModuleType):
    """A module or a part of one. While the candidate is loaded, the parts can be named, called and inherited from. A
    later use is an error: the examination has overlooked it."""

    are_refused = False

    def refuse(self):
        if StandIn.are_refused:
            raise Unsupported(f"{self.__name__} cannot run on the emulated device")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()
        return StandIn(f"{self.__name__}.{name}")

    def __call__(self, *_, **__):
        self.refuse()
        return StandIn(self.__name__)

    def __getitem__(self, _):
        return self()

    def __mro_entries__(self, _):
        return ()

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __contains__(self, _):
        return False

    def __index__(self):
        return 0

    def combined(self, *_):
        return self()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = combined
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = combined
    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __lshift__ = __rshift__ = __neg__ = __invert__ = combined
    __lt__ = __le__ = __gt__ = __ge__ = combined


class Finder:
    """Finds stand-ins for the modules whose names `fits` accepts."""

    def __init__(self, fits):
        self.fits = fits

    def find_spec(self, name, _path=None, _target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if self.fits(name) else None

    @staticmethod
    def create_module(spec):
        return StandIn(spec.name)

    @staticmethod
    def exec_module(_module):
        pass


def install(frameworks):
    """Makes imports find the stand-ins before all other modules. A package that contains a stand-in is replaced only if
    it is not installed."""
    if frameworks:
        below = tuple(f"{framework}." for framework in frameworks)
        sys.meta_path.insert(0, Finder(lambda name: f"{name}.".startswith(below)))
        packages = {framework.rpartition(".")[0] for framework in frameworks}
        sys.meta_path.append(Finder(packages.__contains__))


def refuse_from_now_on():
    StandIn.are_refused = True
