"""Finds a candidate's entry point in its syntax tree, and says what is wrong with its signature before anything runs.

The answer of examine() is {"status": "ok" | "compile_error" | "signature_mismatch" | "unsupported", "message", "line":
0 for none, "entry": {"name", "kind": "function" | "data" | "module", "arguments", "positional", "writes"; "may_return"
if it may either write its outputs or return them; "is_bare" for data that is one tensor and not a tuple}, "extensions":
requests of load_inline that the source shows literally, "stand_ins": modules that the device cannot run and that the
candidate imports without need}.
"""

import ast
import io
import re
import tokenize

from . import gpu_frameworks, popcorn

ENTRY_LINE = re.compile(r"^\s*#\s*kgrade:\s*entry\s+(\w+)\s*$", re.MULTILINE)
KGRADE_LINE = re.compile(r"#\s*kgrade:\s*(\w*)")
# Words that a line `# kgrade:` may use anywhere, and words that it may use only before the code
# (compile/declarations.cc).
KNOWN_ANYWHERE = ("entry", "state")
KNOWN_BEFORE_CODE = ("dtype", "precision")
DATA = "custom_kernel"
FUNCTIONS = ("solution", DATA, "run")
MODULE = "ModelNew"
# The entry point in files that define none of those above, such as many answers to KernelBench. In other files, `Model`
# is a copy of the problem's own module.
OTHER_MODULE = "Model"
# Functions that a problem's own module calls in place of its own, and the name of this module (sets/robust_kbench.py).
OF_MODULE = ("forward_fn", "backward_fn")
CALLING_MODULE = "ModelThatCalls"


class Refusal(Exception):
    """A verdict on the candidate, with its place in the source."""

    def __init__(self, status, message, line=0):
        super().__init__(message)
        self.status, self.message, self.line = status, message, line


def examine(source, contract):
    try:
        tree = parse(source)
        refuse_unknown_lines(source)
        entry = choose(definitions(tree), source, contract)
        extensions = extensions_of(tree, source, contract["shown_as"])
        stand_ins = [] if contract.get("runs_gpu_code", True) else refuse_frameworks(tree, entry, extensions, contract)
        return {"status": "ok", "message": "", "line": 0, "entry": entry, "extensions": extensions,
                "stand_ins": stand_ins}
    except Refusal as refusal:
        return {"status": refusal.status, "message": refusal.message, "line": refusal.line, "entry": None,
                "extensions": []}


def refuse_frameworks(tree, entry, extensions, contract):
    """Refuses frameworks that need a GPU. Returns those that are imported without need."""
    try:
        findings = gpu_frameworks.Findings(tree, entry["name"], extensions, contract.get("modules_beside", {}))
    except (RecursionError, MemoryError):
        return []
    for framework, line, file in findings.used:
        place = f"'{file}' needs it in line {line}; " if file else ""
        raise Refusal("unsupported", f"{framework} cannot run on the emulated device; {place}run it on a GPU: "
                      "--device cuda", 0 if file else line)
    return findings.unneeded


