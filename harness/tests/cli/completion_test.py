"""completion_test.py SHELL KGRADE SHARE: checks what SHELL (bash, zsh or fish) offers for unfinished lines, with the scripts
in SHARE, a `share` folder like that of an installation. Exit code 77 if the shell is not installed."""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SHELL = sys.argv[1]
KGRADE = Path(sys.argv[2]).resolve()
SHARE = Path(sys.argv[3]).resolve()
SCRIPT = {"bash": SHARE / "bash-completion/completions/kgrade", "zsh": SHARE / "zsh/site-functions/_kgrade",
          "fish": SHARE / "fish/vendor_completions.d/kgrade.fish"}
SKIPPED = 77

# Calls the function that the script has registered, like readline: words are split at blanks and at =.
BASH = r"""
source "$1"
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 != *[\ =] ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_kgrade
printf '%s\n' "${COMPREPLY[@]}"
"""

# Records everything that is offered, and a line when the next key is handled.
ZSH = r"""
PS1= ; unsetopt beep; setopt no_always_last_prompt
zstyle ':completion:*' use-cache no; zstyle ':completion:*' list-prompt ''
LISTMAX=10000
fpath=(%(folder)s $fpath)
autoload -U compinit && compinit -u -D
compadd() {
  local -a offered
  [[ ${@[(I)-[OAD]]} -gt 0 ]] || { builtin compadd -O offered "$@"; print -rl -- $offered >>%(out)s }
  builtin compadd "$@"
}
finished() { print done >>%(out)s }
zle -N finished; bindkey '^X' finished
print ready >>%(out)s
"""


def ask_bash(line, folder):
    return subprocess.run(["bash", "--norc", "-c", BASH, "bash", SCRIPT["bash"], line], cwd=folder, check=True,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.splitlines()


def ask_fish(line, folder):
    answer = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(SCRIPT["fish"]),
                             line], cwd=folder, check=True, capture_output=True, text=True,
                            stdin=subprocess.DEVNULL).stdout
    return [offer.split("\t")[0] for offer in answer.splitlines()]


def ask_zsh(line, folder):
    """An interactive shell on a terminal, without which it completes nothing."""
    with tempfile.TemporaryDirectory() as work:
        out, start = Path(work) / "out", Path(work) / "start"
        start.write_text(ZSH % {"folder": SCRIPT["zsh"].parent, "out": out})
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=work)
            os.execvp("zsh", ["zsh", "-f", "-i"])
        try:
            os.write(terminal, f"source {start}\n".encode())
            wait_for(out, "ready")
            os.write(terminal, f"{line}\t\x18".encode())
            wait_for(out, "done")
            lines = out.read_text().splitlines()
        finally:
            os.kill(process, 9)
            os.waitpid(process, 0)
            os.close(terminal)
    return [offer for offer in lines if offer and offer not in ("ready", "done")]


def wait_for(file, word):
    end = time.monotonic() + 60
    while not (file.exists() and word in file.read_text().splitlines()):
        if time.monotonic() > end:
            raise AssertionError(f"zsh has not said '{word}'; it has said: {file.read_text() if file.exists() else ''}")
        time.sleep(0.02)


class CompletionTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "mine.cu").touch()
        (self.folder / "drafts").mkdir()
        os.environ["PATH"] = f"{KGRADE.parent}:{os.environ['PATH']}"

    def offers(self, line):
        ask = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}[SHELL]
        return {offer.removesuffix("/").rpartition("=")[2] for offer in ask(line, self.folder)}

    def test_commands(self):
        self.assertEqual(self.offers("kgrade gr"), {"grade"})
        self.assertLessEqual({"grade", "lint", "doctor", "completion", "help"}, self.offers("kgrade "))

    def test_options(self):
        self.assertIn("--device", self.offers("kgrade grade --dev"))
        self.assertNotIn("--quick", self.offers("kgrade check --qu"))

    def test_values_of_options(self):
        self.assertEqual(self.offers("kgrade grade --device "), {"auto", "cuda", "emulated"})
        self.assertEqual(self.offers("kgrade grade --device=em"), {"emulated"})
        self.assertEqual(self.offers("kgrade new --difficulty M"), {"MEDIUM"})
        self.assertEqual(self.offers("kgrade grade --json m"), {"mine.cu"})

    def test_folders(self):
        self.assertEqual(self.offers("kgrade list --problems d"), {"drafts"})
        self.assertNotIn("mine.cu", self.offers("kgrade list --problems m"))

    def test_problems(self):
        slugs = subprocess.run([KGRADE, "list", "--names"], capture_output=True, text=True, check=True).stdout.split()
        self.assertGreater(len(slugs), 10)
        expected = {slug for slug in slugs if slug.startswith("conv-transpose-1")}
        self.assertEqual(self.offers("kgrade grade conv-transpose-1"), expected)
        # Earlier words do not change the position: a flag, an option with its value.
        self.assertEqual(self.offers("kgrade grade --quick --device emulated conv-transpose-1"), expected)

    def test_problems_of_another_folder(self):
        text = ("---\nslug: sum-of-mine\ntitle: Sum\ndifficulty: EASY\nparameters:\n"
                "  - {name: out, type: float, pointer: true, const: false}\n---\n")
        (self.folder / "drafts" / "sum-of-mine.md").write_text(text)
        self.assertEqual(self.offers("kgrade show --problems drafts sum-of"), {"sum-of-mine"})

    def test_cases_of_the_problem(self):
        self.assertIn("tiny", self.offers("kgrade grade vector-addition mine.cu --case "))
        self.assertEqual(self.offers("kgrade check --device emulated vector-addition --case=ti"), {"tiny"})
        # A folder may have problems of its own. Without a problem, there is nothing to offer.
        text = ("---\nslug: sum-of-mine\ntitle: Sum\ndifficulty: EASY\nparameters:\n"
                "  - {name: out, type: float, pointer: true, const: false, shape: [n]}\n"
                "  - {name: n, type: size_t, pointer: false}\n"
                "cases:\n  - {name: of-mine, role: test, n: 1}\n---\n")
        (self.folder / "drafts" / "sum-of-mine.md").write_text(text)
        self.assertEqual(self.offers("kgrade grade --problems drafts sum-of-mine mine.cu --case "), {"of-mine"})
        self.assertEqual(self.offers("kgrade grade --case t") - {""}, set())

    def test_families(self):
        self.assertEqual(self.offers("kgrade list --family conv-tr"),
                         {"conv-transpose-1d", "conv-transpose-2d", "conv-transpose-3d"})

    def test_files_for_candidates(self):
        self.assertEqual(self.offers("kgrade grade conv-standard-1d m"), {"mine.cu"})
        self.assertEqual(self.offers("kgrade grade conv-standard-1d other.cu --seed 1 m"), {"mine.cu"})

    def test_a_file_for_a_problem(self):
        self.assertEqual(self.offers("kgrade show mine"), {"mine.cu"})


if __name__ == "__main__":
    if shutil.which(SHELL) is None:
        print(f"skipped: {SHELL} is not installed; tools/setup.sh --all-tests installs it")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
