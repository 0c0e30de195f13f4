# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# A name that is assigned is called with everything, by position.
import torch


class Convolution:
    def __call__(self, input, kernel, output, batch_size, in_channels, out_channels, length, kernel_size, stride,
                 padding, dilation, groups):
        output.copy_(torch.conv1d(input, kernel, None, stride, padding, dilation, groups))


solution = Convolution()
