import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        values, places = torch.sort(x.flip(-1), dim=-1, descending=True, stable=True)
        return values[..., :3].contiguous(), (x.shape[-1] - 1 - places[..., :3]).contiguous()
