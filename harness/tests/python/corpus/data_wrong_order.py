# expect: problem=conv-standard-1d cases=plain verdict=runtime_error message="data_wrong_order.py:7, in custom_kernel"
import torch.nn.functional as F


def custom_kernel(data):
    kernel, input, *_, stride, padding, dilation, groups = data
    return F.conv1d(input, kernel, None, stride, padding, dilation, groups)
