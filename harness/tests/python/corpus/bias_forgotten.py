# expect: part=more problem=conv-2d-sq-input-sq-kernel-strided-padded-bias cases=kernelbench-small verdict=wrong_answer
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 96, 11, stride=4, padding=2)

    def forward(self, x):
        return nn.functional.conv2d(x, self.conv1.weight, None, 4, 2)
