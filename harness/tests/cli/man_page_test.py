"""man_page_test.py KGRADE PAGE: checks that the man page says what --help says, and that formatters accept it.
Exit code 77 if neither mandoc nor groff is installed."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

KGRADE, PAGE = sys.argv[1:3]
ROOT = Path(__file__).resolve().parents[3]
SKIPPED = 77


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def plain(roff):
    """The words of the page, without requests and escapes."""
    text = re.sub(r"^\.(TP|PP)$|^\.(SS|SH|TH) ", "", roff, flags=re.MULTILINE)
    return " ".join(re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\").split())


class ManPageTest(unittest.TestCase):
    def setUp(self):
        self.roff = Path(PAGE).read_text()

    def test_it_is_what_the_program_prints(self):
        self.assertEqual(self.roff, output_of(KGRADE, "man"))

    def pages(self):
        """Those of all commands, and of kgrade itself."""
        return sorted(str(page) for page in Path(PAGE).parent.glob("kgrade*.1"))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_warning(self):
        outcome = subprocess.run(["mandoc", "-T", "lint", "-W", "style", *self.pages()], capture_output=True, text=True,
                                 check=False)
        self.assertEqual((outcome.returncode, outcome.stdout), (0, ""))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_warning(self):
        outcome = subprocess.run(["groff", "-man", "-ww", "-z", *self.pages()], capture_output=True, text=True, check=False)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))

    def test_every_command_and_option_of_the_help_is_in_it(self):
        page = plain(self.roff)
        commands = re.findall(r"^  ([a-z]+) ", output_of(KGRADE, "--help").partition("Subcommands:")[2], re.MULTILINE)
        self.assertIn("grade", commands)
        for command in commands:
            text = output_of(KGRADE, command, "--help")
            self.assertIn(f"kgrade {command} [options]", page)
            self.assertIn(text.splitlines()[0] + ".", page)
            own = Path(PAGE).with_name(f"kgrade-{command}.1").read_text()
            self.assertEqual(own, output_of(KGRADE, "man", command))
            self.assertIn("EXIT STATUS" if "Exit codes: 0 all accepted" in text else "Exit codes", own)
            for option in set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE)):
                self.assertIn(option, page)
                if option not in ("--help", "--version"):
                    self.assertIn(option, plain(own))

    def test_exit_codes_are_those_of_the_help(self):
        line = re.search(r"Exit codes: (.*)\.", output_of(KGRADE, "grade", "--help")).group(1)
        status = plain(self.roff.partition(".SH EXIT STATUS")[2].partition(".SH ")[0])
        self.assertEqual(status, line.replace(",", ""))

    def test_variables_that_the_program_reads_are_in_it(self):
        said = plain(self.roff.partition(".SH ENVIRONMENT")[2])
        read = set()
        for file in (ROOT / "harness").rglob("*.cc"):
            if "tests" not in file.relative_to(ROOT).parts:
                read |= set(re.findall(r'getenv\("([A-Z_]+)"\)', file.read_text(encoding="utf-8")))
        # Variables that every program reads, and variables that are passed on to other programs.
        for name in read - {"PATH", "TERM", "LD_LIBRARY_PATH"}:
            self.assertIn(name, said)

    def test_the_help_command_prints_what_the_option_prints(self):
        self.assertEqual(output_of(KGRADE, "help"), output_of(KGRADE, "--help"))
        self.assertEqual(output_of(KGRADE, "help", "grade"), output_of(KGRADE, "grade", "--help"))
        for command in ("help", "man"):
            unknown = subprocess.run([KGRADE, command, "grad"], capture_output=True, text=True, check=False)
            self.assertEqual(unknown.returncode, 2)
            self.assertIn("did you mean 'kgrade grade'?", unknown.stderr)


if __name__ == "__main__":
    if not shutil.which("mandoc") and not shutil.which("groff"):
        print("skipped: neither mandoc nor groff is installed; tools/setup.sh --tests installs mandoc")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
