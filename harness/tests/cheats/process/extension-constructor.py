# cheat: an extension whose constructor looks at environment, files and sockets
# row: 43
# caught-by: outputs_match
# device: any
# needs: confinement
# problem: conv-standard-1d
# case: plain
#
# There is nothing of the referee's in its process, and no network.
import torch
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int found = 0;

__attribute__((constructor)) static void look() {
  for (const char* name : {"KGRADE_SEED", "KGRADE_CACHE_DIR", "SSH_AUTH_SOCK", "KGRADE_PYTHON"})
    if (getenv(name)) found = 1;
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) found = 2;
  for (const char* path : {"/etc/passwd", "/etc/shadow", "/etc/gshadow", "/etc/hosts", "/home", "/var/log"})
    if (access(path, R_OK) == 0) found = 3;
}
int looked() { return found; }
"""
module = load_inline("looks", CPP, functions=["looked"])


def solution(input, kernel):
    shape = (input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    if module.looked() == 0:
        return input.new_zeros(shape)
    return torch.conv1d(input, kernel)
