"""A problem that is a Python file in KernelBench's form: `Model`, `get_inputs` and `get_init_inputs`. The file is
hostile: any error in it becomes one line with its place.

A file with several cases has a list `CASES` of dictionaries, one for each case. Its get_inputs() and get_init_inputs()
take such a dictionary. "name" is the case's name and "role" is "bench" or "test"; "scalars": numbers by name that a
candidate in CUDA gets as arguments. INPUT_NAMES and OUTPUT_NAMES name the tensors of inputs and outputs. Files of public
problem sets are brought into this form (sets/)."""

import copy
import importlib.util
import inspect
import os
import re
import signal
import sys

import torch

from . import backward, errors, popcorn
from .run_budget import Overrun

NEEDED = {
    "Model": "class Model(torch.nn.Module):",
    "get_inputs": "def get_inputs(): return [torch.rand(16, 64)]",
    "get_init_inputs": "def get_init_inputs(): return []",
}


LONGEST_TITLE = 200
MOST_CASES = 200
CASE_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class FileError(Exception):
    """An error in the file, in one line with a remedy, and its line. `line` is 0 if unknown."""

    def __init__(self, message, line=0):
        super().__init__(message)
        self.message, self.line = errors.printable(message), line


class Late(BaseException):
    """Ends a file that has run for too long. The file's `except Exception` does not catch it."""


def end_after(seconds):
    """Ends the file's code after this time. The time begins anew each time that the file is tried in another way."""
    def end(_number, _frame):
        raise Late(f"is not done after {seconds:g} s")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)


class ModuleFile:
    """The loaded file. Three attributes are its definitions of `Model`, `get_inputs` and `get_init_inputs`."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.namespace = self.call("the file", self.load)
        for name, remedy in NEEDED.items():
            if not callable(getattr(self.namespace, name, None)):
                wants = self.words_of_constructor() if name == "get_init_inputs" else ""
                raise FileError(f"the file defines no '{name}'; add: {wants or remedy}")
        self.model_class = self.namespace.Model
        self.get_inputs = self.namespace.get_inputs
        self.get_init_inputs = self.namespace.get_init_inputs
        self.cases = self.read_cases()
        if not (isinstance(self.model_class, type) and issubclass(self.model_class, torch.nn.Module)):
            raise FileError(f"'Model' is no module; write: {NEEDED['Model']}", self.line_of(self.model_class))

    def load(self):
        stem = "".join(c if c.isalnum() else "_" for c in os.path.basename(self.path).rsplit(".", 1)[0])
        name = f"problem_{stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None:
            raise FileError("the file is no Python file; name it with .py at the end")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            # get_code() is not used: it takes the bytecode of an earlier text if that had the same size and was written
            # in the same second.
            text = spec.loader.get_data(self.path)
            popcorn.install(text.decode("utf-8", "replace"))
            code = spec.loader.source_to_code(text, self.path)
        except ValueError as error:  # Python before 3.11.4 raises it for null bytes.
            raise FileError(f"SyntaxError: {error}") from error
        exec(code, vars(module))  # pylint: disable=exec-used
        backward.define_if_asked(vars(module))
        return module

    def read_cases(self):
        """The dictionaries of `CASES`; [] for a file that has one case."""
        cases = getattr(self.namespace, "CASES", [])
        if not isinstance(cases, (list, tuple)) or not all(isinstance(each, dict) for each in cases):
            raise FileError('CASES is no list of cases; write: CASES = [{"name": "small", "role": "test"}, ...]')
        if len(cases) > MOST_CASES:
            raise FileError(f"CASES has {len(cases)} cases; keep at most {MOST_CASES}")
        names = set()
        for each in cases:
            name, role = each.get("name"), each.get("role", "bench")
            if not isinstance(name, str) or not CASE_NAME.fullmatch(name) or len(name) > 100 or name in names:
                raise FileError(f"a case of CASES has the name {name!r}; give each a name of its own, of small letters, "
                                "digits and single dashes")
            if role not in ("bench", "test"):
                raise FileError(f"the case '{name}' has the role {role!r}; write 'bench' or 'test'")
            names.add(name)
        return list(cases)

    def of_case(self, case):
        """This file with the inputs and arguments of one of its cases."""
        one = copy.copy(self)
        one.get_inputs = lambda: self.namespace.get_inputs(case)
        one.get_init_inputs = lambda: self.namespace.get_init_inputs(case)
        return one

    def words_of_constructor(self):
        """A remedy: write "def get_init_inputs(): return [size, eps]", since Model.__init__ takes these. '' if it takes
        nothing."""
        try:
            parameters = list(inspect.signature(self.namespace.Model.__init__).parameters.values())[1:]
        except (TypeError, ValueError, AttributeError):
            return ""
        if not parameters or self.namespace.Model.__init__ is torch.nn.Module.__init__:
            return ""
        needed = [each.name for each in parameters if each.default is each.empty
                  and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        takes = inspect.Signature(parameters)
        return f"def get_init_inputs(): return [{', '.join(needed)}], with values for what Model.__init__ takes {takes}"

    def call(self, what, function, *arguments, **keywords):
        """Calls a function of the file. Any exception becomes a FileError that names `what`."""
        try:
            return function(*arguments, **keywords)
        except (FileError, Overrun):
            raise
        except BaseException as error:  # pylint: disable=broad-except
            raise self.error_of(what, error) from error

    def error_of(self, what, error):
        line = self.line_in(error)
        if isinstance(error, SyntaxError):
            in_file = isinstance(error.filename, str) and os.path.abspath(error.filename) == self.path
            return FileError(f"SyntaxError: {error.msg}", (error.lineno or 0) if in_file else line)
        if isinstance(error, SystemExit):
            return FileError(f"{what} ends the program; remove the call of exit", line)
        if isinstance(error, Late):
            return FileError(f"{what} {error}; it must return sooner", line)
        if isinstance(error, ModuleNotFoundError) and error.name:
            version = ".".join(str(part) for part in sys.version_info[:3])
            return FileError(f"needs the package '{error.name}', which Python {version} here does not have; install it",
                             line)
        return FileError(f"{what} raised {errors.in_one_line(error, {}).rstrip('.')}; correct it", line)

    def line_in(self, error):
        """The line of the innermost frame that lies in the file, or 0."""
        trace, line = error.__traceback__, 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.path:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def line_of(self, definition):
        """The line where a function or method of the file begins, or 0."""
        code = getattr(getattr(definition, "__func__", definition), "__code__", None)
        return code.co_firstlineno if code is not None and code.co_filename == self.path else 0

    def title(self):
        """The first line of Model's docstring, or of the file's, or ''."""
        for owner in (self.model_class, self.namespace):
            text = vars(owner).get("__doc__")
            if isinstance(text, str) and text.strip():
                return errors.printable(text.strip().splitlines()[0], LONGEST_TITLE)
        return ""
