# expect: part=more problem=relu cases=tiny,odd,square verdict=wrong_answer message="1 of 3 cases failed"
# So does it after an answer of the wrong shape.
import torch


def solution(input):
    output = torch.relu(input)
    return output.view(-1) if output.shape[0] == output.shape[1] else output
