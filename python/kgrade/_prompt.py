"""Makes a model's prompt from a problem, as Client.problem() describes it."""

from typing import Any, Mapping


def prompt(problem: Mapping[str, Any]) -> str:
    """The statement and the function that an answer has to have; or one of KernelBench's files and the class."""
    if "source" in problem:
        return (
            f"# {problem['name']}\n\nThis module of PyTorch is to become faster.\n\n```python\n{problem['source'].strip()}\n```\n\n"
            "Write a class `ModelNew` in one block of Python. Its constructor takes the arguments of `Model`, it has the same "
            "parameters and buffers by the same names, and its `forward` returns the same outputs for the same inputs. Write its "
            "kernels in CUDA C++ with `torch.utils.cpp_extension.load_inline`, or in Triton.\n"
        )
    signature = problem["signature"].strip().rstrip(";")
    return (
        f"# {problem['title']}\n\n{problem['statement'].strip()}\n\n"
        "Write a fast CUDA kernel for this problem, in one block of code. The file has to define this function. All pointers "
        f"are device pointers.\n\n```cuda\n{signature};\n```\n"
    )
