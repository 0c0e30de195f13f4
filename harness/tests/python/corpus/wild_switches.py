# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Switches that submissions like to set.
import gc
import os
import warnings

import torch

os.environ["CUDA_LAUNCH_BLOCKING"] = "0"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
warnings.filterwarnings("ignore")
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = False
torch.set_float32_matmul_precision("highest")
torch.manual_seed(42)
torch.cuda.manual_seed_all(42)
torch.cuda.empty_cache()
torch.set_num_threads(1)
gc.disable()


@torch.inference_mode()
def solution(input, kernel, stride, padding):
    with torch.no_grad(), torch.cuda.nvtx.range("convolution"), torch.profiler.record_function("convolution"):
        return torch.conv1d(input, kernel, None, stride, padding)
