// Every way to write a launch. Each adds 1 to its own counter of `out`.
#include <cuda_runtime.h>

#include <memory>

__global__ void bump(int* out, int which) { atomicAdd(out + which, 1); }

template <typename T, int Step>
__global__ void bump_template(T* out, int which) {
  atomicAdd(out + which, Step);
}

template <typename T>
__global__ void bump_deduced(T* out, int which) {
  atomicAdd(out + which, T(1));
}

__global__ void bump_overloaded(int* out, int which) { atomicAdd(out + which, 1); }
__global__ void bump_overloaded(int* out, int which, int step) { atomicAdd(out + which, step); }

__global__ void bump_default(int* out, int which, int step = 1) { atomicAdd(out + which, step); }

__global__ void bump_unless_null(int* out, int which, const float* nothing, dim3 extent) {
  if (nothing == nullptr && extent.y == 2) atomicAdd(out + which, 1);
}

__global__ void no_arguments() {}

namespace outer {
namespace inner {
__global__ static void bump_nested(int* out, int which) { atomicAdd(out + which, 1); }
}  // namespace inner
}  // namespace outer

struct Pair {
  int a, b;
};
__global__ void bump_struct(int* out, Pair pair) { atomicAdd(out + pair.a, pair.b); }

struct Bump {
  int* counter;
  __device__ void operator()() const { atomicAdd(counter, 1); }
};

template <class Function>
__global__ void apply(Function function) {
  function();
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_LINES(kernel, out, which) \
  do {                                   \
    kernel<<<1,                          \
             1>>>(out, which);           \
  } while (0)

template <int Step, typename T>
void launch_in_template(T* out, int which) {
  bump_template<T, Step><<<1, 1>>>(out, which);
}

template <int A, int B>
struct Sum {
  static constexpr int value = A + B;
};

extern "C" int launch_forms(int* out) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const std::unique_ptr<int> not_copyable(new int(2));
  int once = 3;
  int next = 0;

  bump<<<1, 1>>>(out, next++);
  bump<<<1, 1, 0>>>(out, next++);
  bump<<<dim3(1, 1), dim3(1), 0, stream>>>(out, *not_copyable);
  bump <<< 1, 1 >>> (out, once++);  // evaluated once
  bump<<<1,
         1,  // a comment with <<< in it
         0 /* and >>> here */>>>(out,
                                 4);
  bump_template<int, 1><<<1, 1>>>(out, 5);
  bump_template<int, (3 > 2)><<<1, 1>>>(out, 6);
  bump_deduced<<<1, 1>>>(out, 7);
  bump_overloaded<<<1, 1>>>(out, 8);
  bump_overloaded<<<1, 1>>>(out, 9, 1);
  bump_default<<<1, 1>>>(out, 10);
  bump_unless_null<<<1, 1>>>(out, 11, 0, {1, 2});
  outer::inner::bump_nested<<<1, 1>>>(out, 12);
  ::bump<<<1, 1>>>(out, 13);
  void (*pointer)(int*, int) = bump;
  pointer<<<1, 1>>>(out, 14);
  auto kernel = bump_template<int, 1>;
  if (kernel != nullptr) (kernel)<<<1, 1>>>(out, 15);
  void (*table[])(int*, int) = {bump, bump_template<int, 1>};
  for (int i = 0; i < 2; ++i) table[i]<<<1, 1>>>(out, 16 + i);
  LAUNCH(bump, out, 18);
  LAUNCH_LINES(bump, out, 19);
  LAUNCH(no_arguments);
  launch_in_template<1>(out, 20);
  bump<<<Sum<0, 1>::value, Sum<1, 0>::value, Sum<0, 0>::value>>>(out, 21);
  bump_struct<<<1, 1>>>(out, {22, 1});
  apply<<<1, 1>>>(Bump{out + 23});
  if (once == 4)
    bump<<<1, 1>>>(out, 24);
  else
    bump<<<1, 1>>>(out, 0);
  int which = 25;
  void* arguments[] = {&out, &which};
  cudaLaunchKernel(bump, dim3(1), dim3(1), arguments, 0, stream);
  bump<<<1, (32 >> 5)>>>(out, 26);
  cudaStreamDestroy(stream);
  return cudaGetLastError();
}
