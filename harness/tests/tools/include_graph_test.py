#!/usr/bin/env python3
"""tools/include_graph.py on small trees: what it accepts, and that it finds each fault."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "tools" / "include_graph.py"
TREE = {
    "CMakeLists.txt": "set(core base device cli)\nset(guests device/emulated sweep cli/guests)\n",
    "base/text.h": "#pragma once\n",
    "device/registry.cc": '#include "base/text.h"\nbool has_emulated();\n',
    "device/cuda/cuda.cc": '#include "base/text.h"\n',
    "device/emulated/emulated.cc": '#include "device/emulated/emulated.h"\n',
    "device/emulated/emulated.h": '#include "base/text.h"\n',
    "sweep/sweep.h": '#include "base/text.h"\n',
    "cli/grade.cc": '#include "base/text.h"\nconst char* remedy = "add --device emulated";\n',
    "cli/guests/sweep.cc": '#include "sweep/sweep.h"\n#include "base/text.h"\nCommand add_sweep(CLI::App& app) {}\n',
    "tests/base/text_test.cc": '#include "sweep/sweep.h"\n',
}


def outcome(**changed):
    """The exit code and standard error for the tree with these files changed: `base__text_h` is base/text.h."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TREE.items():
            key = name.replace("/", "__").replace(".", "_")
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(changed.pop(key, text))
        assert not changed
        run = subprocess.run([sys.executable, SCRIPT, "--harness", folder], capture_output=True, text=True)
        return run.returncode, run.stderr.strip()


class IncludeGraph(unittest.TestCase):
    def test_accepts_guests_that_use_the_core(self):
        self.assertEqual(outcome(), (0, ""))

    def test_finds_an_include_from_below(self):
        code, said = outcome(base__text_h='#include "cli/grade.h"\n#include "sweep/sweep.h"\n')
        self.assertEqual(code, 1)
        self.assertIn("harness/base/text.h: includes sweep/sweep.h, which is below base/", said)

    def test_finds_a_guest_in_a_folder_of_the_core(self):
        code, said = outcome(device__cuda__cuda_cc='#include "device/emulated/emulated.h"\n')
        self.assertEqual(code, 1)
        self.assertEqual(said, "harness/device/cuda/cuda.cc: includes device/emulated/emulated.h, which is below device/")

    def test_finds_names_of_guests_in_comments_and_code(self):
        for line in ("// As sweep/sweep.h has it.", "// `kgrade sweep` calls it.", "int emulated_limit = 2;"):
            code, said = outcome(cli__grade_cc="\n" + line + "\n")
            self.assertEqual(code, 1, line)
            self.assertIn("harness/cli/grade.cc:2: the core names a guest", said)

    def test_finds_a_cycle(self):
        code, said = outcome(base__text_h='#include "base/text.h"\n')
        self.assertEqual((code, said), (1, "a cycle: base/text.h -> base/text.h"))

    def test_finds_a_core_that_is_too_large(self):
        self.assertEqual(outcome(base__text_h="\n" * 54_990)[0], 0)
        code, said = outcome(base__text_h="\n" * 55_001)
        self.assertEqual(code, 1)
        self.assertIn("lines, more than 55000", said)


if __name__ == "__main__":
    unittest.main()
