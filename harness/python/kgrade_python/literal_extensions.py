"""Finds calls of load_inline whose arguments are literals, so that they can be built before anything runs."""

import ast

from . import extension_sources


class Unknown(Exception):
    """An expression is not a literal."""


class Literals(ast.NodeVisitor):
    """The values of names that are assigned exactly once in the file, from literals."""

    def __init__(self, tree):
        self.values = {}
        self.assigned = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                self.assigned[name] = self.assigned.get(name, 0) + 1
                self.values[name] = node.value

    def value(self, node, depth=0):
        if depth > 50:
            raise Unknown
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(item, depth + 1) for item in node.elts]
        if isinstance(node, ast.Dict):
            return {self.value(key, depth + 1): self.value(item, depth + 1)
                    for key, item in zip(node.keys, node.values)}
        if isinstance(node, ast.Name) and self.assigned.get(node.id) == 1:
            return self.value(self.values[node.id], depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.value(node.left, depth + 1) + self.value(node.right, depth + 1)
        if isinstance(node, ast.JoinedStr):
            return "".join(str(self.value(part, depth + 1)) for part in node.values)
        if isinstance(node, ast.FormattedValue) and node.format_spec is None and node.conversion == -1:
            return self.value(node.value, depth + 1)
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords
                and node.func.attr == "strip"):
            return self.value(node.func.value, depth + 1).strip()
        raise Unknown


def requests_in(tree, source, shown):
    """The requests of the calls with literal arguments. `shown`: the file's name in messages. It is the same in the
    worker, so that the requests are equal."""
    literals = Literals(tree)
    origin_of = extension_sources.literal_origins(shown, source)
    requests = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name != "load_inline":
            continue
        try:
            arguments = {keyword.arg: literals.value(keyword.value) for keyword in node.keywords if keyword.arg}
            for position, value in zip(("name", "cpp_sources", "cuda_sources", "functions"), node.args):
                arguments[position] = literals.value(value)
            requests.append(extension_sources.inline_request(**arguments, origin_of=origin_of))
        except (Unknown, TypeError, ValueError):
            continue
    return requests
