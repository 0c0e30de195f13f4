"""install_test.py BUILD SOURCE: installs the build into a folder, moves the folder, and uses it from an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, SOURCE = (Path(path).resolve() for path in sys.argv[1:3])
# The developer's Python may be in the checkout.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "KGRADE_PYTHON"}
SLUG = "conv-depthwise-2d-square-input-asym-kernel"


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp())
        first = cls.work / "first"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
        cls.prefix = cls.work / "moved to" / "kgrade"
        cls.prefix.parent.mkdir()
        first.rename(cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir=self.work))

    def kgrade(self, *arguments):
        return subprocess.run([self.prefix / "bin/kgrade", *arguments], cwd=self.folder, env=ENVIRONMENT,
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    def test_doctor_finds_its_parts_in_the_prefix(self):
        outcome = self.kgrade("doctor")
        self.assertIn(f" in {self.prefix}/share/kgrade/problems", outcome.stdout)
        self.assertNotIn(str(SOURCE), outcome.stdout)
        self.assertNotIn(str(BUILD), outcome.stdout)

    def test_documents_that_the_help_names_are_where_doctor_says(self):
        folder = Path(re.search(r"^has +documents +(/.*)$", self.kgrade("doctor").stdout, re.MULTILINE).group(1))
        self.assertTrue(folder.is_relative_to(self.prefix))
        commands = re.findall(r"^  ([a-z]+) ", self.kgrade("--help").stdout.partition("Subcommands:")[2], re.MULTILINE)
        named = {name for command in commands for name in re.findall(r"docs/(\S+\.md)", self.kgrade(command, "--help").stdout)}
        self.assertIn("service.md", named)
        for name in named:
            self.assertTrue((folder / name).is_file(), name)

    def test_a_kernel_is_graded(self):
        shutil.copy(self.prefix / "share/kgrade/solutions" / SLUG / "naive.cu", self.folder / "mine.cu")
        outcome = self.kgrade("grade", SLUG, "mine.cu", "--device", "emulated", "--case", "tiny", "--json", "mine.json")
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        record = (self.folder / "mine.json").read_text()
        self.assertIn("accepted", record)
        self.assertNotIn(str(SOURCE), record)
        schema = json.loads((self.prefix / "share/kgrade/schema/record.schema.json").read_text())
        self.assertEqual(schema["properties"]["schema_version"], {"const": json.loads(record)["schema_version"]})

    def test_it_does_without_the_checkout(self):
        """Without any access to the checkout and the build. Needs mount namespaces."""
        hide = f'mount -t tmpfs none "{SOURCE}" && exec "$0" "$@"'
        enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        if subprocess.run([*enter, f'mount -t tmpfs none "{SOURCE}"'], capture_output=True, check=False).returncode:
            self.skipTest("no mount namespaces here")
        shutil.copy(self.prefix / "share/kgrade/solutions" / SLUG / "naive.cu", self.folder / "mine.cu")
        outcome = subprocess.run([*enter, hide, self.prefix / "bin/kgrade", "grade", SLUG, "mine.cu", "--device", "emulated",
                                  "--case", "tiny"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.assertTrue(outcome.stdout.splitlines()[1].startswith("accepted"), outcome.stdout)

    def test_new_problems_are_written_into_the_working_folder(self):
        before = sorted(self.prefix.rglob("*"))
        (self.folder / "problems").mkdir()
        (self.folder / "reference").mkdir()
        outcome = self.kgrade("new", "twice", "--input", "x:n", "--output", "y:n")
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.assertTrue((self.folder / "problems/twice.md").is_file())
        self.assertEqual(sorted(self.prefix.rglob("*")), before)
        shown = self.kgrade("show", "problems/twice.md")
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)

    def test_the_manual_is_where_it_is_looked_for(self):
        # Minimised images have a `man` that only says that man pages are missing.
        if shutil.which("man") and "minimized" not in subprocess.run(["man", "--version"], capture_output=True, text=True,
                                                                     check=False).stdout:
            # `man` looks beside the folders in PATH.
            environment = {**os.environ, "MANPAGER": "cat", "MAN_KEEP_FORMATTING": "",
                           "PATH": f"{self.prefix}/bin:{os.environ['PATH']}"}
            for page, word in (("kgrade", "EXIT STATUS"), ("kgrade-grade", "--hidden-seed")):
                shown = subprocess.run(["man", page], capture_output=True, text=True, check=True,
                                       env={k: v for k, v in environment.items() if k != "MANPATH"}).stdout
                self.assertIn(word, shown.replace("\N{HYPHEN}", "-").replace("\N{MINUS SIGN}", "-"))
        pages = {file.name for file in (self.prefix / "share/man/man1").iterdir() if file.stat().st_size > 500}
        self.assertLessEqual({"kgrade.1", "kgrade-grade.1", "kgrade-serve.1"}, pages)
        for file in ("bash-completion/completions/kgrade", "zsh/site-functions/_kgrade",
                     "fish/vendor_completions.d/kgrade.fish"):
            self.assertIn("complete -- ", (self.prefix / "share" / file).read_text())
        self.assertIn("Apache License", (self.prefix / "share/doc/kgrade/LICENSE").read_text())

    def test_every_schema_is_there(self):
        def schemas(folder):
            return {file.name: file.read_text() for file in folder.glob("*.schema.json")}

        self.assertEqual(schemas(self.prefix / "share/kgrade/schema"), schemas(SOURCE / "results"))
        self.assertIn("compare.schema.json", schemas(self.prefix / "share/kgrade/schema"))

    def test_every_schema_says_its_version(self):
        """In its title, as its member `schema_version` does, and nowhere else. It names no schema that is not there."""
        folder = self.prefix / "share/kgrade/schema"
        for file in folder.glob("*.schema.json"):
            with self.subTest(file.name):
                schema = json.loads(file.read_text())
                version = schema["properties"]["schema_version"]
                self.assertIn("schema_version", schema["required"])
                self.assertRegex(schema["title"], f", version {version['const'] if 'const' in version else max(version['enum'])}$")
                self.assertEqual(len(re.findall(r", version \d", file.read_text())), 1)
                for name in re.findall(r"[\w.]+\.schema\.json", file.read_text()):
                    self.assertTrue((folder / name).is_file(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
