// Launches in the forms that people write: configurations, arguments, places.
#include "corpus.h"

namespace {

__global__ void fill(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

// Where each thread stood, so that the configuration shows in the result.
__global__ void record_extents(unsigned int* out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z > 0) return;
  const unsigned int values[6] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
  for (int i = 0; i < 6; ++i) out[i] = values[i];
}

struct Range {
  int begin, end;
};

__global__ void add_arguments(int* out, const int* optional, long long wide, float real, Range range,
                              bool flag, char letter) {
  out[0] = (optional == nullptr ? 1 : 2) + static_cast<int>(wide) + static_cast<int>(real) + range.begin +
           range.end + flag + letter;
}

__global__ void with_defaults(int* out, int a = 3, const int* b = nullptr, float c = 0.5f) {
  out[0] = a * 100 + (b == nullptr) * 10 + static_cast<int>(c * 2);
}

namespace inner {
namespace deep {
__global__ void twice(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= 2;
}
}  // namespace deep
}  // namespace inner

// Overloaded: the arguments choose.
__global__ void overloaded(int* out) { out[0] = 1; }
__global__ void overloaded(float* out) { out[0] = 2.5f; }
__global__ void overloaded(int* out, int value) { out[0] = value; }

__global__ void declared_first(int* out, int value);

int first_of(const corpus::DeviceArray<int>& array) { return array.download()[0]; }

struct Owner {
  explicit Owner(int* data) : data_(data) {}
  void run(int value) { fill<<<1, 1>>>(data_, value + offset_); }
  int* data_;
  int offset_ = 7;
};

enum Sizes { two_blocks = 2, four_threads = 4 };

}  // namespace

CORPUS_CASE(takes_configurations_of_every_kind) {
  const corpus::DeviceArray<unsigned int> out(6);
  using Extents = std::vector<unsigned int>;
  const auto extents = [&] { return out.download(); };
  const int n = 1000;
  record_extents<<<(n + 255) / 256, 256>>>(out.data());
  report.expect_equal("expression", extents(), Extents{4, 1, 1, 256, 1, 1});
  record_extents<<<dim3(2, 3, 4), dim3(5, 6, 7)>>>(out.data());
  report.expect_equal("dim3", extents(), Extents{2, 3, 4, 5, 6, 7});
  record_extents<<<{2, 3}, {4}>>>(out.data());
  report.expect_equal("braces", extents(), Extents{2, 3, 1, 4, 1, 1});
  // clang-format off
  record_extents<<<n >> 7, 1 << 5, 0>>>(out.data());
  // clang-format on
  report.expect_equal("shifts", extents(), Extents{7, 1, 1, 32, 1, 1});
  // clang-format off
  record_extents<<<n > 5 ? 3 : 4, (n > 5), 0, 0>>>(out.data());
  // clang-format on
  report.expect_equal("comparisons", extents(), Extents{3, 1, 1, 1, 1, 1});
  const uint3 grid = {2, 2, 1};
  record_extents<<<grid, dim3{8, 2}, n * sizeof(float), cudaStream_t(0)>>>(out.data());
  report.expect_equal("uint3", extents(), Extents{2, 2, 1, 8, 2, 1});
  record_extents<<<std::ceil(n / 300.0), std::min<int>(n, 64), 16, NULL>>>(out.data());
  report.expect_equal("double", extents(), Extents{4, 1, 1, 64, 1, 1});
  record_extents<<<two_blocks, four_threads, {}, nullptr>>>(out.data());
  report.expect_equal("enumerators", extents(), Extents{2, 1, 1, 4, 1, 1});
  record_extents<<<[&] { return dim3(n / 100); }(), sizeof(std::vector<int>)>>>(out.data());
  report.expect_equal("lambda", extents(), Extents{10, 1, 1, sizeof(std::vector<int>), 1, 1});
}

CORPUS_CASE(takes_launches_over_lines_and_comments) {
  const corpus::DeviceArray<int> out(4);
  // clang-format off
  fill /* the kernel */
      <<<  // its configuration
          2,  /* blocks >>> */
          2   // threads
      >>>
      (  // arguments
          out.data(), 3 /* <<<1, 1>>> */);
  report.expect_equal("values", out.download(), std::vector<int>(4, 3));
  fill << <1, 4 >> > (out.data(), 4);
  report.expect_equal("angle brackets apart", out.download(), std::vector<int>(4, 4));
  // clang-format on
}

CORPUS_CASE(converts_arguments_as_a_call_does) {
  const corpus::DeviceArray<int> out(1);
  const short small = 5;
  const double real = 6.9;
  add_arguments<<<1, 1>>>(out.data(), nullptr, small, real, {1, 2}, 1, 'a');
  report.expect_equal("null pointer", first_of(out), 1 + 5 + 6 + 3 + 1 + 'a');
  add_arguments<<<1, 1>>>(out.data(), NULL, 1u, 2, Range{3, 4}, false, 0);
  report.expect_equal("NULL", first_of(out), 1 + 1 + 2 + 7);
  add_arguments<<<1, 1>>>(out.data(), 0, 1ull, 2.5f, Range(), out.data() != nullptr, 10);
  report.expect_equal("literal 0", first_of(out), 1 + 1 + 2 + 0 + 1 + 10);
  add_arguments<<<1, 1>>>(out.data(), out.data(), static_cast<size_t>(4), small, {.5f > 0, 0}, 2.0, 1);
  report.expect_equal("pointer to non-const", first_of(out), 2 + 4 + 5 + 1 + 1 + 1);
}

