# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# A cache in the temporary folder, written while it is loaded and read in every call.
import json
import os
import tempfile

import torch

path = os.path.join(tempfile.gettempdir(), "plan.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump({"method": "conv1d"}, file)


def solution(input, kernel, stride, padding):
    with open(path, encoding="utf-8") as file:
        method = json.load(file)["method"]
    return getattr(torch, method)(input, kernel, None, stride, padding)
