// What __half and its functions are, value by value: conversions in all rounding modes, comparisons with NaN,
// packing, operators, mathematical functions.
#include <cuda_fp16.h>

#include "corpus.h"
#include "low_precision_host.h"

namespace {

using corpus::half_bits;
using corpus::half_format;

__global__ void round_in_all_modes(const float* input, unsigned short* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  output[4 * i] = __half_as_ushort(__float2half_rn(input[i]));
  output[4 * i + 1] = __half_as_ushort(__float2half_rz(input[i]));
  output[4 * i + 2] = __half_as_ushort(__float2half_rd(input[i]));
  output[4 * i + 3] = __half_as_ushort(__float2half_ru(input[i]));
}

__global__ void widen_all(float* output) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  output[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
}

__global__ void to_integers(const float* input, long long* output, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const half x = input[i];
  const long long row[8] = {__half2int_rn(x),   __half2int_rz(x),  __half2int_rd(x),   __half2int_ru(x),
                            __half2short_rz(x), __half2uint_rz(x), __half2uchar_rz(x), __half2ll_rn(x)};
  for (int k = 0; k < 8; ++k) output[8 * i + k] = row[k];
}

__global__ void from_integers(const int* input, unsigned short* output, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  output[4 * i] = __half_as_ushort(__int2half_rn(input[i]));
  output[4 * i + 1] = __half_as_ushort(__int2half_rz(input[i]));
  output[4 * i + 2] = __half_as_ushort(__ll2half_rd(input[i]));
  output[4 * i + 3] = __half_as_ushort(__ull2half_ru(static_cast<unsigned long long>(input[i]) << 8));
}

__global__ void compare(const half* values, unsigned int* output, int n) {
  const int i = threadIdx.x;
  if (i >= n * n) return;
  const half a = values[i / n], b = values[i % n];
  const half2 v = {a, b}, w = {b, b};
  unsigned int bits = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 |
                      __hgt(a, b) << 4 | __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 |
                      __hltu(a, b) << 8 | __hleu(a, b) << 9 | __hgtu(a, b) << 10 | __hgeu(a, b) << 11 |
                      (a == b) << 12 | (a != b) << 13 | __hisnan(a) << 14 | __hbeq2(v, w) << 15;
  output[3 * i] = bits;
  output[3 * i + 1] = __hgt2_mask(v, w);
  output[3 * i + 2] = __half_as_ushort(__hmax(a, b)) | __half_as_ushort(__hmin_nan(a, b)) << 16;
}

__global__ void pack(const half2* input, half* output) {
  const half2 v = __ldg(input), w = __ldcg(input + 1);
  const half2 results[5] = {__lowhigh2highlow(v), __lows2half2(v, w), __highs2half2(v, w),
                            __halves2half2(w.y, __low2half(v)), __half2half2(v.y)};
  for (int i = 0; i < 5; ++i) {
    output[2 * i] = results[i].x;
    __stcg(output + 2 * i + 1, results[i].y);
  }
}

__global__ void operate(float* output) {
  half x = threadIdx.x + 2;  // from unsigned int
  half2 v(x, 0.5f);
  x += half(0.25);
  x *= x;
  output[0] = x;
  output[1] = x++;
  output[2] = -x;
  v = v * v - __float2half2_rn(1.0f);
  output[3] = __low2float(v);
  output[4] = __high2float(v);
  output[5] = x > half(6) && static_cast<bool>(x) ? static_cast<int>(x) : 0;
  const __half_raw raw = x;
  output[6] = raw.x;
}

__global__ void apply(const half* input, float* output, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const half x = input[i];
  const half results[14] = {hsqrt(x), hrsqrt(x), hrcp(x), hexp(x),  hexp2(x),  hexp10(x), hlog(x),
                            hlog2(x), hsin(x),   hcos(x), htanh(x), hfloor(x), hceil(x),  hrint(x)};
  for (int k = 0; k < 14; ++k) output[14 * i + k] = results[k];
}

// In the direction of a rounding mode: 0 to nearest, 1 to zero, 2 down, 3 up.
double round_half(double x, int mode) {
  if (mode == 0 || !std::isfinite(x)) return corpus::round_to(half_format, x);
  const double unit = corpus::unit_of(x, half_format), units = x / unit;
  const double result = unit * (mode == 1   ? std::trunc(units)
                                : mode == 2 ? std::floor(units)
                                            : std::ceil(units));
  if (std::fabs(result) <= half_format.largest) return std::copysign(result, x);
  const bool away = mode != 1 && (mode == 2) == (x < 0);
  return std::copysign(away ? INFINITY : half_format.largest, x);
}

}  // namespace

