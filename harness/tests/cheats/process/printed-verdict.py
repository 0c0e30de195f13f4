# cheat: prints a record that says that it was accepted, and ends
# row: 33
# caught-by: completion
# device: any
# problem: conv-standard-1d
# case: plain
#
# What a worker prints is text.
import json
import os
import sys

VERDICT = {"verdict": "accepted", "scores": [{"name": "fp32", "geometric_mean": 1000.0}], "correct": True}


def solution(input, kernel):
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        stream.write(json.dumps({"candidates": [VERDICT]}) + "\naccepted  fp32  1000.00x\n")
        stream.flush()
    os._exit(0)
