# cheat: asks for an extension whose name and files lead out of the folder
# row: 37
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# A name is an identifier; what is none is refused, and the candidate is told so.
import ctypes
import gc
import json
import os

REQUESTS = [
    {"name": "../../../escaped", "units": [{"file": "main.cpp", "text": ""}]},
    {"name": "escaped", "units": [{"file": "../../contestant.so", "text": "x"}]},
    {"name": "escaped", "units": [{"file": "/tmp/main.cpp", "text": ""}]},
    {"name": "escaped", "units": [{"file": "-o", "text": ""}]},
]


def libraries():
    return [each for each in gc.get_objects() if isinstance(each, ctypes.CDLL) and hasattr(each, "kgrade_build")]


def ask(text):
    descriptor = ctypes.c_int(-1)
    for library in libraries():
        kind = library.kgrade_build(text, len(text), ctypes.byref(descriptor))
        if kind == 0:
            os.abort()  # it was built


for request in REQUESTS:
    ask(json.dumps(request).encode())
ask(b'{"name": ' + b"[" * 4_000_000 + b"]" * 4_000_000 + b"}")
ask(b"\xff" * 100)


def solution(input, kernel):
    return input.new_zeros(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