CORPUS_CASE(fills_in_default_arguments) {
  const corpus::DeviceArray<int> out(1);
  with_defaults<<<1, 1>>>(out.data());
  report.expect_equal("all", first_of(out), 311);
  with_defaults<<<1, 1>>>(out.data(), 'a' - 'a' + 4.7);
  report.expect_equal("two", first_of(out), 411);
  with_defaults<<<1, 1>>>(out.data(), 5, NULL);
  report.expect_equal("one", first_of(out), 511);
  with_defaults<<<1, 1>>>(out.data(), 6, out.data(), 4);
  report.expect_equal("none", first_of(out), 608);
}

CORPUS_CASE(evaluates_arguments_once) {
  const corpus::DeviceArray<int> out(64);
  int calls = 0;
  const auto value = [&calls] { return ++calls; };
  int threads = 32;
  fill<<<2, threads++>>>(out.data(), value());
  report.expect_equal("calls", calls, 1);
  report.expect_equal("threads", threads, 33);
  report.expect_equal("values", out.download(), std::vector<int>(64, 1));
}

CORPUS_CASE(launches_where_a_statement_may_stand) {
  const corpus::DeviceArray<int> out(2);
  for (int i = 0; i < 2; ++i) fill<<<1, 1>>>(out.data() + i, i + 1);
  report.expect_equal("for", out.download(), std::vector<int>{1, 2});
  if (out.size() == 2)
    inner::deep::twice<<<1, 2>>>(out.data(), 2);
  else
    (fill)<<<1, 1>>>(out.data(), 9);
  report.expect_equal("if", out.download(), std::vector<int>{2, 4});
  if (out.size() == 3)
    fill<<<1, 1>>>(out.data(), 9);
  else
    ::inner::deep::twice<<<1, 2>>>(out.data(), 2);
  report.expect_equal("else", out.download(), std::vector<int>{4, 8});
  int step = 0;
  do fill<<<1, 1>>>(out.data(), step), ++step;
  while (step < 3);
  report.expect_equal("comma", first_of(out), 2);
  switch (step) {
    case 3:
      fill<<<1, 1>>>(out.data(), 11);
      break;
    default:
      fill<<<1, 1>>>(out.data(), 12);
  }
  report.expect_equal("case", first_of(out), 11);
  const auto run = [&](int value) { return fill<<<1, 1>>>(out.data(), value); };
  run(13);
  report.expect_equal("lambda", first_of(out), 13);
  Owner(out.data()).run(3);
  report.expect_equal("member function", first_of(out), 10);
  (void)(out.size() == 2 ? fill<<<1, 1>>>(out.data(), 14) : fill<<<1, 1>>>(out.data(), 15));
  report.expect_equal("conditional", first_of(out), 14);
}

CORPUS_CASE(chooses_overloads_by_their_arguments) {
  const corpus::DeviceArray<int> integers(1);
  const corpus::DeviceArray<float> reals(1);
  overloaded<<<1, 1>>>(integers.data());
  overloaded<<<1, 1>>>(reals.data());
  report.expect_equal("int*", first_of(integers), 1);
  report.expect_equal("float*", reals.download()[0], 2.5f);
  overloaded<<<1, 1>>>(integers.data(), 8);
  report.expect_equal("int*, int", first_of(integers), 8);
}

CORPUS_CASE(launches_through_pointers) {
  const corpus::DeviceArray<int> out(2);
  void (*kernel)(int*, int) = fill;
  kernel<<<1, 1>>>(out.data(), 1.5);
  report.expect_equal("pointer", first_of(out), 1);
  (*kernel)<<<1, 1>>>(out.data(), 2);
  report.expect_equal("dereferenced", first_of(out), 2);
  void (*const table[])(int*, int) = {&fill, &inner::deep::twice, declared_first};
  table[1]<<<1, 1>>>(out.data(), 1);
  report.expect_equal("table", first_of(out), 4);
  const auto choose = [&](int i) { return table[i]; };
  choose(2)<<<1, 1>>>(out.data(), 3);
  report.expect_equal("result of a call", first_of(out), 1003);
  struct Choice {
    void (*kernel)(int*, int);
  } const choice = {fill}, * const pointer = &choice;
  choice.kernel<<<1, 1>>>(out.data(), 5);
  report.expect_equal("member", first_of(out), 5);
  pointer->kernel<<<1, 1>>>(out.data(), 6);
  report.expect_equal("member of a pointer", first_of(out), 6);
  (out.size() > 1 ? fill : declared_first)<<<1, 1>>>(out.data(), 7);
  report.expect_equal("conditional", first_of(out), 7);
}

namespace {
__global__ void declared_first(int* out, int value) { out[0] = value + 1000; }
}  // namespace

__global__ void waits_for_the_grid_before(int* values, int by) {
  cudaGridDependencySynchronize();
  values[threadIdx.x] += by;
  cudaTriggerProgrammaticLaunchCompletion();
}

CORPUS_CASE(launches_with_attributes) {
  const corpus::DeviceArray<int> values(std::vector<int>(32, 1));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  for (int by = 1; by <= 3; ++by) {
    report.expect_success("launch",
                          cudaLaunchKernelEx(&config, waits_for_the_grid_before, values.data(), by));
  }
  report.expect_equal("values", values.download(), std::vector<int>(32, 7));
}
