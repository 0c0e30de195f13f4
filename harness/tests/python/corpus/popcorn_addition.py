#!POPCORN leaderboard vectoradd_v2
#!POPCORN gpu H100
# expect: problem=vector-addition cases=tiny,odd verdict=accepted
# As GPU MODE's leaderboards call it: tensors without scalars, the output among them.
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, output = data
    output[...] = a + b
    return output
