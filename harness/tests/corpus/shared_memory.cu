// Static shared memory in the forms that people declare it.
#include "corpus.h"

namespace {

struct Pair {
  int first;
  float second;
};
union Word {
  unsigned int bits;
  float value;
};
// A constructor that does nothing: what shared memory may hold.
struct Empty {
  Empty() = default;
  int value;
};
template <class T>
struct Traits {
  using Vector = T;
  enum { lanes = 4 };
};

// Each thread writes its own element and reads its neighbour's.
template <class T>
__device__ T neighbour(T* values, T own, unsigned int count) {
  values[threadIdx.x] = own;
  __syncthreads();
  const T result = values[(threadIdx.x + 1) % count];
  __syncthreads();
  return result;
}

__global__ void several_in_one_declaration(int* out) {
  __shared__ int a[8], b[2][8 / 2], total, *pointer, *pointers[2];
  a[threadIdx.x] = threadIdx.x;
  b[threadIdx.x / 4][threadIdx.x % 4] = 10 * threadIdx.x;
  if (threadIdx.x == 0) total = 100, pointer = a, pointers[0] = &total, pointers[1] = &b[0][0];
  __syncthreads();
  out[threadIdx.x] = pointer[7 - threadIdx.x] + pointers[1][threadIdx.x] + *pointers[0] +
                     static_cast<int>(sizeof(a) + sizeof(b) + sizeof total);
}

__global__ void aggregates(float* out) {
  __shared__ Pair pairs[8];
  __shared__ union Word word;
  __shared__ struct {
    int index;
    float values[8];
  } anonymous, other[2];
  __shared__ struct Local { float x, y; } local;
  __shared__ Empty empty[2];
  pairs[threadIdx.x] = {static_cast<int>(threadIdx.x), 0.5f};
  anonymous.values[threadIdx.x] = pairs[threadIdx.x].second;
  if (threadIdx.x == 0) {
    word.value = 1.0f;
    anonymous.index = 3;
    other[1].index = 4;
    local.x = local.y = 2.0f;
    empty[1].value = 5;
  }
  __syncthreads();
  out[threadIdx.x] = pairs[7 - threadIdx.x].first + anonymous.values[0] + (word.bits >> 24) +
                     anonymous.index + other[1].index + local.y + empty[1].value;
}

__global__ void aligned_and_qualified(int* out) {
  __shared__ __align__(16) char bytes[40];
  alignas(32) __shared__ float vectors[8];
  __shared__ alignas(sizeof(double2)) unsigned char raw[8 * sizeof(double2)];
  __align__(8) __shared__ volatile int late[8];
  static __shared__ int fixed[8];
  volatile __shared__ float shaken[8];
  [[maybe_unused]] __shared__ int unused[2];
  __shared__ const int* constant;
  const auto misaligned = [](const volatile void* p, int alignment) {
    return static_cast<int>(reinterpret_cast<size_t>(p) % alignment);
  };
  bytes[threadIdx.x] = fixed[threadIdx.x] = late[threadIdx.x] = threadIdx.x;
  reinterpret_cast<double2*>(raw)[threadIdx.x] = make_double2(threadIdx.x, 0);
  shaken[threadIdx.x] = vectors[threadIdx.x] = 1;
  if (threadIdx.x == 0) constant = fixed;
  __syncthreads();
  const int i = 7 - threadIdx.x;
  out[threadIdx.x] = bytes[i] + fixed[i] + late[i] + constant[i] + shaken[i] + vectors[i] +
                     static_cast<int>(reinterpret_cast<double2*>(raw)[i].x) + misaligned(bytes, 16) +
                     misaligned(vectors, 32) + misaligned(raw, 16) + misaligned(late, 8);
}

template <class T, int Rows, int Columns = Rows + 1>
__global__ void in_a_template(T* out) {
  constexpr int extent = Rows * Traits<T>::lanes;
  __shared__ T tile[Rows][Columns];
  __shared__ typename Traits<T>::Vector line[extent], (*rows)[Columns];
  __shared__ T shifted[(Rows > 2 ? 1 << 3 : 8)];
  tile[threadIdx.x % Rows][threadIdx.x / Rows] = line[threadIdx.x] = shifted[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) rows = tile;
  __syncthreads();
  out[threadIdx.x] = rows[(threadIdx.x + 1) % Rows][threadIdx.x / Rows] + line[7 - threadIdx.x] + shifted[0] +
                     T(sizeof(tile) / sizeof(T));
}

#define SHARED_ARRAY(type, name, extent) __shared__ type name[extent]
#define SHARED_PAIR(name)          \
  __shared__ float name##_left[8]; \
  __shared__ float name##_right[8];
#define SHARED __shared__
#define SHARED_INTEGER SHARED_ALIGNED int
#define SHARED_ALIGNED __shared__ __align__(16)

__global__ void in_macros(float* out) {
  SHARED_ARRAY(int, one, 8);
  SHARED_ARRAY(float, two, 8);
  SHARED_PAIR(pair)
  SHARED float three[8], four[2][4];
  SHARED_INTEGER five;
  one[threadIdx.x] = threadIdx.x;
  two[threadIdx.x] = pair_left[threadIdx.x] = pair_right[threadIdx.x] = three[threadIdx.x] = 1;
  four[threadIdx.x / 4][threadIdx.x % 4] = 1;
  if (threadIdx.x == 0) five = 5;
  __syncthreads();
  const int i = 7 - threadIdx.x;
  out[threadIdx.x] = one[i] + two[i] + pair_left[i] + pair_right[i] + three[i] + four[i / 4][i % 4] + five;
}

__device__ int through_a_function(int own) {
  __shared__ int values[8];
  return neighbour(values, own, 8);
}

__global__ void in_scopes_loops_and_functions(int* out) {
  int sum = through_a_function(threadIdx.x);
  {
    __shared__ int values[8];
    sum += neighbour(values, 10, 8);
  }
  for (int step = 0; step < 3; ++step) {
    __shared__ int values[8];
    sum += neighbour(values, step, 8);
    if (step == 1) {
      __shared__ int extra[8];
      extra[threadIdx.x] = 100;
      __syncthreads();
      sum += extra[7 - threadIdx.x];
    }
  }
  const auto in_a_lambda = [&](int own) {
    __shared__ int values[8];
    return neighbour(values, own, 8);
  };
  out[threadIdx.x] = sum + in_a_lambda(1000);
}

// Lambdas name shared variables without capturing them.
__global__ void named_in_lambdas(int* out, int offset) {
  __shared__ int values[8];
  __shared__ int total;
  const auto store = [](int value) { values[threadIdx.x] = value; };
  const auto load = [=](int i) { return values[i] + offset; };
  const auto add = [offset](int value) {
    const auto inner = [=] { atomicAdd(&total, value + offset); };
    inner();
  };
  if (threadIdx.x == 0) total = 0;
  store(threadIdx.x);
  __syncthreads();
  add(1);
  __syncthreads();
  out[threadIdx.x] = load(7 - threadIdx.x) + total;
}

template <class Kernel, class T>
std::vector<T> run(Kernel kernel, T) {
  const corpus::DeviceArray<T> out(8);
  kernel<<<1, 8>>>(out.data());
  return out.download();
}

template <class T, class F>
std::vector<T> each(F f) {
  std::vector<T> result(8);
  for (int i = 0; i < 8; ++i) result[i] = static_cast<T>(f(i));
  return result;
}

}  // namespace