CORPUS_CASE(rounds_floats_to_halves_in_all_modes) {
  std::vector<float> input = {0.0f,   -0.0f,   INFINITY,   -INFINITY, NAN,
                              1e-30f, -1e-30f, 65519.996f, 65520.0f,  -65520.0f};
  // Every 37th half, the middle to the next, and what lies beside both.
  for (int code = 0; code < 0x7bff; code += 37) {
    const float x = static_cast<float>(
        std::ldexp(code & 0x3ff | (code >> 10 ? 0x400 : 0), code >> 10 ? (code >> 10) - 25 : -24));
    const float middle = x + static_cast<float>(corpus::unit_of(x, half_format)) / 2;
    for (const float y : {x, middle}) {
      for (const float z : {y, std::nextafterf(y, 1e30f), std::nextafterf(y, -1e30f)}) {
        input.push_back(z);
        input.push_back(-z);
      }
    }
  }
  const int n = static_cast<int>(input.size());
  const corpus::DeviceArray<float> device_input(input);
  const corpus::DeviceArray<unsigned short> output(4 * n);
  round_in_all_modes<<<(n + 255) / 256, 256>>>(device_input.data(), output.data(), n);
  std::vector<unsigned short> expected(4 * n);
  for (int i = 0; i < 4 * n; ++i)
    expected[i] = corpus::code_of(half_format, round_half(input[i / 4], i % 4), 16);
  report.expect_equal("halves", output.download(), expected);
}

CORPUS_CASE(widens_every_half) {
  const corpus::DeviceArray<float> output(65536);
  widen_all<<<256, 256>>>(output.data());
  std::vector<float> expected(65536);
  for (int i = 0; i < 65536; ++i) {
    const int exponent = i >> 10 & 0x1f, mantissa = i & 0x3ff;
    double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    if (exponent == 31) value = mantissa == 0 ? INFINITY : NAN;
    expected[i] = static_cast<float>(i >= 0x8000 ? -value : value);
  }
  report.expect_equal("values", output.download(), expected);
}

CORPUS_CASE(converts_integers) {
  const std::vector<float> input = {0.5f,      1.5f,     -2.5f,     2.75f, -0.25f, 65504.0f,
                                    -65504.0f, INFINITY, -INFINITY, NAN,   300.0f};
  const int n = static_cast<int>(input.size());
  const corpus::DeviceArray<float> device_input(input);
  const corpus::DeviceArray<long long> integers(8 * n);
  to_integers<<<1, 32>>>(device_input.data(), integers.data(), n);
  const auto saturate = [](double x, double low, double high) {
    return std::isnan(x) ? 0ll : static_cast<long long>(std::fmin(std::fmax(x, low), high));
  };
  std::vector<long long> expected;
  for (const double x : input) {
    const double low = -2147483648.0, high = 2147483647.0;
    expected.insert(expected.end(),
                    {saturate(std::nearbyint(x), low, high), saturate(std::trunc(x), low, high),
                     saturate(std::floor(x), low, high), saturate(std::ceil(x), low, high),
                     saturate(std::trunc(x), -32768.0, 32767.0), saturate(std::trunc(x), 0.0, 4294967295.0),
                     saturate(std::trunc(x), 0.0, 255.0)});
    const long long lowest = -9223372036854775807ll - 1, highest = 9223372036854775807ll;
    expected.push_back(std::isnan(x) ? lowest : std::isinf(x) ? (x < 0 ? lowest : highest) : std::llrint(x));
  }
  report.expect_equal("integers", integers.download(), expected);

  const std::vector<int> whole = {0, 1, 2047, 2049, 2051, 4099, 65519, 65520, 70000, 123457};
  const corpus::DeviceArray<int> device_whole(whole);
  const corpus::DeviceArray<unsigned short> halves(4 * whole.size());
  from_integers<<<1, 32>>>(device_whole.data(), halves.data(), static_cast<int>(whole.size()));
  std::vector<unsigned short> codes;
  for (const int x : whole) {
    for (int mode = 0; mode < 4; ++mode) {
      codes.push_back(corpus::code_of(half_format, round_half(mode == 3 ? 256.0 * x : x, mode), 16));
    }
  }
  report.expect_equal("halves", halves.download(), codes);
}

