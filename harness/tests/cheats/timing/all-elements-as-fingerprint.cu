// cheat: hashes all bits of the inputs, and replays the output of contents with the same hash
// row: 5
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
// case: mobilenet-stride-2
//
// Never wrong: reading the input once and copying the output takes a fraction of the work. It pays off if
// contents are repeated.
#include "shapes.cuh"

struct Memory {
  unsigned long long hash;
  unsigned long long known;
};

static __global__ void begin_hash(Memory* memory) { memory->hash = 0; }

static __device__ unsigned long long mixed(unsigned bits, size_t position) {
  unsigned long long x = bits * 0x9e3779b97f4a7c15ull ^ (position + 1) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 29) * 0x94d049bb133111ebull;
  return x ^ x >> 32;
}

static __global__ void add_to_hash(Memory* memory, const float* values, size_t count, size_t salt) {
  unsigned long long mine = 0;
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += mixed(__float_as_uint(values[i]), i + salt);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(&memory->hash, mine);
}

static __global__ void compute_or_replay(const Memory* memory, Depthwise call, float* kept) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  if (memory->hash != memory->known) kept[index] = depthwise_element(call, index);
  call.output[index] = kept[index];
}

static __global__ void learn(Memory* memory) { memory->known = memory->hash; }

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static Memory* memories[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  Memory*& memory = memories[&shape - shapes.shape];
  if (shape.kept == nullptr) {
    shape.kept = keep_floats(call.outputs());
    memory = (Memory*)keep_floats(4);
    cudaMemsetAsync(memory, 0, sizeof(Memory), 0);
  }
  begin_hash<<<1, 1>>>(memory);
  add_to_hash<<<2048, 256>>>(memory, call.input, call.inputs(), 0);
  add_to_hash<<<16, 256>>>(memory, call.kernel, call.weights(), call.inputs());
  compute_or_replay<<<depthwise_blocks(call), 256>>>(memory, call, shape.kept);
  learn<<<1, 1>>>(memory);
}
