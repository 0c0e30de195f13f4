// Launches that macros hold, in their bodies or among their arguments.
#include "corpus.h"

namespace {

__global__ void fill_kernel(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

template <class T, int Scale>
__global__ void scale(T* out, T value) {
  out[threadIdx.x] = value * Scale;
}

#define LAUNCH(kernel, grid, block, ...) kernel<<<(grid), (block)>>>(__VA_ARGS__)
#define LAUNCH_NAMED(name, ...) name##_kernel<<<1, 4>>>(__VA_ARGS__)
#define LAUNCH_CHECKED(report, kernel, grid, block, ...)      \
  do {                                                        \
    kernel<<<grid, /* a comment >>> */ block>>>(__VA_ARGS__); \
    report.expect_success(#kernel, cudaGetLastError());       \
  } while (0)
#define CONFIGURATION dim3(1), 4
#define CONFIGURED(grid, block) <<<grid, block>>>
#define CONFIGURED_FULLY(grid, block, bytes, stream) <<<grid, block, bytes, stream>>>
#define CHECKED(...)                                         \
  do {                                                       \
    __VA_ARGS__;                                             \
    report.expect_success(#__VA_ARGS__, cudaGetLastError()); \
  } while (0)
#define DISPATCH(type, ...) \
  [&] {                     \
    using scalar_t = type;  \
    __VA_ARGS__();          \
  }()
#define FOR_SCALE(scale_value, kernel_call) \
  case scale_value:                         \
    kernel_call;                            \
    break
#define KERNEL fill_kernel
#define ARGUMENTS out.data(), 31

std::vector<int> four(int value) { return std::vector<int>(4, value); }

}  // namespace

CORPUS_CASE(launches_from_the_body_of_a_macro) {
  const corpus::DeviceArray<int> out(4);
  LAUNCH(fill_kernel, 2, 2, out.data(), 1);
  report.expect_equal("plain", out.download(), four(1));
  LAUNCH((scale<int, 3>), 1, 4, out.data(), 2);
  report.expect_equal("template in brackets", out.download(), four(6));
  LAUNCH_NAMED(fill, out.data(), 3);
  report.expect_equal("pasted name", out.download(), four(3));
  if (out.size() == 4)
    LAUNCH_CHECKED(report, fill_kernel, 1, 4, out.data(), 4);
  else
    LAUNCH_CHECKED(report, fill_kernel, 1, 4, out.data(), 5);
  report.expect_equal("do while", out.download(), four(4));
}

CORPUS_CASE(takes_pieces_of_a_launch_from_macros) {
  const corpus::DeviceArray<int> out(4);
  fill_kernel<<<CONFIGURATION>>>(out.data(), 5);
  report.expect_equal("configuration", out.download(), four(5));
  KERNEL<<<1, 4>>>(ARGUMENTS);
  report.expect_equal("kernel and arguments", out.download(), four(31));
  fill_kernel CONFIGURED(2, 2)(out.data(), 6);
  report.expect_equal("angle brackets", out.download(), four(6));
  scale<int, 2> CONFIGURED_FULLY(dim3(1), dim3(4), 0, NULL)(out.data(), 4.5);
  report.expect_equal("template before angle brackets", out.download(), four(8));
}

CORPUS_CASE(launches_from_the_arguments_of_a_macro) {
  const corpus::DeviceArray<int> out(4);
  CHECKED(fill_kernel<<<1, 4>>>(out.data(), 7));
  report.expect_equal("statement", out.download(), four(7));
  CHECKED(scale<int, 2><<<1, 4>>>(out.data(), 4));
  report.expect_equal("template", out.download(), four(8));
  DISPATCH(int, [&] { scale<scalar_t, 9><<<1, 4>>>(out.data(), 1); });
  report.expect_equal("dispatch", out.download(), four(9));
  switch (out.size()) {
    FOR_SCALE(3, (fill_kernel<<<1, 4>>>(out.data(), 0)));
    FOR_SCALE(4, (fill_kernel<<<1, 4>>>(out.data(), 10)));
  }
  report.expect_equal("case", out.download(), four(10));
}

// The configuration and the arguments are one argument of the macro.
template <int Factor>
__global__ void scales_by(int* values, int n) {
  if (threadIdx.x < n) values[threadIdx.x] *= Factor;
}
#define LAUNCH_TWICE(kernel, ...) \
  do {                            \
    kernel<2> __VA_ARGS__;        \
    kernel<3> __VA_ARGS__;        \
  } while (false)

CORPUS_CASE(launches_by_a_macro_that_is_given_the_configuration) {
  const corpus::DeviceArray<int> values(std::vector<int>{1, 2, 3, 4});
  LAUNCH_TWICE(scales_by, <<<1, 32>>>(values.data(), 3));
  report.expect_equal("values", values.download(), std::vector<int>{6, 12, 18, 4});
}
