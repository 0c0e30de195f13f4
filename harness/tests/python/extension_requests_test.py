"""How extensions are built: what setup.py and load_inline ask for, and the units that come of it."""

import pathlib
import re
import tempfile
import unittest

from extension_build import installed, torch

from kgrade_python import extension_setup, extension_sources


class Setup(unittest.TestCase):
    def test_extensions_are_importable_and_nothing_is_run_or_installed(self):
        loaders, builder = installed()
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cpp"
            source.write_text(
                "#include <torch/extension.h>\nint number() { return NUMBER; }\n"
                'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("number", &number); }\n'
            )
            loaders["setup"](
                name="package",
                ext_modules=[
                    loaders["CppExtension"]("a_package.inner._C", [source], define_macros=[("NUMBER", "4")]),
                    loaders["CUDAExtension"]("alone", sources=[source], extra_compile_args=["-DNUMBER=5"]),
                ],
                script_args=["install"],
            )
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [source])
        import a_package.inner
        from a_package.inner import _C
        import alone

        self.assertEqual((_C.number(), a_package.inner._C.number(), alone.number()), (4, 4, 5))
        self.assertEqual([request["name"] for request in builder.requests], ["_C", "alone"])

    def test_arguments_are_those_of_load(self):
        extension = extension_setup.Extension(
            "a.b",
            ["x.cu"],
            include_dirs=["i"],
            define_macros=[("A", None), ("B", "1")],
            undef_macros=["C"],
            libraries=["cublas"],
            library_dirs=["l"],
            extra_link_args=["-s"],
            extra_compile_args={"nvcc": ["-G"]},
        )
        self.assertEqual(
            extension_setup.load_arguments(extension),
            {
                "name": "b",
                "sources": ["x.cu"],
                "extra_include_paths": ["i"],
                "extra_ldflags": ["-Ll", "-lcublas", "-s"],
                "extra_cflags": ["-DA", "-DB=1", "-UC"],
                "extra_cuda_cflags": ["-DA", "-DB=1", "-UC", "-G"],
            },
        )

    def test_without_extensions_it_does_nothing(self):
        loaders, builder = installed()
        loaders["setup"](name="package")
        self.assertEqual(builder.requests, [])


