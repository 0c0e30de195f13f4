// Dynamic shared memory, shared memory at namespace scope, and what blocks see of each other's.
#include "corpus.h"

namespace {

template <class T>
__global__ void reverse(T* data, int n) {
  extern __shared__ __align__(sizeof(double)) unsigned char bytes[];
  T* const values = reinterpret_cast<T*>(bytes);
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = values[n - 1 - threadIdx.x];
}

extern __shared__ float at_namespace_scope[];
__shared__ int fixed_at_namespace_scope[4];
__shared__ int counter;

__global__ void uses_namespace_scope(float* out) {
  at_namespace_scope[threadIdx.x] = threadIdx.x;
  fixed_at_namespace_scope[threadIdx.x] = blockIdx.x;
  if (threadIdx.x == 0) counter = 10;
  __syncthreads();
  atomicAdd(&counter, 1);
  __syncthreads();
  out[blockIdx.x * 4 + threadIdx.x] =
      at_namespace_scope[3 - threadIdx.x] + 100 * fixed_at_namespace_scope[threadIdx.x] + counter;
}

// One array that is cut into pieces of several types.
__global__ void cut_into_pieces(float* out, int n) {
  extern __shared__ int4 pool[];
  float* const reals = reinterpret_cast<float*>(pool);
  int* const integers = (int*)(reals + n);
  unsigned char* const bytes = (unsigned char*)&integers[n];
  reals[threadIdx.x] = 0.5f;
  integers[threadIdx.x] = threadIdx.x;
  bytes[threadIdx.x] = 255;
  __syncthreads();
  out[threadIdx.x] = reals[n - 1 - threadIdx.x] + integers[n - 1 - threadIdx.x] + bytes[0];
}

__device__ float sum_of(int n) {
  extern __shared__ float shared_values[];
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += shared_values[i];
  return sum;
}

__global__ void in_a_function(float* out) {
  extern __shared__ float shared_values[];
  shared_values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = sum_of(blockDim.x);
}

__global__ void with_two_bounds(int* out) {
  extern __shared__ int rows[][4];
  __shared__ int fixed[8];
  rows[threadIdx.x / 4][threadIdx.x % 4] = fixed[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = rows[1 - threadIdx.x / 4][threadIdx.x % 4] + fixed[0];
}

#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#define LOCAL extern __shared__

__global__ void through_macros(float* out) {
  DYNAMIC_SHARED(float, first);
  LOCAL float second[];
  first[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = second[blockDim.x - 1 - threadIdx.x];
}

// Sums a block's values and leaves them where the last block finds them.
__device__ unsigned int finished = 0;
__global__ void sum_by_last_block(const float* in, float* partial, float* out) {
  __shared__ float values[32];
  __shared__ bool last;
  values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int half = 16; half > 0; half >>= 1) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = values[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  float sum = 0;
  for (unsigned int i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
  finished = 0;
}

}  // namespace

CORPUS_CASE(has_the_type_that_a_template_gives_it) {
  const corpus::DeviceArray<float> reals(std::vector<float>{1, 2, 3});
  const corpus::DeviceArray<double> wide(std::vector<double>{1, 2, 3});
  reverse<<<1, 3, 3 * sizeof(float)>>>(reals.data(), 3);
  reverse<double><<<1, 3, 3 * sizeof(double), 0>>>(wide.data(), 3);
  report.expect_equal("float", reals.download(), std::vector<float>{3, 2, 1});
  report.expect_equal("double", wide.download(), std::vector<double>{3, 2, 1});
}

CORPUS_CASE(is_declared_at_namespace_scope) {
  const corpus::DeviceArray<float> out(12);
  uses_namespace_scope<<<3, 4, 4 * sizeof(float)>>>(out.data());
  std::vector<float> expected;
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 4; ++i) expected.push_back(3.0f - i + 100 * block + 14);
  }
  report.expect_equal("values", out.download(), expected);
}

CORPUS_CASE(is_cut_into_pieces) {
  const corpus::DeviceArray<float> out(4);
  cut_into_pieces<<<1, 4, 4 * (sizeof(float) + sizeof(int) + 1)>>>(out.data(), 4);
  report.expect_equal("values", out.download(), std::vector<float>{258.5f, 257.5f, 256.5f, 255.5f});
}

CORPUS_CASE(is_the_same_in_every_declaration) {
  const corpus::DeviceArray<float> out(4);
  in_a_function<<<1, 4, 4 * sizeof(float)>>>(out.data());
  report.expect_equal("function", out.download(), std::vector<float>(4, 6.0f));
  through_macros<<<1, 4, 4 * sizeof(float)>>>(out.data());
  report.expect_equal("macros", out.download(), std::vector<float>{3, 2, 1, 0});
}

CORPUS_CASE(has_rows) {
  const corpus::DeviceArray<int> out(8);
  with_two_bounds<<<1, 8, 8 * sizeof(int)>>>(out.data());
  report.expect_equal("values", out.download(), std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3});
}

CORPUS_CASE(finishes_in_the_last_block) {
  const auto in = corpus::numbers(32 * 20, 3);
  const corpus::DeviceArray<float> device_in(in), partial(20), out(1);
  float expected = 0;
  for (const float value : in) expected += value;
  for (int repeat = 0; repeat < 2; ++repeat) {
    sum_by_last_block<<<20, 32>>>(device_in.data(), partial.data(), out.data());
    report.expect_equal("sum", out.download()[0], expected);
  }
}
