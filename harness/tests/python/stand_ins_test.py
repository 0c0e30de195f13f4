"""Stand-ins for frameworks that nothing needs, the names of missing packages, and classes that libraries inherit from."""

import importlib
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python import distributions, stand_ins  # noqa: E402
from kgrade_python.errors import Unsupported  # noqa: E402


class StandIns(unittest.TestCase):
    def setUp(self):
        self.finders, self.modules = list(sys.meta_path), dict(sys.modules)

    def tearDown(self):
        sys.meta_path[:] = self.finders
        for name in set(sys.modules) - set(self.modules):
            del sys.modules[name]
        stand_ins.StandIn.are_refused = False

    def test_may_be_named_called_and_inherited_from_while_a_file_is_loaded(self):
        stand_ins.install(["first_framework", "some_package.second_framework"])
        first = importlib.import_module("first_framework.language.deep")
        second = importlib.import_module("some_package.second_framework")

        @first.jit(registers=32)
        def kernel():
            pass

        class Kernel(second.Base):
            pass

        self.assertFalse(first.is_available())
        self.assertEqual(([*first.devices()], len(first.devices()), "x" in first.names), ([], 0, False))
        self.assertIsNotNone(first.WARP * 2 + 1 | first.FLAG)
        self.assertFalse(first.version < 2)
        self.assertIsInstance(Kernel(), Kernel)
        self.assertIsNotNone(kernel)
        stand_ins.refuse_from_now_on()
        for use in (lambda: kernel[1, 2](3), lambda: first.zeros, lambda: second.array(1)):
            with self.assertRaisesRegex(Unsupported, "cannot run on the emulated device"):
                use()

    def test_stand_in_for_what_is_installed_too(self):
        stand_ins.install(["unittest.mock"])
        sys.modules.pop("unittest.mock", None)
        self.assertIsInstance(importlib.import_module("unittest.mock"), stand_ins.StandIn)

    def test_stand_in_for_nothing_else(self):
        stand_ins.install(["framework"])
        with self.assertRaises(ModuleNotFoundError):
            importlib.import_module("frameworks_of_others")


class Distributions(unittest.TestCase):
    def test_are_needed_where_the_source_imports_them_when_it_is_loaded(self):
        source = ("import a.b\nfrom c import d\nif True:\n    import e\ntry:\n    pass\nexcept ImportError:\n    import f\n"
                  "def g():\n    import h\nfrom . import i\n")
        self.assertEqual(distributions.imported_when_loaded(source), {"a", "c", "e", "f"})
        self.assertEqual(distributions.imported_when_loaded("raise ModuleNotFoundError(name='a')\n"), set())
        self.assertEqual(distributions.imported_when_loaded("def ("), set())

    def test_are_named_as_pypi_has_them(self):
        for module, name in {"cutlass": "nvidia-cutlass-dsl", "warp": "warp-lang", "cuda.tile": "cuda-tile",
                             "cuda": "cuda-python", "cupy": "cupy-cuda13x", "numba": "numba",
                             "cutlass.cute": "nvidia-cutlass-dsl", "jax.experimental": "jax[cuda13]",
                             "helion": "helion", "a_package.b": "a_package.b"}.items():
            self.assertEqual(distributions.name_of(module), name)

    def test_of_a_missing_package_are_those_of_the_part_that_is_meant(self):
        for module, source, name in (("cuda", "import cuda.tile as ct\n", "cuda-tile"),
                                     ("cuda", "from cuda import core\n", "cuda-core"),
                                     ("numba", "from numba import cuda\n", "numba-cuda"),
                                     ("numba", "import numba\n@numba.cuda.jit\n", "numba-cuda"),
                                     ("numba", "from numba import njit\n", "numba")):
            with self.subTest(source):
                self.assertEqual(distributions.name_of(module, source), name)


if __name__ == "__main__":
    unittest.main()