class Requests(unittest.TestCase):
    def test_the_units_are_what_pytorch_writes_but_for_line_directives(self):
        import torch.utils.cpp_extension as cpp_extension

        written = {}
        original = cpp_extension._jit_compile
        cpp_extension._jit_compile = lambda name, sources, *rest, **more: written.update(
            {pathlib.Path(path).name: pathlib.Path(path).read_text() for path in sources}
        )
        try:
            with tempfile.TemporaryDirectory() as folder:
                cpp_extension.load_inline(
                    "theirs",
                    ["int f();", "int g();"],
                    ["int f() { return 1; }"],
                    functions={"f": "doc"},
                    build_directory=folder,
                )
        finally:
            cpp_extension._jit_compile = original
        request = extension_sources.inline_request(
            "theirs", ["int f();", "int g();"], ["int f() { return 1; }"], {"f": "doc"}
        )
        ours = {unit["file"]: re.sub(r"(?m)^#line.*\n", "", unit["text"]).strip() for unit in request["units"]}
        self.assertEqual(ours, {name: text.strip() for name, text in written.items()})
        self.assertTrue(request["with_cuda"])

    def test_flags_are_kept_and_empty_ones_left_out(self):
        request = extension_sources.inline_request(
            "x",
            "",
            extra_cflags=["-O3", ""],
            extra_cuda_cflags="-lineinfo",
            extra_ldflags=[""],
            extra_include_paths=["a b"],
        )
        self.assertEqual(
            (request["cflags"], request["cuda_cflags"], request["ldflags"], request["include_paths"]),
            (["-O3"], ["-lineinfo"], [], ["a b"]),
        )

    def test_what_is_no_request_is_said(self):
        for error, arguments in [
            (ValueError, {"name": "a-b", "cpp_sources": ""}), (ValueError, {"name": "a", "cpp_sources": "", "functions": ["f); evil("]}),
            (ValueError, {"name": "a", "cpp_sources": "", "functions": 5}), (TypeError, {"name": "a", "cpp_sources": 5}), (TypeError, {"name": "a", "cpp_sources": [None]}),
            (TypeError, {"name": "a", "cpp_sources": "", "extra_cflags": {"a": 1}}),
        ]:  # fmt: skip
            with self.subTest(arguments=arguments), self.assertRaises(error):
                extension_sources.inline_request(**arguments)

    def test_a_unit_gets_the_standard_headers_that_it_names(self):
        request = extension_sources.inline_request(
            "x", "int f() { std::vector<int> v; std::sort(v.begin(), v.end()); return INT_MAX; }"
        )
        flags = request["units"][0]["small_flags"]
        self.assertIn("algorithm", flags)
        self.assertIn("climits", flags)
        self.assertNotIn("iostream", flags)

    def test_lines_of_a_unit_have_their_places(self):
        text = extension_sources.inline_request("x", ["a\nb", "c\nd"])["units"][0]["text"]
        lines = text.split("\n")
        self.assertEqual(extension_sources.place_of(text, lines.index("b") + 1), ("cpp_sources[0]", 2))
        self.assertEqual(extension_sources.place_of(text, lines.index("d") + 1), ("cpp_sources[1]", 2))
        self.assertEqual(extension_sources.place_of(text, 1), (None, 1))

    def test_headers_that_are_included_go_along(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder).resolve()
            for name, text in {
                "include/a.h": '#include "../more/b.h"\n#include <nowhere.h>\n', "more/b.h": "#include <a.h>\nlong b = FLT_MAX;\n",
                "include/unused.h": "", "a.cpp": '#include "include/a.h"\n'
            }.items():  # fmt: skip
                (path / name).parent.mkdir(exist_ok=True)
                (path / name).write_text(text)
            inline = extension_sources.inline_request("x", "#include <a.h>", extra_include_paths=[path / "include"])
            files = extension_sources.file_request("x", path / "a.cpp", extra_cflags=[f"-I{path}/include"])
            place = str(path)[1:]
            for request in (inline, files):
                self.assertEqual(
                    {file["file"]: file["text"].split("\n", 1)[1] for file in request["own_headers"]["files"]},
                    {f"{place}/{name}": (path / name).read_text() for name in ("include/a.h", "more/b.h")},
                )
                self.assertIn("cfloat", request["units"][0]["small_flags"])
            self.assertEqual(inline["own_headers"]["folders"], [f"{place}/include"])
            self.assertEqual(files["own_headers"]["folders"], [f"{place}", f"{place}/include"])

    def test_headers_of_others_and_huge_ones_do_not_go_along(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "huge.h").write_text("//" + "x" * (3 << 20))
            (path / "elsewhere.h").symlink_to("/usr/include/stdio.h")
            (path / "folder.h").mkdir()
            text = "#include <huge.h>\n#include <elsewhere.h>\n#include <folder.h>\n#include <stdlib.h>"
            request = extension_sources.inline_request("x", text, extra_include_paths=[folder, "/usr/include"])
            self.assertEqual(request["own_headers"], {})

    def test_a_literal_with_escapes_has_no_line(self):
        text = 'a = "one\\ntwo\\n"\nb = """x\ny"""\n'
        origin_of = extension_sources.literal_origins("f.py", text)
        self.assertIsNone(origin_of("one\ntwo\n"))
        self.assertEqual(origin_of("x\ny"), ("f.py", 2))
        self.assertEqual(origin_of("y"), ("f.py", 3))
        self.assertIsNone(origin_of(""))


if __name__ == "__main__":
    unittest.main()
