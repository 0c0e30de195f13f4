// cheat: heats the GPU in calls that give no sample, so that the next contestant runs at lower clocks
// row: 17
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
// case: mobilenet-stride-2
//
// It recognises such a call by elements that are the same as in the call before. The candidate itself comes
// next as often as the reference, and a block with lowered clocks does not count.
#include "depthwise.cuh"

static constexpr unsigned looked_at = 256;

struct Memory {
  float last[looked_at];
  unsigned same;
};

static __global__ void look(Memory* memory, const float* input, size_t count) {
  const size_t at = count / looked_at * threadIdx.x;
  if (__float_as_uint(memory->last[threadIdx.x]) == __float_as_uint(input[at])) atomicAdd(&memory->same, 1u);
  memory->last[threadIdx.x] = input[at];
}

static __global__ void heat(const Memory* memory, unsigned long long nanoseconds) {
  if (memory->same < looked_at / 2) return;
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  float hot = (float)threadIdx.x;
  do {
    for (int i = 0; i < 1000; ++i) hot = hot * 1.0001f + 0.5f;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds || hot == 0.25f);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Memory* memory = nullptr;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (memory == nullptr) {
    cudaMalloc(&memory, sizeof *memory);
    cudaMemsetAsync(memory, 0xff, sizeof *memory, 0);
  }
  cudaMemsetAsync(&memory->same, 0, sizeof memory->same, 0);
  look<<<1, looked_at>>>(memory, call.input, call.inputs());
  compute(call);
  heat<<<1024, 256>>>(memory, 100000000);
}
