// The four rounding modes, against the host's processor in the same mode (volatile, so that the arithmetic
// stays between the changes of the mode).
#include <cfenv>
#include <limits>

#include "device_map.h"

namespace {

constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// Powers of two and their neighbours, denormals, the largest, thirds, zeros and infinities, of both signs.
template <class T>
std::vector<T> operands() {
  const bool single = sizeof(T) == 4;
  const T tiny = single ? T(0x1p-149) : T(0x1p-1074), normal = single ? T(0x1p-126) : T(0x1p-1022);
  const T most = single ? T(0x1.fffffep127) : T(0x1.fffffffffffffp1023),
          unit = single ? T(0x1p-23) : T(0x1p-52);
  std::vector<T> values = {0,
                           tiny,
                           3 * tiny,
                           normal - tiny,
                           normal,
                           normal + tiny,
                           unit,
                           unit / 2,
                           unit / 4,
                           1,
                           1 + unit,
                           1 - unit / 2,
                           T(1) / 3,
                           T(0.1),
                           3,
                           T(1e10),
                           std::sqrt(most),
                           most / 3,
                           most,
                           std::sqrt(normal) * (1 + unit),
                           std::numeric_limits<T>::infinity()};
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <class T, class F>
T in_mode(int mode, F operation, T x, T y, T z) {
  volatile T a = x, b = y, c = z;
  std::fesetround(mode);
  volatile T result = operation(a, b, c);
  std::fesetround(FE_TONEAREST);
  return result;
}

// The bits, so that zeros of both signs differ; all NaNs are one.
template <class T>
long long bits(T x) {
  if (x != x) return -1;
  long long result = 0;
  std::memcpy(&result, &x, sizeof x);
  return result;
}

// Triples of operands: all pairs in all modes, and a third that goes with them.
struct Triple {
  __host__ __device__ Triple(int i, int n)
      : x(i / 4 / n), y(i / 4 % n), z((x * 5 + y * 3) % n), mode(i % 4) {}
  int x, y, z, mode;
};

template <class Operation, class T>
__global__ void round_all(const T* values, int n, T* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Triple at(i, n);
  out[i] = Operation::on_device(values[at.x], values[at.y], values[at.z], at.mode);
}

template <class Operation, class T = typename Operation::Type>
void check(corpus::Report& report, const char* what) {
  const std::vector<T> table = operands<T>();
  const int n = static_cast<int>(table.size()), count = n * n * 4;
  const corpus::DeviceArray<T> values(table), out(count);
  round_all<Operation><<<(count + 127) / 128, 128>>>(values.data(), n, out.data(), count);
  const std::vector<T> actual = out.download();
  std::vector<long long> actual_bits, expected_bits;
  for (int i = 0; i < count; ++i) {
    const Triple at(i, n);
    actual_bits.push_back(bits(actual[i]));
    expected_bits.push_back(
        bits(in_mode(modes[at.mode], Operation::on_host, table[at.x], table[at.y], table[at.z])));
  }
  report.expect_equal(what, actual_bits, expected_bits);
}

#define OPERATION(type, name, arguments, expression)                                                       \
  struct Operation##name {                                                                                 \
    using Type = type;                                                                                     \
    static __device__ type on_device(type x, [[maybe_unused]] type y, [[maybe_unused]] type z, int mode) { \
      return mode == 0   ? name##_rn arguments                                                             \
             : mode == 1 ? name##_rz arguments                                                             \
             : mode == 2 ? name##_rd arguments                                                             \
                         : name##_ru arguments;                                                            \
    }                                                                                                      \
    static type on_host(volatile type& x, [[maybe_unused]] volatile type& y,                               \
                        [[maybe_unused]] volatile type& z) {                                               \
      return expression;                                                                                   \
    }                                                                                                      \
  };
OPERATION(float, __fadd, (x, y), x + y)
OPERATION(float, __fsub, (x, y), x - y)
OPERATION(float, __fmul, (x, y), x* y)
OPERATION(float, __fdiv, (x, y), x / y)
OPERATION(float, __frcp, (x), 1.0f / x)
OPERATION(float, __fsqrt, (x), std::sqrt(float(x)))
OPERATION(float, __fmaf, (x, y, z), std::fma(float(x), float(y), float(z)))
OPERATION(double, __dadd, (x, y), x + y)
OPERATION(double, __dsub, (x, y), x - y)
OPERATION(double, __dmul, (x, y), x* y)
OPERATION(double, __ddiv, (x, y), x / y)
OPERATION(double, __drcp, (x), 1.0 / x)
OPERATION(double, __dsqrt, (x), std::sqrt(double(x)))
OPERATION(double, __fma, (x, y, z), std::fma(double(x), double(y), double(z)))

}  // namespace

#define EXPECT_ROUNDED(name) check<Operation##name>(report, #name)

CORPUS_CASE(rounds_sums_and_products_of_floats) {
  EXPECT_ROUNDED(__fadd);
  EXPECT_ROUNDED(__fsub);
  EXPECT_ROUNDED(__fmul);
}

CORPUS_CASE(rounds_quotients_and_roots_of_floats) {
  EXPECT_ROUNDED(__fdiv);
  EXPECT_ROUNDED(__frcp);
  EXPECT_ROUNDED(__fsqrt);
}

CORPUS_CASE(rounds_sums_and_products_of_doubles) {
  EXPECT_ROUNDED(__dadd);
  EXPECT_ROUNDED(__dsub);
  EXPECT_ROUNDED(__dmul);
}

CORPUS_CASE(rounds_quotients_and_roots_of_doubles) {
  EXPECT_ROUNDED(__ddiv);
  EXPECT_ROUNDED(__drcp);
  EXPECT_ROUNDED(__dsqrt);
}

CORPUS_CASE(rounds_fused_multiply_add) {
  EXPECT_ROUNDED(__fmaf);
  EXPECT_ROUNDED(__fma);
}
