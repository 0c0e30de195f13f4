"""Finds the frameworks that a candidate uses and that the emulated device cannot run, because they compile kernels for
a GPU themselves. They are found in the syntax tree, before anything runs, whether they are installed or not.

A framework counts if the entry point reaches code that names it. It does not count if the file only imports it, or if
only functions that the entry point does not reach use it. Such a file is graded like any other, with stand-ins for the
imported frameworks (stand_ins.py). So a wrong answer does not become `unsupported` by an import alone."""

import ast
import builtins
import collections
import re

from . import extension_sources

# {name in Python: name in messages}
FRAMEWORKS = {
    "cutlass": "CuTe DSL",
    "tilelang": "TileLang",
    "cuda.tile": "cuTile",
    "cuda.core": "CUDA Python",
    "cuda.bindings": "CUDA Python",
    "cuda.cuda": "CUDA Python",
    "cuda.cudart": "CUDA Python",
    "cuda.nvrtc": "CUDA Python",
    "numba.cuda": "Numba",
    "cupy": "CuPy",
    "cupyx": "CuPy",
    "warp": "Warp",
    "jax": "JAX",
    "jaxlib": "JAX",
    "helion": "Helion",
    "pycuda": "PyCUDA",
    "triton.experimental.gluon": "Gluon",
    "tvm": "TVM",
    "torch.cuda._compile_kernel": "torch.cuda._compile_kernel",
}

HIP_INCLUDE = re.compile(r"#\s*include\s*[<\"]hip/")
HIP_LAUNCH = re.compile(r"\bhipLaunchKernelGGL\s*\(")
CONDITION = re.compile(r"#\s*(if|endif)")


def framework_of(dotted):
    """The framework in FRAMEWORKS that a dotted name belongs to, or None."""
    parts = dotted.split(".")
    names = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((name for name in names if name in FRAMEWORKS), None)


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def own_names(function):
    """The parameters of a function and the names that it gives values to, except global ones."""
    found, shared = set(), set()
    for part in ast.walk(function):
        if isinstance(part, ast.arg):
            found.add(part.arg)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            shared.update(part.names)
    return frozenset(found - shared)


class Names:
    """The meaning of the names that a file's imports define: {name: dotted names}. `beside`: modules beside the file.
    If one of them has the name of a framework, the name means the module."""

    def __init__(self, tree, beside=()):
        self.meanings = {}
        self.imported = {}  # framework: line of the first import
        self.all_of = {}  # framework: line of the first `from FRAMEWORK import *`
        self.beside = beside
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.note(node, alias.asname or alias.name.split(".")[0],
                              alias.name if alias.asname else alias.name.split(".")[0], alias.name)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    dotted = node.module if alias.name == "*" else f"{node.module}.{alias.name}"
                    self.note(node, alias.asname or alias.name, dotted, dotted)
                    if alias.name == "*" and framework_of(dotted) in self.imported:
                        self.all_of[framework_of(dotted)] = node.lineno

    def note(self, node, name, dotted, imported):
        if dotted.split(".")[0] in self.beside:
            return
        self.meanings.setdefault(name, set()).add(dotted)
        framework = framework_of(imported)
        if framework is not None:
            self.imported.setdefault(framework, node.lineno)

    def dotted(self, node, hidden=frozenset()):
        """The dotted names that an expression may stand for. The expression is a name, an attribute, a getattr() or an
        import. `hidden`: names that have another meaning at this place."""
        if isinstance(node, ast.Name):
            return self.meanings.get(node.id, set()) if node.id not in hidden else set()
        if isinstance(node, ast.Attribute):
            return {f"{name}.{node.attr}" for name in self.dotted(node.value, hidden)}
        if not isinstance(node, ast.Call) or not node.args:
            return set()
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        literal = node.args[-1].value if isinstance(node.args[-1], ast.Constant) else None
        if called == "getattr" and len(node.args) > 1 and isinstance(getattr(node.args[1], "value", None), str):
            return {f"{name}.{node.args[1].value}" for name in self.dotted(node.args[0], hidden)}
        if called in ("import_module", "__import__") and isinstance(literal, str):
            return set() if literal.split(".")[0] in self.beside else {literal}
        return set()

    def uses(self, node):
        """{framework: line} of the frameworks that an expression or a statement uses."""
        found, waiting = {}, collections.deque([(node, frozenset())])
        while waiting:
            part, hidden = waiting.popleft()
            if isinstance(part, FUNCTIONS):
                hidden |= own_names(part)
            for dotted in self.dotted(part, hidden):
                framework = framework_of(dotted)
                if framework is not None:
                    found.setdefault(framework, part.lineno)
            waiting.extend((child, hidden) for child in ast.iter_child_nodes(part))
        return found


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def names_in(node):
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]