CORPUS_CASE(declares_several_at_once) {
  report.expect_equal("values", run(several_in_one_declaration, 0),
                      each<int>([](int i) { return 7 - i + 10 * i + 100 + 32 + 32 + 4; }));
}

CORPUS_CASE(holds_aggregates) {
  report.expect_equal("values", run(aggregates, 0.0f),
                      each<float>([](int i) { return 7 - i + 0.5f + 0x3f + 3 + 4 + 2 + 5; }));
}

CORPUS_CASE(keeps_alignment_and_qualifiers) {
  report.expect_equal("values", run(aligned_and_qualified, 0),
                      each<int>([](int i) { return 5 * (7 - i) + 2; }));
}

CORPUS_CASE(depends_on_template_parameters) {
  const auto expected = [](int i) { return (i + 1) % 4 + i / 4 * 4 + 7 - i + 20; };
  report.expect_equal("int", run(in_a_template<int, 4>, 0), each<int>(expected));
  report.expect_equal("float", run(in_a_template<float, 4>, 0.0f), each<float>(expected));
}

CORPUS_CASE(comes_from_macros) {
  report.expect_equal("values", run(in_macros, 0.0f), each<float>([](int i) { return 7 - i + 5 + 5; }));
}

CORPUS_CASE(stands_in_scopes_loops_and_functions) {
  report.expect_equal("values", run(in_scopes_loops_and_functions, 0),
                      each<int>([](int i) { return (i + 1) % 8 + 10 + 3 + 100 + 1000; }));
}

CORPUS_CASE(is_named_in_lambdas) {
  const corpus::DeviceArray<int> out(8);
  named_in_lambdas<<<1, 8>>>(out.data(), 2);
  report.expect_equal("values", out.download(), each<int>([](int i) { return 7 - i + 2 + 8 * 3; }));
}

// Bounds that compare, and a constant that no header of this file defines.
template <int Warps>
__global__ void uses_compared_bounds(int* out) {
  __shared__ int rest[Warps - 1 > 0 ? Warps - 1 : 1][(Warps > 2) + 1];
  rest[0][0] = threadIdx.x == 0 ? sizeof(rest) / sizeof(int) : INT_MAX;
  if (threadIdx.x == 0) out[0] = rest[0][0];
}

CORPUS_CASE(takes_bounds_that_compare) {
  const corpus::DeviceArray<int> out(2);
  uses_compared_bounds<1><<<1, 1>>>(out.data());
  uses_compared_bounds<4><<<1, 1>>>(out.data() + 1);
  report.expect_equal("sizes", out.download(), std::vector<int>{1, 6});
}
