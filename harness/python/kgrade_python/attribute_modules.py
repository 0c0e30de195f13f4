"""Modules whose attributes a function makes, in the place of modules that are not installed."""

import importlib.machinery
import types


class AttributeFinder:
    """Finds the modules in `attributes`: {name of a module: a function that makes the attribute with a name}."""

    def __init__(self, attributes):
        self.attributes = attributes

    def find_spec(self, name, _path=None, _target=None):
        return importlib.machinery.ModuleSpec(name, self) if name in self.attributes else None

    def create_module(self, spec):
        make = self.attributes[spec.name]

        def attribute(name):
            # Python and PyTorch ask each module for such names.
            if name.startswith("__"):
                raise AttributeError(name)
            return make(name)

        module = types.ModuleType(spec.name)
        module.__getattr__ = attribute
        return module

    @staticmethod
    def exec_module(_module):
        pass
