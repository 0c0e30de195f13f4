#!POPCORN leaderboard vectoradd
# expect: part=more problem=vector-addition cases=tiny,odd verdict=accepted
# Their older leaderboards hand the inputs over alone. What it imports of their tools it does not need.
from task import input_t, output_t
from utils import DeterministicContext, make_match_reference


def reference(data):
    with DeterministicContext():
        return data[0] + data[1]


check_implementation = make_match_reference(reference)


def custom_kernel(data: input_t) -> output_t:
    a, b = data
    return a + b
