"""Extensions as Python sees them: arguments, results, errors, and module definitions."""

import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import threading
import unittest
import warnings

from extension_build import build, installed, torch

from kgrade_python import extension_module, extension_sources

SOURCE = r"""
#include <ATen/Dispatch.h>
#include <c10/util/Half.h>

torch::Tensor number(torch::Tensor x, int n, double scale, bool twice) { return x * n * scale * (twice ? 2 : 1); }
int64_t unsigned_byte(uint8_t value) { return value; }
std::string text(const std::string& a) { return a + "!"; }
torch::Tensor by_reference(const torch::Tensor& x, torch::IntArrayRef sizes) { return x.reshape(sizes); }
torch::Tensor maybe(torch::Tensor x, c10::optional<torch::Tensor> bias, std::optional<int64_t> n) {
  if (bias.has_value()) x = x + *bias;
  return n ? x * *n : x;
}
std::vector<torch::Tensor> halves(std::vector<torch::Tensor> xs) {
  for (auto& x : xs) x = x / 2;
  return xs;
}
std::tuple<torch::Tensor, int64_t, std::string> three(torch::Tensor x) { return {x, x.numel(), "three"}; }
std::pair<double, c10::optional<torch::Tensor>> two() { return {0.5, c10::nullopt}; }
at::ScalarType type_of(at::Tensor x, at::ScalarType other) { return x.scalar_type() == other ? other : x.scalar_type(); }
torch::Tensor undefined() { return torch::Tensor(); }
void nothing(torch::Tensor x) { x.add_(1); }
double scalar(at::Scalar s) { return s.to<double>(); }

float accessed(torch::Tensor x) {
  auto a = x.accessor<float, 2>();
  float sum = 0;
  for (int64_t i = 0; i < a.size(0); ++i)
    for (int64_t j = 0; j < a.size(1); ++j) sum += a[i][j] * (i + 1);
  return sum;
}
float packed(torch::Tensor x) {
  auto a = x.packed_accessor32<float, 2, torch::RestrictPtrTraits>();
  auto b = x.packed_accessor64<float, 2>();
  b[0][0] = 5;
  return a[0][0] + a[a.size(0) - 1][a.size(1) - 1];
}
template <typename scalar_t>
void doubled(const scalar_t* from, scalar_t* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] + from[i] * static_cast<scalar_t>(1);
}
#define DISPATCHED(name, ...)                                                                     \
  torch::Tensor name(torch::Tensor x) {                                                           \
    auto y = torch::empty_like(x);                                                                \
    __VA_ARGS__(x.scalar_type(), #name, ([&] {                                                    \
      doubled<scalar_t>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());               \
    }));                                                                                          \
    return y;                                                                                     \
  }
DISPATCHED(floating, AT_DISPATCH_FLOATING_TYPES)
DISPATCHED(with_half, AT_DISPATCH_FLOATING_TYPES_AND_HALF)
DISPATCHED(all_types, AT_DISPATCH_ALL_TYPES)
torch::Tensor with_two(torch::Tensor x) {
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "with_two", [&] {
    doubled(x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), x.numel());
  });
  return y;
}
torch::Tensor rounded(torch::Tensor x, bool brain) {
  auto y = torch::empty(x.sizes(), x.options().dtype(brain ? torch::kBFloat16 : torch::kHalf));
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (brain) y.data_ptr<at::BFloat16>()[i] = x.data_ptr<float>()[i];
    else y.data_ptr<at::Half>()[i] = x.data_ptr<float>()[i];
  }
  return y;
}
torch::Tensor widened(torch::Tensor x) {
  auto y = torch::empty(x.sizes(), torch::kFloat);
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data_ptr<float>()[i] = x.scalar_type() == torch::kHalf ? float(x.data_ptr<at::Half>()[i]) : float(x.data_ptr<at::BFloat16>()[i]);
  return y;
}

void checked(torch::Tensor x, int which) {
  TORCH_CHECK(which != 0, "which is ", which, ", sizes ", x.sizes(), " of ", x.scalar_type(), " on ", x.device());
  AT_ASSERTM(which != 1, "asserted");
  TORCH_INTERNAL_ASSERT(which != 2, "inside");
  if (which == 3) throw std::out_of_range("far out");
  if (which == 4) AT_ERROR("plain ", 4);
  if (which == 5) throw 5;
  if (which == 6) x.size(9);
  if (which == 7) torch::matmul(x, torch::ones({7, 7}));
  if (which == 8) torch::zeros({-1});
  if (which == 9) {
    try {
      torch::matmul(x, torch::ones({7, 7}));
    } catch (const c10::Error& error) {
      throw std::runtime_error("caught");
    }
  }
  TORCH_CHECK(which != 10);
}
int64_t resized(torch::Tensor x) {
  auto y = torch::zeros({2, 3});
  auto before = y.sizes();
  y.resize_({1, 1, 1, 1, 1, 1, 1, 1, 1, 30});
  y.unsqueeze_(0);
  return y.dim() * 1000 + before.size() * 100 + y.size(-1) + (y.data_ptr<float>() != nullptr ? 0 : 1);
}
bool same_memory(torch::Tensor x, torch::Tensor y) {
  return x.contiguous().data_ptr() == x.data_ptr() && x.data_ptr() == y.data_ptr() && x.is_same(y);
}
torch::Tensor without_gradient(torch::Tensor x) {
  torch::NoGradGuard guard;
  return x * 2;
}
torch::Tensor on_device(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.device().is_cuda() && x.device().type() == torch::kCUDA, "not on CUDA: ", x.device());
  auto y = torch::zeros({2}, torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA));
  auto z = torch::ones({2}, torch::dtype(torch::kFloat).device(torch::Device(torch::kCUDA, 0)));
  return y + z.to(x.device()) + x.get_device();
}
"""
FUNCTIONS = re.findall(r"^\w[\w:<>, ]* (\w+)\(", SOURCE, re.M) + ["floating", "with_half", "all_types"]
FUNCTIONS.remove("doubled")


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loaders, cls.builder = installed()
        cls.load_inline = staticmethod(loaders["load_inline"])
        cls.m = cls.load_inline("everything", SOURCE, functions=FUNCTIONS)

    def tearDown(self):
        self.assertEqual(len(self.builder._bridge.records), 0, "tensors are kept after a call")

    def test_numbers_convert_as_pybind_has_it(self):
        x = torch.ones(2)
        self.assertTrue(torch.equal(self.m.number(x, 3, 0.5, True), x * 3))
        self.assertTrue(torch.equal(self.m.number(x, True, 2, False), x * 2))
        self.assertTrue(torch.equal(self.m.number(x, torch.tensor(3), torch.tensor(2.0), False), x * 6))
        for bad in [
            (x, 1.5, 1.0, True),
            (x, 1, "1", True),
            (x, 1, 1.0, 1),
            (x, 1 << 40, 1.0, True),
            (None, 1, 1.0, True),
            (x, 1, 1.0),
            (x, 1 << 70, 1.0, True),
        ]:
            with self.subTest(bad=bad), self.assertRaisesRegex(
                TypeError, r"number\(\): incompatible function arguments"
            ):
                self.m.number(*bad)
        self.assertEqual(self.m.unsigned_byte(255), 255)
        for bad in (-1, 256):
            with self.assertRaises(TypeError):
                self.m.unsigned_byte(bad)
        self.assertEqual((self.m.scalar(2), self.m.scalar(0.25), self.m.scalar(True)), (2.0, 0.25, 1.0))

    def test_the_message_lists_types_and_what_was_given(self):
        with self.assertRaises(TypeError) as raised:
            self.m.number(torch.ones(2, 3), 1)
        self.assertIn(
            "1. (arg0: torch.Tensor, arg1: int, arg2: float, arg3: bool) -> torch.Tensor", str(raised.exception)
        )
        self.assertIn("a torch.float32 tensor of (2, 3), 1", str(raised.exception))

    def test_text_lists_optionals_tuples_and_types(self):
        x = torch.arange(6.0)
        self.assertEqual(self.m.text("äß"), "äß!")
        self.assertEqual(self.m.by_reference(x, (2, 3)).shape, (2, 3))
        self.assertEqual(self.m.by_reference(x, [3, 2]).shape, (3, 2))
        self.assertTrue(torch.equal(self.m.maybe(x, None, None), x))
        self.assertTrue(torch.equal(self.m.maybe(x, x, 2), x * 4))
        self.assertTrue(torch.equal(self.m.halves([x, x])[1], x / 2))
        self.assertEqual(self.m.halves([]), [])
        tensor, count, text = self.m.three(x)
        self.assertIs(tensor, x)
        self.assertEqual((count, text), (6, "three"))
        self.assertEqual(self.m.two(), (0.5, None))
        self.assertEqual(self.m.type_of(x, torch.int64), torch.float32)
        self.assertIsNone(self.m.undefined())
        self.assertIsNone(self.m.nothing(x))
        self.assertEqual(x[0], 1)

    def test_a_parameter_is_a_tensor_and_comes_back_as_itself(self):
        p = torch.nn.Parameter(torch.ones(2, 2))
        self.assertIs(self.m.three(p)[0], p)
        self.assertTrue(self.m.same_memory(p, p))
        self.assertTrue(self.m.maybe(p, None, 2).requires_grad)
        self.assertFalse(self.m.without_gradient(p).requires_grad)
        self.assertTrue(torch.is_grad_enabled())

    def test_accessors_follow_strides_and_check_dimensions(self):
        x = torch.arange(6.0).reshape(2, 3).t()
        self.assertEqual(self.m.accessed(x), float((x * torch.tensor([[1.0], [2.0], [3.0]])).sum()))
        self.assertEqual(self.m.packed(x), 5 + 5)
        self.assertEqual(x[0, 0], 5)
        with self.assertRaisesRegex(RuntimeError, "expected 2 dims but tensor has 1"):
            self.m.accessed(torch.ones(3))
        with self.assertRaisesRegex(RuntimeError, "expected scalar type Float but found Double"):
            self.m.accessed(torch.ones(3, 3).double())

    def test_dispatch_macros_choose_the_type(self):
        for name, dtypes in {
            "floating": [torch.float32, torch.float64],
            "with_half": [torch.float16, torch.float32, torch.float64],
            "with_two": [torch.float16, torch.bfloat16, torch.float32, torch.float64],
            "all_types": [
                torch.uint8,
                torch.int8,
                torch.int16,
                torch.int32,
                torch.int64,
                torch.float32,
                torch.float64,
            ],
        }.items():
            for dtype in dtypes:
                x = torch.arange(5).to(dtype)
                self.assertTrue(torch.equal(getattr(self.m, name)(x), x * 2), f"{name} {dtype}")
        with self.assertRaisesRegex(NotImplementedError, "\"floating\" not implemented for 'Half'"):
            self.m.floating(torch.ones(2).half())

    def test_half_and_bfloat16_round_as_pytorch_does(self):
        specials = [
            0.0,
            -0.0,
            65504,
            65519.9,
            65520,
            1e30,
            6e-8,
            2.9e-8,
            2.98e-8,
            5.96e-8,
            6.1e-5,
            1e-40,
            float("inf"),
            -float("inf"),
            float("nan"),
            1 + 2**-11,
            1 + 3 * 2**-11,
        ]
        x = torch.cat([torch.tensor(specials), torch.randn(2000) * 10 ** (torch.rand(2000) * 16 - 8)])
        for brain, dtype in ((False, torch.half), (True, torch.bfloat16)):
            self.assertTrue(torch.equal(self.m.rounded(x, brain).nan_to_num(7), x.to(dtype).nan_to_num(7)))
            every = torch.arange(-(2**15), 2**15).short().view(dtype)
            self.assertTrue(torch.equal(self.m.widened(every).nan_to_num(7), every.float().nan_to_num(7)))

    def test_errors_become_exceptions_with_their_text(self):
        x = torch.ones(2, 3)
        for which, kind, text in [
            (0, RuntimeError, r"^which is 0, sizes \[2, 3\] of Float on cpu$"), (1, RuntimeError, "^asserted$"),
            (2, RuntimeError, "INTERNAL ASSERT FAILED.*inside"), (3, RuntimeError, "^far out$"), (4, RuntimeError, "^plain 4$"),
            (5, RuntimeError, "unknown exception"), (6, IndexError, "Dimension out of range"), (7, RuntimeError, "mat1 and mat2 shapes cannot be multiplied"),
            (8, RuntimeError, "non-negative|negative dimension"), (9, RuntimeError, "^caught$"), (10, RuntimeError, "Expected which != 10 to be true"),
        ]:  # fmt: skip
            with self.subTest(which=which), self.assertRaisesRegex(kind, text):
                self.m.checked(x, which)
        self.assertIsNone(self.m.checked(x, 11))

    def test_sizes_follow_operations_in_place(self):
        self.assertEqual(self.m.resized(torch.ones(1)), 11 * 1000 + 200 + 30)

    def test_an_attribute_that_is_missing_is_an_attribute_error(self):
        with self.assertRaisesRegex(AttributeError, "has no attribute 'backward'"):
            self.m.backward

    def test_threads_call_at_the_same_time(self):
        failures = []

        def work(value):
            for _ in range(200):
                x = torch.full((4,), float(value))
                if not torch.equal(self.m.maybe(x, x, value), x * 2 * value):
                    failures.append(value)

        threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_compiled_code_calls_it(self):
        compiled = torch.compile(lambda x: self.m.maybe(x + 1, None, 3) * 2, backend="eager")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertTrue(torch.equal(compiled(torch.ones(3)), torch.full((3,), 12.0)))


