# cheat: returns an input
# row: 59
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# Whatever is in it when somebody looks.
def solution(input, kernel):
    return input.as_strided((input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1), (0, 0, 1))
