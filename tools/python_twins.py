#!/usr/bin/env python3
"""python_twins.py FILE.cu: prints the same kernel as a candidate in Python, which builds it with load_inline.

Use it to compare the two forms: the cost of a call, the cost of compiling, and how many are graded in a minute."""

import re
import sys
from pathlib import Path

HEAD = re.compile(r'extern\s+"C"\s+void\s+solution\s*\(([^)]*)\)', re.DOTALL)


def parameters(source):
    """[(type, name, is a pointer)] of `solution`."""
    found = HEAD.search(source)
    if found is None:
        raise ValueError("the file defines no extern \"C\" void solution(...)")
    result = []
    for part in found.group(1).split(","):
        words = re.sub(r"\b(const|__restrict__)\b", " ", part).replace("*", " * ").split()
        result.append((words[0], words[-1], "*" in words))
    return result


def load_inline_twin(source, mark=""):
    """A Python file with the kernel in it. `mark` distinguishes twins of one source."""
    listed = parameters(source)
    taken = ", ".join(f"torch::Tensor {name}" if pointer else f"{'double' if kind in ('float', 'double') else 'int64_t'} {name}"
                      for kind, name, pointer in listed)
    given = ", ".join(f"{name}.data_ptr<{kind}>()" if pointer else f"static_cast<{kind}>({name})"
                      for kind, name, pointer in listed)
    names = ", ".join(name for _, name, _ in listed)
    cuda = f"{source}\n{mark}\nvoid call({taken}) {{\n  solution({given});\n}}\n"
    if '"""' in cuda or cuda.endswith("\\"):
        raise ValueError("the source cannot be put between triple quotes")
    return (f'import torch\nfrom torch.utils.cpp_extension import load_inline\n\ncuda_source = r"""{cuda}"""\n'
            f'cpp_source = "void call({taken});"\n\n'
            f'extension = load_inline(name="twin", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["call"])\n\n\n'
            f"def solution({names}):\n    extension.call({names})\n")


if __name__ == "__main__":
    print(load_inline_twin(Path(sys.argv[1]).read_text()), end="")