CORPUS_CASE(compares_with_nan) {
  const std::vector<double> values = {1.0, 2.0, -1.0, 0.0, -0.0, INFINITY, NAN, 0x1p-24};
  const int n = static_cast<int>(values.size());
  std::vector<unsigned short> codes;
  for (const double x : values) codes.push_back(half_bits(x));
  const corpus::DeviceArray<unsigned short> input(codes);
  const corpus::DeviceArray<unsigned int> output(3 * n * n);
  compare<<<1, 64>>>(reinterpret_cast<const half*>(input.data()), output.data(), n);
  std::vector<unsigned int> expected;
  for (int i = 0; i < n * n; ++i) {
    const double a = values[i / n], b = values[i % n];
    const bool un = std::isnan(a) || std::isnan(b), eq = a == b, lt = a<b, gt = a> b;
    expected.push_back(eq | (lt || gt) << 1 | lt << 2 | (lt || eq) << 3 | gt << 4 | (gt || eq) << 5 |
                       (eq || un) << 6 | (!eq || un) << 7 | (lt || un) << 8 | (lt || eq || un) << 9 |
                       (gt || un) << 10 | (gt || eq || un) << 11 | eq << 12 | !eq << 13 |
                       std::isnan(a) << 14 | (eq && b == b) << 15);
    expected.push_back(gt ? 0xffffu : 0u);
    const bool a_below_b = lt || (eq && std::signbit(a) && !std::signbit(b));
    const double high = std::isnan(a) ? b : std::isnan(b) ? a : a_below_b ? b : a;
    const double low = un ? NAN : a_below_b ? a : b;
    expected.push_back(half_bits(high) | static_cast<unsigned int>(half_bits(low)) << 16);
  }
  report.expect_equal("results", output.download(), expected);
}

CORPUS_CASE(packs_pairs) {
  const corpus::DeviceArray<unsigned short> input(std::vector<unsigned short>{1, 2, 3, 4}), output(10);
  pack<<<1, 1>>>(reinterpret_cast<const half2*>(input.data()), reinterpret_cast<half*>(output.data()));
  report.expect_equal("halves", output.download(), {2, 1, 1, 3, 2, 4, 4, 1, 2, 2});
}

CORPUS_CASE(operators_and_implicit_conversions) {
  const corpus::DeviceArray<float> output(7);
  operate<<<1, 1>>>(output.data());
  // 2.25 squared is 5.0625, stored exactly; plus one 6.0625.
  report.expect_equal(
      "results", output.download(),
      {5.0625f, 5.0625f, -6.0625f, 3.0f, -0.75f, 6.0f, static_cast<float>(half_bits(6.0625))});
}

// A GPU's functions are at most two units in the last place off; whole-number functions and sqrt are exact.
CORPUS_CASE(mathematical_functions) {
  std::vector<unsigned short> codes;
  std::vector<double> values;
  for (double x = 0x1p-6; x < 4.5; x = corpus::round_to(half_format, x * 1.37)) {
    values.push_back(x);
    codes.push_back(half_bits(x));
  }
  const int n = static_cast<int>(values.size());
  const corpus::DeviceArray<unsigned short> input(codes);
  const corpus::DeviceArray<float> output(14 * n);
  apply<<<1, 32>>>(reinterpret_cast<const half*>(input.data()), output.data(), n);
  const std::vector<float> actual = output.download();
  for (int i = 0; i < n; ++i) {
    const double x = values[i];
    const double expected[14] = {std::sqrt(x), 1 / std::sqrt(x),  1 / x,        std::exp(x),
                                 std::exp2(x), std::pow(10.0, x), std::log(x),  std::log2(x),
                                 std::sin(x),  std::cos(x),       std::tanh(x), std::floor(x),
                                 std::ceil(x), std::nearbyint(x)};
    for (int k = 0; k < 14; ++k) {
      const double units = k == 0 || k > 10 ? 0.5 : 2.0;
      const double allowed = units * corpus::unit_of(expected[k], half_format);
      report.expect("function within its bound", std::fabs(actual[14 * i + k] - expected[k]) <= allowed);
    }
  }
}
