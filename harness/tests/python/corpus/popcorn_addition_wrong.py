# expect: part=more problem=vector-addition cases=tiny,odd verdict=wrong_answer
# The output that it was lent is returned as it was.
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    return data[2]
