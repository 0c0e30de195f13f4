"""What a model is asked, from a problem as the service describes it."""

from typing import Any, Mapping


def prompt(problem: Mapping[str, Any]) -> str:
    """The statement, and the function that an answer has to have."""
    signature = problem["signature"].strip().rstrip(";")
    return (
        f"# {problem['title']}\n\n{problem['statement'].strip()}\n\n"
        "Write a fast CUDA kernel for this problem, in one block of code. The file has to define this function. All pointers "
        f"are device pointers.\n\n```cuda\n{signature};\n```\n"
    )
