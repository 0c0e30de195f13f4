"""Extends Triton's interpreter to code that kernels may use on a GPU and that the interpreter does not understand."""

import ast
import builtins
import contextlib
import importlib
import inspect

LANGUAGE_MODULES = ("triton.language.extra.cuda", "triton.language.extra.cuda.libdevice")


def patch_names(interpreter):
    """Replaces the language's functions permanently. The interpreter replaces them in their modules only while a kernel
    runs. That is too late for a kernel that has imported them by name."""
    language = interpreter.tl

    def kernel():
        pass

    kernel = type(kernel)(kernel.__code__, {"language": language, "core": language.core})
    interpreter._patch_lang(kernel)  # pylint: disable=protected-access
    scope = getattr(interpreter, "_LangPatchScope", None)
    rest = (interpreter.interpreter_builder,) + ((scope(),) if scope is not None else ())
    for module in modules_for_gpus(language):
        interpreter._patch_builtin(module, *rest)  # pylint: disable=protected-access


def modules_for_gpus(language):
    for name in LANGUAGE_MODULES:
        with contextlib.suppress(ImportError):
            yield importlib.import_module(name)
    # Triton executes this package twice, so the module in the language is not the module that an import finds.
    shown = getattr(getattr(language, "extra", None), "cuda", None)
    if shown is not None:
        yield shown


def fill_libdevice():
    """Fills Triton's module `libdevice`, whose own functions are empty, with the functions for GPUs, as a compiler
    does."""
    try:
        libdevice = importlib.import_module("triton.language.extra.libdevice")
        of_gpu = importlib.import_module("triton.language.extra.cuda.libdevice")
    except ImportError:
        return
    for name in vars(libdevice):
        if not name.startswith("_") and hasattr(of_gpu, name):
            setattr(libdevice, name, getattr(of_gpu, name))


def keep_enclosing_names(interpreter):
    """Lets a kernel that is defined inside of a function see that function's names. The interpreter compiles the kernel
    without these names. It also turns annotations into text, and recognises only `tl.constexpr` as one of a
    constant."""
    rewriter = getattr(interpreter, "FunctionRewriter", None)
    compile_alone = getattr(rewriter, "_compile_and_exec", None)
    if compile_alone is None:
        return

    def compile_with_names(self, tree):
        names = self.fn.__code__.co_freevars
        if names:
            made = tree.body[0].name
            around = ast.parse(f"def {made}({', '.join(names)}):\n  return {made}")
            around.body[0].body.insert(0, tree.body[0])
            make = compile_alone(self, ast.fix_missing_locations(around))
            function = make(*[cell.cell_contents for cell in self.fn.__closure__])
        else:
            function = compile_alone(self, tree)
        function.__annotations__ = self.fn.__annotations__
        return function

    rewriter._compile_and_exec = compile_with_names  # pylint: disable=protected-access


def understand_logic(interpreter):
    """Supports `and`, `or`, `not`, `min` and `max` of whole blocks. Python itself would need a single truth value of a
    block, which does not exist."""
    transformer = getattr(interpreter, "ASTTransformer", None)
    language = interpreter.tl
    if transformer is None:
        return

    def is_block(value):
        return isinstance(value, language.tensor) and value.type.is_block()

    def combined(is_and, first, *rest):
        """`and` or `or` with Python's own meaning, except for blocks. The arguments are functions that return the
        operands."""
        value = first()
        for operand in rest:
            if not is_block(value):
                if bool(value) != is_and:
                    return value
                value = operand()
                continue
            other = operand()
            value = (value != 0) & (other != 0) if is_and else (value != 0) | (other != 0)
        return value

    def negated(value):
        return value == 0 if is_block(value) else not value

    def call(name, *arguments):
        return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])

    def nothing():
        return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])

    def visit_logic(self, node):
        node = self.generic_visit(node)
        operands = [ast.Lambda(args=nothing(), body=value) for value in node.values]
        return ast.copy_location(call("_kgrade_combined", ast.Constant(isinstance(node.op, ast.And)), *operands), node)

    def visit_unary(self, node):
        node = self.generic_visit(node)
        return ast.copy_location(call("_kgrade_negated", node.operand), node) if isinstance(node.op, ast.Not) else node

    def of_numbers(chosen, of_blocks):
        def choose(*arguments, **options):
            if len(arguments) < 2 or not any(isinstance(argument, language.tensor) for argument in arguments):
                return chosen(*arguments, **options)
            result = arguments[0]
            for argument in arguments[1:]:
                result = of_blocks(result, argument)
            return result

        return choose

    # A kernel finds names that its own file does not define in the interpreter's module.
    interpreter._kgrade_combined, interpreter._kgrade_negated = combined, negated  # pylint: disable=protected-access
    interpreter.min = of_numbers(builtins.min, language.minimum)
    interpreter.max = of_numbers(builtins.max, language.maximum)
    transformer.visit_BoolOp, transformer.visit_UnaryOp = visit_logic, visit_unary


def install(interpreter):
    if not inspect.isfunction(getattr(interpreter, "_patch_lang", None)):
        return
    patch_names(interpreter)
    fill_libdevice()
    keep_enclosing_names(interpreter)
    understand_logic(interpreter)
