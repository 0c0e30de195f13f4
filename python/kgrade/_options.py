"""The options of a job. Written by tools/python_options.py from harness/serve/openapi.json: do not edit."""

from typing import Literal, Mapping, Optional, Sequence, TypedDict, Union

Dtype = Literal["float32", "float16", "bfloat16"]
Precision = Literal["exact", "fp32", "tf32", "bf16"]
Effort = Literal["quick", "default", "ranked"]
Baselines = Literal["none", "usual", "pytorch", "compiled"]
Priority = Literal["normal", "low"]
Feedback = Literal["verdict", "agent", "full"]


class Options(TypedDict, total=False):
    """What can be said of a grade. docs/service.md says what each means. Times are in seconds, without `_s` in the name."""

    dtype: Optional[Dtype]  # The type of the tensors
    precision: Optional[Precision]  # The precision class that the candidate has to reach, whatever it declares
    cases: Optional[Union[str, Sequence[str]]]  # Names of the cases to grade
    hidden: Optional[int]  # How many hidden shapes are drawn
    hidden_seed: Optional[int]  # Of the hidden shapes, like `seed`
    seed: Optional[int]  # Of the inputs
    effort: Optional[Effort]  # How long speed is measured
    baselines: Optional[Baselines]  # What is measured beside the candidate
    time_limit: Optional[float]  # Seconds that one call of the candidate may take
    run_limit: Optional[float]  # Seconds that the candidate may take in all: for its build, loading it, its rehearsal and its calls
    deadline: Optional[float]  # Seconds until the result is of no use, the queue included
    priority: Optional[Priority]  # Whose jobs run first among those of one owner
    feedback: Optional[Feedback]  # What the owner may learn
    group: Optional[str]  # Comes back with the result
    client_ref: Optional[str]  # Comes back with the result
    headers: Optional[Mapping[str, str]]  # Files beside the candidate, by name


# The least and the largest number that a member of a job may be.
NUMBERS: "Mapping[str, tuple[float, float]]" = {'hidden': (0, 64), 'time_limit_s': (0.001, 86400.0), 'run_limit_s': (1.0, 86400.0), 'deadline_s': (0.001, 2592000.0)}
