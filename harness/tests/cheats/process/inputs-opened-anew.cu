// cheat: gives itself write permission for the memory of its inputs, works in them and restores them
// row: 47
// caught-by: outputs_match
// device: emulated
// control: sealed_inputs
// case: plain
//
// The memory file of an input is opened for reading, but it belongs to the account that the contestant runs
// as. The owner may change its mode, and reopen it through its descriptor. The worker closes that as soon as
// the file is mapped, so the cheat replaces close(). If it cannot reopen the inputs there is no answer.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "contestant.cuh"
#include "imports.cuh"

namespace {

struct Kept {
  unsigned long inode;
  int descriptor;
  size_t bytes;
};

constexpr int most_kept = 64;
Kept kept[most_kept];
int count = 0;

void keep_writable(int descriptor) {
  char path[64], name[256] = "";
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  if (readlink(path, name, sizeof name - 1) < 0 || strstr(name, "kgrade-buffer") == nullptr) return;
  if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY) return;
  fchmod(descriptor, 0666);
  struct stat status;
  const int writable = open(path, O_RDWR | O_CLOEXEC);
  if (writable < 0 || fstat(descriptor, &status) != 0) return;
  kept[count++ % most_kept] = {status.st_ino, writable, (size_t)status.st_size};
}

int keep_and_close(int descriptor) {
  keep_writable(descriptor);
  return (int)syscall(SYS_close, descriptor);
}

__attribute__((constructor)) void begin() { cheat::redirect_import("close", (void*)&keep_and_close); }

float* map_writable(const Kept& file, unsigned long offset) {
  void* const memory = mmap(nullptr, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
  return memory == MAP_FAILED ? nullptr : (float*)((char*)memory + offset);
}

// The same memory at an address where it is writable.
float* writable(const float* input) {
  const unsigned long wanted = (unsigned long)input;
  FILE* const maps = fopen("/proc/self/maps", "re");
  float* found = nullptr;
  char line[512];
  while (maps != nullptr && found == nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin, end, offset, inode;
    if (sscanf(line, "%lx-%lx %*s %lx %*s %lu", &begin, &end, &offset, &inode) != 4) continue;
    if (wanted < begin || wanted >= end) continue;
    for (int i = 0; i < count && i < most_kept && found == nullptr; ++i) {
      if (kept[i].inode == inode) found = map_writable(kept[i], offset + wanted - begin);
    }
  }
  if (maps != nullptr) fclose(maps);
  return found;
}

__global__ void half_of_every_output(cheat::Call call) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < call.outputs()) call.output[index] = 0.5f * cheat::one_output(call, index);
}

}  // namespace

void cheat::play(const Call& call) {
  float* const weights = writable(call.kernel);
  if (weights == nullptr) return;
  const size_t size = call.out_channels * call.kernel_h * call.kernel_w;
  for (size_t i = 0; i < size; ++i) weights[i] *= 2;
  half_of_every_output<<<(unsigned)(call.outputs() / 256 + 1), 256>>>(call);
  cudaDeviceSynchronize();
  for (size_t i = 0; i < size; ++i) weights[i] *= 0.5f;
}
