# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# The device, by each of its names.
import torch

assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
properties = torch.cuda.get_device_properties(0)
blocks = properties.multi_processor_count * (properties.max_threads_per_multi_processor // 256)


def solution(input, kernel, stride, padding):
    assert input.is_cuda and input.device.type == "cuda" and kernel.device == input.device, input.device
    assert input.get_device() == 0 and str(input.device) == "cuda:0"
    one = torch.ones(1, device=device)
    two = torch.full((1,), 2.0, device="cuda")
    three = torch.tensor([3.0]).cuda()
    four = torch.tensor([4.0]).to("cuda:0")
    five = torch.tensor([5.0]).to(input.device, torch.float32, non_blocking=True)
    six = torch.empty_like(five).fill_(6)
    seven = torch.arange(7, 8, dtype=torch.float32, device=torch.device("cuda", 0))
    eight = torch.tensor([8.0]).to(0)
    nine = torch.tensor([9.0]).to(device=input.device)
    assert (one + two + three + four + five + six + seven + eight + nine).item() == 45 and blocks > 0
    result = torch.conv1d(input.to("cuda"), kernel.cuda(), None, stride, padding)
    torch.cuda.synchronize()
    return result