def parse(source):
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Refusal("compile_error", f"SyntaxError: {error.msg}", error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Refusal("compile_error", f"{type(error).__name__}: {str(error) or 'it nests too deeply'}") from None


def tokens_of(source):
    """The tokens of the source, up to the first one that cannot be read."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError):
        return


def refuse_unknown_lines(source):
    """Refuses a line `# kgrade:` with an unknown word, or with a known word in a place where such a line is ignored."""
    is_before_code = True
    for token in tokens_of(source) if KGRADE_LINE.search(source) else ():
        line = KGRADE_LINE.match(token.string) if token.type == tokenize.COMMENT else None
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
            is_before_code = False
        if line is None or token.line[: token.start[1]].strip() or line[1] in KNOWN_ANYWHERE:
            continue
        if line[1] not in KNOWN_BEFORE_CODE:
            raise Refusal("compile_error", "this line says nothing that is known; write `# kgrade: dtype float16`, "
                          "`# kgrade: precision tf32`, `# kgrade: entry NAME` or `# kgrade: state WEIGHT=NAME`",
                          token.start[0])
        if not is_before_code:
            raise Refusal("compile_error", f"`# kgrade: {line[1]}` counts only in the comments that the file begins "
                          "with; put the line before the code and its docstring", token.start[0])


def definitions(tree):
    """The file's top-level definitions, also below `if` and `try`: {name: node}, with the last node of each name."""
    found = {}

    def look(body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found[target.id] = node
            elif isinstance(node, ast.AnnAssign):
                if isinstance(node.target, ast.Name) and node.value is not None:
                    found[node.target.id] = node
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    found[alias.asname or alias.name] = node
            if isinstance(node, (ast.If, ast.Try, ast.With)):
                for part in ("body", "orelse", "finalbody"):
                    look(getattr(node, part, []))
                for handler in getattr(node, "handlers", []):
                    look(handler.body)

    look(tree.body)
    return found


def wanted_line(contract):
    """The definition that a candidate should write."""
    names = [parameter["name"] for parameter in contract["parameters"]]
    return f"def solution({', '.join(names)}):"


def wanted_module(contract):
    """The module that a candidate may define instead if a module states the problem; else empty."""
    module = contract.get("torch")
    if not module:
        return ""
    return f", or `class {MODULE}(torch.nn.Module):` with `{module['init_line']}` and `{module['forward_line']}`"


def choose(found, source, contract):
    names = [name for name in (*FUNCTIONS, MODULE) if name in found and not takes_nothing(found[name])]
    # A `run()` that does not fit the problem only tries the file out. Every other function is meant as an answer.
    if OTHER_MODULE in found and contract.get("torch") and not any(
            name != "run" or fits(name, found, source, contract) for name in names):
        names = [OTHER_MODULE]
    asked = ENTRY_LINE.findall(source)
    if asked:
        if asked[-1] not in found:
            raise Refusal("signature_mismatch", f"'# kgrade: entry {asked[-1]}' names nothing that the file defines")
        names = [asked[-1]]
    elif MODULE in names and not contract.get("torch"):
        names.remove(MODULE)
        if not names:
            raise Refusal("signature_mismatch",
                          f"'{MODULE}' is for problems that say how PyTorch's module is called (`torch:`), and this one "
                          f"does not; write: {wanted_line(contract)}", found[MODULE].lineno)
    function = (contract.get("torch") or {}).get("entry")
    if function not in found or takes_nothing(found[function]):
        function = None
    if function in OF_MODULE and names in ([], [OTHER_MODULE]):
        return {"name": CALLING_MODULE, "kind": "module", "arguments": [], "positional": 0, "writes": False}
    if not names and function:
        return {"name": function, "kind": "call", "arguments": [], "positional": 0, "writes": False}
    if not names:
        idle = [name for name in FUNCTIONS if name in found]
        if idle:
            raise Refusal("signature_mismatch", f"'{idle[0]}' takes nothing, so that it can compute nothing of the "
                          f"problem; write `{wanted_line(contract)}`{wanted_module(contract)}", found[idle[0]].lineno)
        raise Refusal("signature_mismatch", "the file defines none of 'solution', 'custom_kernel', 'run', "
                      f"'ModelNew' and 'Model'; write `{wanted_line(contract)}`{wanted_module(contract)}")
    if len(names) > 1:
        names = fitting(names, found, source, contract)
    if len(names) > 1:
        raise Refusal("signature_mismatch", "the file defines " + " and ".join(f"'{name}'" for name in names) +
                      f"; add the line: # kgrade: entry {names[-1]}", found[names[-1]].lineno)
    return entry_of(names[0], found[names[0]], source, contract)


def fitting(names, found, source, contract):
    """Chooses the entry point that fits the problem, for example a module beside a `run()` that tries the module out.
    Returns all names if the choice is not clear."""
    fit = [name for name in names if fits(name, found, source, contract)]
    return fit if len(fit) == 1 else names


def fits(name, found, source, contract):
    try:
        # A function without parameters cannot solve the problem.
        entry = entry_of(name, found[name], source, contract)
        return entry["kind"] != "function" or bool(entry["arguments"])
    except Refusal:
        return False


def function_of(node):
    """The function or lambda whose parameters can be read, or None."""
    function = getattr(node, "value", node)
    return function if isinstance(function, (ast.FunctionDef, ast.Lambda)) else None


def takes_nothing(node):
    """Whether `node` is a function without parameters, such as a `run()` that tries the file out."""
    function = function_of(node)
    return function is not None and not (all_arguments(function) or function.args.vararg or function.args.kwarg)


def needed_arguments(function):
    """The least number of arguments of a call."""
    positional = len(function.args.posonlyargs) + len(function.args.args) - len(function.args.defaults)
    return positional + sum(value is None for value in function.args.kw_defaults)


def is_called_with_data(name, node):
    """Whether the entry is called with one tuple. This applies to every `custom_kernel` that needs at most one
    argument."""
    function = function_of(node)
    return name == DATA and (function is None or needed_arguments(function) <= 1)


def data_entry(name, source, contract):
    inputs, outputs = names_of(contract, ("input",)), names_of(contract, ("output",))
    entry = {"name": name, "kind": "data", "arguments": names_of(contract, ("input", "scalar")), "positional": 0,
             "writes": False}
    module = contract.get("torch") or {}
    forward = module.get("forward", [])
    is_nested = len(forward) == 1 and isinstance(forward[0], dict) and "value" not in forward[0]
    if is_nested or module.get("entry") == name:  # the problem's own form of `data`
        return {**entry, "arguments": [], "is_nested": True}
    form = popcorn.form_of_data(source, len(inputs), len(outputs), len(entry["arguments"]))
    if form == popcorn.WITH_OUTPUTS:
        return {**entry, "arguments": inputs + outputs, "writes": True, "may_return": True}
    if form in (popcorn.INPUTS, popcorn.BARE):
        return {**entry, "arguments": inputs, "is_bare": form == popcorn.BARE}
    return entry


def entry_of(name, node, source, contract):
    if isinstance(node, ast.ClassDef) or name in (MODULE, OTHER_MODULE):
        if not contract.get("torch"):
            raise Refusal("signature_mismatch", f"'{name}' is a class, and the problem has no `torch:` section; write: "
                          f"{wanted_line(contract)}", node.lineno)
        return {"name": name, "kind": "module", "arguments": [], "positional": 0, "writes": False}
    if isinstance(node, ast.AsyncFunctionDef):
        raise Refusal("signature_mismatch", f"'{name}' is async; write: {wanted_line(contract)}", node.lineno)
    if is_called_with_data(name, node):
        return data_entry(name, source, contract)
    function = getattr(node, "value", None)
    known = [parameter["name"] for parameter in contract["parameters"]]
    if isinstance(function, ast.Lambda) and all(each.arg in known for each in all_arguments(function)):
        return function_entry(name, function, contract)
    if not isinstance(node, ast.FunctionDef):  # assigned or imported: called by position
        return in_order(name, contract)
    return function_entry(name, node, contract)


def names_of(contract, roles):
    return [parameter["name"] for parameter in contract["parameters"] if parameter["role"] in roles]


def in_order(name, contract):
    names = [parameter["name"] for parameter in contract["parameters"]]
    return {"name": name, "kind": "function", "arguments": names, "positional": len(names), "writes": True,
            "may_return": True}


def all_arguments(node):
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def function_entry(name, node, contract):
    known = [parameter["name"] for parameter in contract["parameters"]]
    positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if node.args.vararg is not None and not positional:
        return in_order(name, contract)
    keyword = [argument.arg for argument in node.args.kwonlyargs]
    optional = set(positional[len(positional) - len(node.args.defaults):]) if node.args.defaults else set()
    optional |= {argument for argument, value in zip(keyword, node.args.kw_defaults) if value is not None}
    given_positional, given_keyword = [], []
    stopped = False
    for argument in positional:
        if argument in known and not stopped:
            given_positional.append(argument)
        elif argument in known:
            given_keyword.append(argument)
        elif argument in optional:
            stopped = True
        else:
            raise unknown(name, node, argument, contract)
    for argument in keyword:
        if argument in known:
            given_keyword.append(argument)
        elif argument not in optional:
            raise unknown(name, node, argument, contract)
    if node.args.kwarg is not None:
        # Outputs are passed only to functions that name them.
        rest = names_of(contract, ("input", "scalar"))
        given_keyword += [other for other in rest if other not in given_positional + given_keyword]
    given = given_positional + given_keyword
    outputs = names_of(contract, ("output",))
    written = [output for output in outputs if output in given]
    if written and len(written) < len(outputs):
        missing = next(output for output in outputs if output not in given)
        raise Refusal("signature_mismatch", f"'{name}' takes the output '{written[0]}' and not '{missing}'; take all "
                      f"outputs, or none and return them; write: {wanted_line(contract)}", node.lineno)
    return {"name": name, "kind": "function", "arguments": given, "positional": len(given_positional),
            "writes": bool(written)}


def unknown(name, node, argument, contract):
    takes = ", ".join(argument.arg for argument in all_arguments(node))
    has = ", ".join(parameter["name"] for parameter in contract["parameters"])
    return Refusal("signature_mismatch", f"'{name}' takes '{argument}', which the problem does not have. It takes: "
                   f"{takes}. The problem has: {has}. Write: {wanted_line(contract)}", node.lineno)


def extensions_of(tree, source, shown):
    """Requests of `load_inline` calls whose arguments are literals, so that they can be built early. Other extensions
    are built when the candidate asks for them."""
    try:
        from .literal_extensions import requests_in
    except ImportError:
        return []
    try:
        return requests_in(tree, source, shown)
    except Exception:  # pylint: disable=broad-except
        return []
