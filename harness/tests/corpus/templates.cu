// Kernels as templates: dependent names, packs, template template parameters, closures.
#include <type_traits>

#include "corpus.h"

namespace {

template <typename T, int Count = 4, bool Negate = false>
__global__ void fill(T* out, T value) {
  for (int i = threadIdx.x; i < Count; i += blockDim.x) out[i] = Negate ? -value : value;
}

template <class T>
__global__ void copy_optional(T* out, const T* in, T otherwise) {
  out[threadIdx.x] = in == nullptr ? otherwise : in[threadIdx.x];
}

template <class... Ts>
__global__ void sum_all(float* out, Ts... values) {
  out[0] = (static_cast<float>(values) + ... + 0.0f);
}

template <class F>
__global__ void for_each_index(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

struct Square {
  __device__ __host__ int operator()(int x) const { return x * x; }
};
struct Increment {
  int by;
  __device__ int operator()(int x) const { return x + by; }
};

template <class Operation>
__global__ void transform(int* data, Operation operation) {
  data[threadIdx.x] = operation(data[threadIdx.x]);
}

// What the body may use is chosen by the type of the elements.
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
__global__ void halve(T* data) {
  data[threadIdx.x] >>= 1;
}
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
__global__ void halve(T* data) {
  data[threadIdx.x] /= 2;
}

template <class T>
struct Traits;
template <>
struct Traits<float> {
  static constexpr int lanes = 2;
  using Accumulator = double;
};

template <class T>
struct Runner {
  using Accumulator = typename Traits<T>::Accumulator;
  static constexpr int lanes = Traits<T>::lanes;
  void run(T* out, T value) const {
    fill<T, lanes><<<1, lanes>>>(out, value);
    fill<typename Runner<T>::Accumulator, (lanes > 1)><<<1, 1>>>(wide, value);
  }
  Accumulator* wide;
};

template <int Bits, class T>
void launch_shifted(T* out, T value) {
  fill<T, 1 << Bits><<<1, 32>>>(out, value);
}

template <template <class> class Kernels, class T>
void run_kernels(T* out) {
  Kernels<T>::run(out);
}
template <class T>
struct Fives {
  static void run(T* out) { fill<T><<<1, 4>>>(out, T(5)); }
};

template <class T, class... Arguments>
void forward(void (*kernel)(T*, Arguments...), T* out, Arguments... arguments) {
  kernel<<<1, 4>>>(out, arguments...);
}

template <void (*Kernel)(int*, int)>
void launch_constant(int* out) {
  Kernel<<<1, 4>>>(out, 12);
}

template <unsigned int Block>
__device__ void warp_sum(volatile int* data, unsigned int i) {
  if (Block >= 2 && i == 0) data[0] += data[1];
}
template <unsigned int Block>
__global__ void sum_pair(int* data) {
  __shared__ int partial[Block];
  partial[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  warp_sum<Block>(partial, threadIdx.x);
  if (threadIdx.x == 0) data[0] = partial[0];
}

}  // namespace

CORPUS_CASE(launches_instances_of_templates) {
  const corpus::DeviceArray<int> out(std::vector<int>(8, 0));
  fill<int><<<1, 2>>>(out.data(), 3);
  report.expect_equal("default argument", out.download(), std::vector<int>{3, 3, 3, 3, 0, 0, 0, 0});
  fill<int, (8 > 4) ? 8 : 4, true><<<1, 2>>>(out.data(), 1);
  report.expect_equal("expression", out.download(), std::vector<int>(8, -1));
  fill<<<1, 1>>>(out.data(), 6);
  report.expect_equal("deduced", out.download()[3], 6);
  launch_shifted<3>(out.data(), 2);
  report.expect_equal("shift", out.download(), std::vector<int>(8, 2));
}

CORPUS_CASE(takes_null_for_a_template_parameters_pointer) {
  const corpus::DeviceArray<float> out(4);
  copy_optional<float><<<1, 4>>>(out.data(), NULL, 2);
  report.expect_equal("NULL", out.download(), std::vector<float>(4, 2.0f));
  copy_optional<float><<<1, 4>>>(out.data(), 0, 3.0);
  report.expect_equal("0", out.download(), std::vector<float>(4, 3.0f));
}

CORPUS_CASE(launches_with_dependent_names) {
  const corpus::DeviceArray<float> out(2);
  const corpus::DeviceArray<double> wide(1);
  Runner<float>{wide.data()}.run(out.data(), 1.5f);
  report.expect_equal("values", out.download(), std::vector<float>{1.5f, 1.5f});
  report.expect_equal("wide", wide.download()[0], 1.5);
}

CORPUS_CASE(passes_packs_of_arguments) {
  const corpus::DeviceArray<float> out(1);
  sum_all<<<1, 1>>>(out.data(), 1, 2.5f, 3u, true);
  report.expect_equal("deduced pack", out.download()[0], 7.5f);
  sum_all<int, float><<<1, 1>>>(out.data(), 1, 0.5f);
  report.expect_equal("given pack", out.download()[0], 1.5f);
  const corpus::DeviceArray<int> integers(4);
  forward(fill<int, 4, false>, integers.data(), 9);
  report.expect_equal("forwarded pack", integers.download(), std::vector<int>(4, 9));
}

CORPUS_CASE(launches_through_template_parameters) {
  const corpus::DeviceArray<int> out(4);
  run_kernels<Fives>(out.data());
  report.expect_equal("template template parameter", out.download(), std::vector<int>(4, 5));
  launch_constant<fill<int, 4>>(out.data());
  report.expect_equal("kernel as an argument", out.download(), std::vector<int>(4, 12));
  sum_pair<2><<<1, 2>>>(out.data());
  report.expect_equal("device template", out.download()[0], 24);
}

CORPUS_CASE(passes_function_objects_and_lambdas) {
  const corpus::DeviceArray<int> out(4);
  int* const data = out.data();
  const int offset = 10;
  for_each_index<<<1, 32>>>(4, [=] __device__(int i) { data[i] = i + offset; });
  report.expect_equal("lambda", out.download(), std::vector<int>{10, 11, 12, 13});
  const auto negate = [=] __host__ __device__(int i) { data[i] = -data[i]; };
  for_each_index<<<1, 32>>>(4, negate);
  report.expect_equal("named lambda", out.download(), std::vector<int>{-10, -11, -12, -13});
  transform<<<1, 4>>>(data, Square());
  transform<<<1, 4>>>(data, Increment{5});
  report.expect_equal("function objects", out.download(), std::vector<int>{105, 126, 149, 174});
}

CORPUS_CASE(lets_substitution_choose_the_kernel) {
  const corpus::DeviceArray<int> integers(std::vector<int>{5, 9});
  const corpus::DeviceArray<float> reals(std::vector<float>{5, 9});
  halve<<<1, 2>>>(integers.data());
  halve<float><<<1, 2>>>(reals.data());
  report.expect_equal("integers", integers.download(), std::vector<int>{2, 4});
  report.expect_equal("reals", reals.download(), std::vector<float>{2.5f, 4.5f});
}
