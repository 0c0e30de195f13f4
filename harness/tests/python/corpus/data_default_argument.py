# expect: problem=relu cases=tiny,odd verdict=accepted
# A default value keeps something from call to call; the tuple stays the only argument.
import torch


def custom_kernel(data, store={}):
    input, n, m = data
    store["calls"] = store.get("calls", 0) + 1
    return torch.relu(input)