def simple_statements(body):
    """The definitions of a file, and its statements outside of definitions. Leaves out everything in
    `if __name__ == "__main__"`."""
    for node in body:
        if isinstance(node, ast.If) and "__name__" in names_in(node.test):
            continue
        parts = [part for name in ("body", "orelse", "finalbody", "handlers") for part in getattr(node, name, [])]
        if isinstance(node, DEFINITIONS) or not parts:
            yield node
        else:
            yield from simple_statements(parts)


def named_by(node):
    """The names to which a definition or an assignment gives a value."""
    if isinstance(node, DEFINITIONS):
        return [node.name]
    targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
    return [name for target in targets if target is not None for name in names_in(target)]


def reached_from(tree, entry, names):
    """The statements of the file that define the names which its entry point uses, directly or through other
    statements. Functions that a decorator or a call registers are reached too."""
    by_name, waiting, seen, walked, reached = {}, [entry], set(), set(), []
    for node in simple_statements(tree.body):
        for name in named_by(node):
            by_name.setdefault(name, []).append(node)
        if isinstance(node, DEFINITIONS) and any(not names.uses(each) for each in node.decorator_list):
            waiting.append(node.name)
        elif isinstance(node, ast.Expr):
            waiting += names_in(node)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in by_name.get(name, ()):
            if id(statement) not in walked:
                walked.add(id(statement))
                reached.append(statement)
                waiting += names_in(statement)
    return reached


def has_unknown_names(tree, statements):
    """Whether statements use a name that the file does not define, so that it comes from `import *`."""
    known = set(dir(builtins))
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            known.add(part.id)
        elif isinstance(part, ast.arg):
            known.add(part.arg)
        elif isinstance(part, ast.alias):
            known.add((part.asname or part.name).split(".")[0])
        elif isinstance(part, (*DEFINITIONS, ast.ExceptHandler)):
            known.add(part.name)
    return any(name not in known for statement in statements for name in names_in(statement))


def line_of_hip(text):
    """The number of the first line of C++, outside of all #if, that includes a header of HIP or launches a kernel by
    HIP's macro. 0 if there is none."""
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        condition = CONDITION.match(line.strip())
        depth += 0 if condition is None else 1 if condition[1] == "if" else -1
        if depth == 0 and (HIP_INCLUDE.match(line.strip()) or HIP_LAUNCH.search(line.partition("//")[0])):
            return number
    return 0


def builds_extension(node):
    return any(isinstance(part, ast.Call) and getattr(part.func, "attr", getattr(part.func, "id", "")) == "load_inline"
               for part in ast.walk(node))


class Findings:
    """The frameworks in a file that the emulated device lacks. `used`: those that the entry point needs, each as
    ("CuPy", line, file). `file` is the name of a file beside the candidate, or None for the candidate's own file.
    `unneeded`: frameworks that are imported and not needed."""

    def __init__(self, tree, entry, extensions, modules_beside):
        beside = {name.split("/")[0].removesuffix(".py") for name in modules_beside}
        names = Names(tree, beside)
        reached = reached_from(tree, entry, names)
        used = {}
        for statement in reached:
            for framework, line in names.uses(statement).items():
                used.setdefault(framework, line)
        if names.all_of and has_unknown_names(tree, reached):
            used.update(names.all_of)
        self.used = [(FRAMEWORKS[framework], line, None) for framework, line in used.items()]
        self.unneeded = sorted(set(names.imported) - set(used))
        if any(builds_extension(statement) for statement in reached):
            self.look_for_hip(extensions)
        for name, text in modules_beside.items():
            self.look_beside(name, text, beside)

    def look_for_hip(self, extensions):
        for unit in (unit for request in extensions for unit in request["units"]):
            line = line_of_hip(unit["text"])
            if line:
                self.used.append(("HIP", extension_sources.place_of(unit["text"], line)[1], None))

    def look_beside(self, name, text, beside):
        """Adds the frameworks of a file beside the candidate. The candidate names the file, so all code in the file
        counts as used."""
        try:
            tree = ast.parse(text)
            found = Names(tree, beside).uses(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        self.used += [(FRAMEWORKS[framework], line, name) for framework, line in found.items()]
