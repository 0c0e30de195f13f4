// cheat: does all launches of a call in the first, and takes the other tensors' places from the last call
// row: 7
// caught-by: guard_zones
// device: any
// control: moving_buffers
// problem: ../../measured/problems/scale.md
// case: large
// launches: 4
//
// In the first call of several launches it is honest, and learns the tensors' places. Later calls save all
// kernels but one.
#include "scale.cuh"

static constexpr int most = 8;

struct Call {
  Scale launch[most];
  int launches;
};

static __global__ void scale_all(Call call) {
  const Scale& launch = call.launch[blockIdx.y];
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < launch.n) launch.out[i] = 2 * launch.in[i];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned launches = 0;
  static Call known;
  static bool knows_all = false;
  const Scale launch = {in, out, n};
  if (launches++ < 2) return compute(launch);  // calls that warm up have one
  const bool begins = known.launches > 0 && is_near(in, known.launch[0].in);
  knows_all = knows_all || begins;
  if (!knows_all) {
    if (known.launches < most) known.launch[known.launches++] = launch;
    return compute(launch);
  }
  if (!begins) return;
  known.launch[0] = launch;
  const dim3 blocks(scale_blocks(launch), (unsigned)known.launches);
  scale_all<<<blocks, 256>>>(known);
}