class ModuleDefinition(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loaders, cls.builder = installed()
        cls.load_inline, cls.load = staticmethod(loaders["load_inline"]), staticmethod(loaders["load"])

    def test_a_module_of_its_own_has_names_defaults_and_overloads(self):
        m = self.load_inline("own", r"""
            torch::Tensor forward(torch::Tensor x, double scale, c10::optional<torch::Tensor> bias, std::vector<int64_t> size) {
              return ((bias ? x + *bias : x) * scale).view(size);
            }
            PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
              m.doc() = "mine";
              m.def("forward", &forward, "scales", py::arg("x"), py::arg("scale") = 2.0, py::arg("bias") = py::none(),
                    py::arg("size") = std::vector<int64_t>{-1});
              m.def("half", [](torch::Tensor x) { return x / 2; }, py::call_guard<py::gil_scoped_release>());
              m.def("which", [](int) { return "int"; });
              m.def("which", [](std::string) { return "str"; });
              m.def("bad", [](int i) { return std::vector<int>{1}.at(i); });
            }
        """)  # fmt: skip
        x = torch.ones(2, 2)
        self.assertTrue(torch.equal(m.forward(x), torch.full((4,), 2.0)))
        self.assertTrue(torch.equal(m.forward(x, bias=x, scale=3), torch.full((4,), 6.0)))
        self.assertEqual(m.forward(x=x, size=[2, 2]).shape, (2, 2))
        self.assertTrue(torch.equal(m.half(x), x / 2))
        self.assertEqual((m.which(1), m.which("a"), m.__doc__), ("int", "str", "mine"))
        self.assertIn(
            "(x: torch.Tensor, scale: float = 2.0, bias: Optional[torch.Tensor] = None, size: list[int] = [-1]) -> torch.Tensor",
            m.forward.__doc__,
        )
        self.assertIn("scales", m.forward.__doc__)
        with self.assertRaises(IndexError):
            m.bad(3)
        for args, kwargs in [((x,), {"other": 1}), ((x,), {"x": x}), ((), {}), ((x, 1, None, [-1], 5), {})]:
            with self.assertRaises(TypeError):
                m.forward(*args, **kwargs)
        with self.assertRaises(TypeError):
            m.half(x=x)

    def test_a_newer_standard_of_the_language_is_taken(self):
        m = self.load_inline("newer", SOURCE, functions=FUNCTIONS, extra_cflags=["-std=c++20"])
        self.assertEqual(m.three(torch.ones(2))[1:], (2, "three"))

    def test_what_was_built_with_pytorchs_headers_is_imported_as_an_extension_module(self):
        source = """
            #include <Python.h>
            static PyObject* seven(PyObject*, PyObject*) { return PyLong_FromLong(7); }
            static PyMethodDef functions[] = {{"seven", seven, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
            static PyModuleDef module = {PyModuleDef_HEAD_INIT, "imported", "", -1, functions};
            PyMODINIT_FUNC PyInit_imported() { return PyModule_Create(&module); }
        """
        headers = sysconfig.get_paths()["include"]
        if not (pathlib.Path(headers) / "Python.h").exists():
            self.skipTest("Python.h is not installed")
        loaders, builder = installed()
        builder._build = lambda request: (build(request)[0], "torch")
        more = {"extra_include_paths": [headers], "no_implicit_headers": True}
        module = loaders["load_inline"]("imported", source, **more)
        self.assertEqual(module.seven(), 7)

    def test_a_static_tensor_outlives_the_interpreter(self):
        program = """
            import extension_build as b
            source = "torch::Tensor kept; void keep(torch::Tensor x) { static torch::Tensor also; kept = also = x; }"
            b.installed()[0]["load_inline"]("keeping", source, functions=["keep"]).keep(b.torch.ones(2))
        """
        here = pathlib.Path(__file__).parent
        process = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=here, capture_output=True)
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_functions_may_be_one_name_or_have_documentation(self):
        source = ["int one() { return 1; }", "int two() { return one() + 1; }"]
        m = self.load_inline("documented", source, functions={"two": 'says "two"\nand more'})
        self.assertEqual(m.two(), 2)
        self.assertIn('says "two"\nand more', m.two.__doc__)
        self.assertFalse(hasattr(m, "one"))
        self.assertEqual(self.load_inline("single", source, functions="one").one(), 1)

    def test_the_same_request_is_built_once(self):
        before = len(self.builder.requests)
        modules = {id(self.load_inline("once", "int f() { return 4; }", functions=["f"])) for _ in range(3)}
        self.assertEqual((len(modules), len(self.builder.requests) - before), (1, 1))

    def test_two_extensions_do_not_share_functions(self):
        first = self.load_inline(
            "shared_1", "int helper() { return 1; } int f() { return helper(); }", functions=["f"]
        )
        second = self.load_inline(
            "shared_2", "int helper() { return 2; } int f() { return helper(); }", functions=["f"]
        )
        self.assertEqual((first.f(), second.f()), (1, 2))

    def test_load_compiles_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "helper.h").write_text("torch::Tensor twice(torch::Tensor x);")
            (path / "a.cpp").write_text(
                '#include <torch/extension.h>\n#include "helper.h"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }'
            )
            (path / "b.cpp").write_text(
                '#include <torch/extension.h>\n#include "helper.h"\ntorch::Tensor twice(torch::Tensor x) { return x + x; }'
            )
            m = self.load("from_files", [str(path / "a.cpp"), str(path / "b.cpp")])
            self.assertTrue(torch.equal(m.twice(torch.ones(1)), torch.full((1,), 2.0)))
            with self.assertRaises(OSError):
                self.load("from_files", [str(path / "missing.cpp")])

    def test_an_error_has_the_sources_line(self):
        source = "int f() {\n  return 1;\n}\nint g() { return nowhere; }\n"
        with self.assertRaisesRegex(
            extension_module.BuildFailed, r"(?s)Error building extension 'broken'.*cpp_sources:4:\d+: error"
        ):
            self.load_inline("broken", source, functions=["f"])
        with self.assertRaisesRegex(extension_module.BuildFailed, r"cpp_sources\[1\]:2:\d+: error"):
            self.load_inline("broken", ["int f();", "\nint g() { return nowhere; }"], functions=["f"])

    def test_an_error_in_a_literal_has_the_line_of_the_python_file(self):
        text = 'import torch\n\nsource = """\nint f() { return 1; }\nint g() { return nowhere; }\n"""\n'
        values = {}
        exec(compile(text.replace("import torch", ""), "candidate.py", "exec"), values)
        loaders, _ = installed(origin_of=extension_sources.literal_origins("candidate.py", text))
        for source in (values["source"], values["source"].strip()):
            with self.assertRaisesRegex(extension_module.BuildFailed, r"candidate.py:5:\d+: error"):
                loaders["load_inline"]("broken", source, functions=["f"])

    def test_tensors_of_the_cpu_stand_for_cuda_where_it_is_emulated(self):
        loaders, _ = installed(as_cuda=True)
        m = loaders["load_inline"]("emulated", SOURCE, functions=["on_device", "type_of", "maybe"])
        x = torch.zeros(2)
        answer = m.on_device(x)
        self.assertEqual((answer.device.type, answer.tolist()), ("cpu", [1.0, 1.0]))
        with self.assertRaisesRegex(RuntimeError, "not on CUDA: cpu"):
            self.load_inline("not_emulated", SOURCE, functions=["on_device"]).on_device(x)

    def test_a_library_that_is_no_extension_is_said_to_be_none(self):
        library, _ = build(extension_sources.inline_request("none", "int f() { return 1; }"))
        with self.assertRaisesRegex(ImportError, "extension none defines no module.*PYBIND11_MODULE"):
            extension_module.load(library, "none", self.builder._bridge)
        with self.assertRaisesRegex(ImportError, "extension none"):
            extension_module.load("/nowhere/x.so", "none", self.builder._bridge)


if __name__ == "__main__":
    unittest.main()
