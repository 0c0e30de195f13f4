"""What a worker's frameworks are told of the CUDA Toolkit."""

import os
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import worker  # noqa: E402


class Toolkit(unittest.TestCase):
    def environment(self, *words):
        served = []
        serving = types.SimpleNamespace(serve=lambda *arguments: served.append(arguments))
        with mock.patch.dict(os.environ, {"PATH": "/usr/bin"}, clear=True), mock.patch.dict(
                sys.modules, {"kgrade_python.serving": serving}):
            worker.main([*words, "library", "GPU-1"])
            self.assertEqual(served, [("library", ["GPU-1"], "--triton" in words)])
            return dict(os.environ)

    def test_is_named_where_frameworks_look_for_it(self):
        seen = self.environment("--triton", "--cache", "/cache", "--toolkit", "/toolkit")
        self.assertEqual((seen["CUDA_HOME"], seen["CUDA_PATH"]), ("/toolkit", "/toolkit"))
        self.assertEqual(seen["XLA_FLAGS"], "--xla_gpu_cuda_data_dir=/toolkit")
        self.assertEqual(seen["XLA_PYTHON_CLIENT_PREALLOCATE"], "false")
        self.assertEqual(seen["PATH"], "/usr/bin")

    def test_is_not_named_on_a_device_without_one(self):
        self.assertNotIn("CUDA_HOME", self.environment())


if __name__ == "__main__":
    unittest.main()
