# expect: part=more problem=conv-standard-1d case="batch_size=2,in_channels=3,out_channels=3,length=8,kernel_size=1" verdict=wrong_answer message="returned memory of an input"


def solution(input, kernel):
    return input.view(-1)[:48].view(2, 3, 8)
