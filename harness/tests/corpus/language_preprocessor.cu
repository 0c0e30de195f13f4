// Conditions on the architecture, macros around qualifiers, own encodings of the text: what surrounds code.
#include "corpus.h"

#define KERNEL __global__ void
#define DEVICE_INLINE __device__ __forceinline__
#define HOST_DEVICE __host__ __device__
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))
#if defined(__CUDACC__) && defined(__NVCC__)
#define COMPILED_AS_CUDA 1
#else
#error "this is CUDA"
#endif
#ifdef __INTELLISENSE__
#define LAUNCH_WITH(grid, block)
#else
#define LAUNCH_WITH(grid, block) <<<grid, block>>>
#endif

namespace {

// Ein Kommentar mit Umlauten: äöü, 中文注释 <<<1, 1>>>.
const char* const text = "größer 中文 <<<1, 1>>> __shared__ int x;";
const char* const raw = R"(__shared__ int y; kernel<<<1, 2>>>();)";

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0.0 * value + *address; }
#endif

KERNEL guarded_body(int* out) {
#if __CUDA_ARCH__ >= 700
  out[threadIdx.x] = 1;
#endif
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 700)
#error "too old"
#elif defined __CUDA_ARCH__
  out[threadIdx.x] += 10;
#else
  out[threadIdx.x] += 5;
#endif
#ifdef __CUDA_ARCH__
  out[threadIdx.x] += 100;
#endif
#ifndef __CUDA_ARCH__
  out[threadIdx.x] += 50;
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
DEVICE_INLINE int guarded_function(int x) { return x + 1; }
#else
DEVICE_INLINE int guarded_function(int x) { return x + 2; }
#endif

HOST_DEVICE inline int portable(int x) {
#ifdef __CUDA_ARCH__
  return __popc(x);
#else
  int bits = 0;
  for (; x != 0; x >>= 1) bits += x & 1;
  return bits;
#endif
}

#ifdef NEVER_DEFINED
KERNEL half_a_kernel(int* out){
#else
KERNEL whole_kernel(int* out, int n) {
#endif
    __shared__ int values[8];
values[threadIdx.x] = guarded_function(portable(7));
__syncthreads();
if (threadIdx.x < n) out[threadIdx.x] = values[7 - threadIdx.x];
}  // namespace

KERNEL adds_doubles(double* sum) { atomicAdd(sum, 0.5); }

#define DEFINE_KERNEL(name, type, expression)                           \
  __global__ void name##_kernel(type* data, int n) {                    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* one each */ \
    if (i < n) {                                                        \
      const type x = data[i];                                           \
      data[i] = expression;                                             \
    }                                                                   \
  }                                                                     \
  void name(type* data, int n) { name##_kernel<<<CEIL_DIV(n, 4), 4>>>(data, n); }
DEFINE_KERNEL(square, int, x* x)
DEFINE_KERNEL(clip, float, x < 0 ? 0 : x)

}  // namespace

CORPUS_CASE(compiles_device_code_for_its_architecture) {
  const corpus::DeviceArray<int> out(2);
  guarded_body<<<1, 2>>>(out.data());
  report.expect_equal("values", out.download(), std::vector<int>{111, 111});
}

CORPUS_CASE(chooses_functions_by_conditions) {
  const corpus::DeviceArray<int> out(8);
  whole_kernel LAUNCH_WITH(1, 8)(out.data(), 8);
  report.expect_equal("values", out.download(), std::vector<int>(8, 4));
  report.expect_equal("host", portable(255), 8);
  const corpus::DeviceArray<double> sum(std::vector<double>{1.0});
  adds_doubles<<<2, 32>>>(sum.data());
  report.expect_equal("double", sum.download()[0], 33.0);
}

CORPUS_CASE(defines_kernels_by_macros) {
  const corpus::DeviceArray<int> integers(std::vector<int>{1, 2, 3, 4, 5});
  const corpus::DeviceArray<float> reals(std::vector<float>{-1, 1});
  square(integers.data(), 5);
  clip(reals.data(), 2);
  report.expect_equal("squares", integers.download(), std::vector<int>{1, 4, 9, 16, 25});
  report.expect_equal("clipped", reals.download(), std::vector<float>{0, 1});
}

CORPUS_CASE(leaves_strings_alone) {
  report.expect("text", std::string(text).find("<<<1, 1>>> __shared__") != std::string::npos);
  report.expect("raw", std::string(raw).find("__shared__ int y; kernel<<<1, 2>>>") == 0);
  report.expect("macro", COMPILED_AS_CUDA == 1);
}
