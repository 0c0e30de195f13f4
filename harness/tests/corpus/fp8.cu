// The types of 8 bits: their codes, rounding and saturation, vectors, and quantisation with a scale.
#include <cuda_fp8.h>

#include "corpus.h"
#include "low_precision_host.h"

namespace {

using corpus::e4m3_format;
using corpus::e5m2_format;

__global__ void decode(float* e4m3, float* e5m2, unsigned short* halves) {
  const int i = threadIdx.x;
  __nv_fp8_e4m3 x;
  __nv_fp8_e5m2 y;
  x.__x = y.__x = static_cast<__nv_fp8_storage_t>(i);
  e4m3[i] = static_cast<float>(x);
  e5m2[i] = float(y);
  halves[2 * i] = __nv_cvt_fp8_to_halfraw(x.__x, __NV_E4M3).x;
  halves[2 * i + 1] = __half_as_ushort(static_cast<__half>(y));
}

__global__ void encode(const float* input, unsigned char* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  output[4 * i] = __nv_cvt_float_to_fp8(input[i], __NV_SATFINITE, __NV_E4M3);
  output[4 * i + 1] = __nv_cvt_float_to_fp8(input[i], __NV_NOSAT, __NV_E4M3);
  output[4 * i + 2] = __nv_fp8_e5m2(input[i]).__x;
  output[4 * i + 3] = __nv_cvt_float_to_fp8(input[i], __NV_NOSAT, __NV_E5M2);
}

__global__ void quantise(const float4* input, __nv_fp8x4_e4m3* codes, float4* output, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = input[i];
  codes[i] = __nv_fp8x4_e4m3(make_float4(v.x / scale, v.y / scale, v.z / scale, v.w / scale));
  const float4 w = static_cast<float4>(codes[i]);
  output[i] = make_float4(w.x * scale, w.y * scale, w.z * scale, w.w * scale);
}

__global__ void dot(const __nv_fp8x2_e5m2* a, const __nv_fp8x2_e5m2* b, float* result, int pairs) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += 32) {
    const float2 x = static_cast<float2>(a[i]);
    const __half2 y = static_cast<__half2>(b[i]);
    sum += x.x * __low2float(y) + x.y * __high2float(y);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x == 0) *result = sum;
}

__global__ void convert(unsigned int* output) {
  const __half half = __float2half(300.0f);
  const __nv_bfloat16 bfloat = __float2bfloat16(-0.3f);
  output[0] = __nv_fp8_e4m3(half).__x;
  output[1] = __nv_fp8_e5m2(bfloat).__x;
  output[2] = __nv_fp8_e4m3(20).__x;
  output[3] = static_cast<int>(__nv_fp8_e4m3(-3.75));
  output[4] = static_cast<bool>(__nv_fp8_e5m2(0.0f)) + 2 * static_cast<bool>(__nv_fp8_e5m2(-1.0f));
  output[5] = __nv_fp8x2_e4m3(make_float2(1.0f, -2.0f)).__x;
  output[6] = __nv_fp8x4_e5m2(__floats2half2_rn(1.0f, 2.0f), __floats2half2_rn(4.0f, 8.0f)).__x;
  output[7] = __nv_cvt_halfraw2_to_fp8x2(__floats2half2_rn(1.0f, 70000.0f), __NV_SATFINITE, __NV_E5M2);
  output[8] = static_cast<unsigned char>(__nv_fp8_e4m3(INFINITY));
}

double value_of(unsigned int code, const corpus::Format& format) {
  const int bits = format.precision - 1, field = static_cast<int>((code & 0x7f) >> bits);
  const int mantissa = static_cast<int>(code & ((1u << bits) - 1)) + (field == 0 ? 0 : 1 << bits);
  const double value = std::ldexp(mantissa, (field == 0 ? 0 : field - 1) + format.lowest_exponent - bits);
  return code & 0x80 ? -value : value;
}

// `beyond` is what numbers too large become.
unsigned char code_of(double x, const corpus::Format& format, unsigned int nan, unsigned int beyond) {
  if (std::isnan(x)) return static_cast<unsigned char>(nan);
  const double rounded = corpus::round_to(format, x);
  const unsigned int sign = std::signbit(x) ? 0x80 : 0;
  return static_cast<unsigned char>(std::isinf(rounded) ? sign | beyond
                                                        : corpus::code_of(format, rounded, 8));
}

}  // namespace

CORPUS_CASE(decodes_every_code) {
  const corpus::DeviceArray<float> e4m3(256), e5m2(256);
  const corpus::DeviceArray<unsigned short> halves(512);
  decode<<<1, 256>>>(e4m3.data(), e5m2.data(), halves.data());
  std::vector<float> first(256), second(256);
  std::vector<unsigned short> codes(512);
  for (unsigned int i = 0; i < 256; ++i) {
    first[i] = (i & 0x7f) == 0x7f ? NAN : static_cast<float>(value_of(i, e4m3_format));
    second[i] = (i & 0x7f) > 0x7c ? NAN : static_cast<float>(value_of(i, e5m2_format));
    if ((i & 0x7f) == 0x7c) second[i] = i & 0x80 ? -INFINITY : INFINITY;
    codes[2 * i] = corpus::half_bits(first[i]);
    codes[2 * i + 1] = corpus::half_bits(second[i]);
  }
  report.expect_equal("e4m3", e4m3.download(), first);
  report.expect_equal("e5m2", e5m2.download(), second);
  report.expect_equal("halves", halves.download(), codes);
}

CORPUS_CASE(encodes_ties_and_saturates) {
  std::vector<float> input = {0.0f,   -0.0f,  NAN,     INFINITY, -INFINITY, 1e30f, -1e30f,
                              464.0f, 464.1f, -470.0f, 61440.0f, 61439.0f,  1e-30f};
  for (unsigned int code = 0; code < 0x7b; ++code) {
    for (const corpus::Format& format : {e4m3_format, e5m2_format}) {
      const float middle = static_cast<float>((value_of(code, format) + value_of(code + 1, format)) / 2);
      for (const float x : {middle, std::nextafterf(middle, 0.0f), std::nextafterf(middle, 1e30f)}) {
        input.push_back(x);
        input.push_back(-x);
      }
    }
  }
  const int n = static_cast<int>(input.size());
  const corpus::DeviceArray<float> device_input(input);
  const corpus::DeviceArray<unsigned char> output(4 * n);
  encode<<<(n + 127) / 128, 128>>>(device_input.data(), output.data(), n);
  std::vector<int> expected, actual;
  for (const unsigned char code : output.download()) actual.push_back(code);
  for (const double x : input) {
    expected.push_back(code_of(x, e4m3_format, 0x7f, 0x7e));
    expected.push_back(code_of(x, e4m3_format, 0x7f, 0x7f));
    expected.push_back(code_of(x, e5m2_format, 0x7f, 0x7b));
    expected.push_back(code_of(x, e5m2_format, 0x7f, 0x7c));
  }
  report.expect_equal("codes", actual, expected);
}

CORPUS_CASE(quantises_with_a_scale) {
  const int n = 400;
  const float scale = 0.25f;
  const auto input = corpus::numbers(n, 7);
  const corpus::DeviceArray<float> device_input(input), output(n);
  const corpus::DeviceArray<__nv_fp8x4_e4m3> codes(n / 4);
  quantise<<<2, 64>>>(reinterpret_cast<const float4*>(device_input.data()), codes.data(),
                      reinterpret_cast<float4*>(output.data()), scale, n / 4);
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) {
    expected[i] = scale * static_cast<float>(corpus::round_to(e4m3_format, input[i] / scale));
  }
  report.expect_equal("values", output.download(), expected);
}

CORPUS_CASE(multiplies_vectors_of_two) {
  const int n = 200;
  std::vector<unsigned short> a(n / 2), b(n / 2);
  float expected = 0.0f;
  for (int i = 0; i < n; ++i) {
    const float x = static_cast<float>(i % 7 - 3), y = static_cast<float>(i % 4) / 2;
    expected += x * y;
    a[i / 2] |= static_cast<unsigned short>(corpus::code_of(e5m2_format, x, 8) << (i % 2 * 8));
    b[i / 2] |= static_cast<unsigned short>(corpus::code_of(e5m2_format, y, 8) << (i % 2 * 8));
  }
  const corpus::DeviceArray<unsigned short> da(a), db(b);
  const corpus::DeviceArray<float> result(1);
  dot<<<1, 32>>>(reinterpret_cast<const __nv_fp8x2_e5m2*>(da.data()),
                 reinterpret_cast<const __nv_fp8x2_e5m2*>(db.data()), result.data(), n / 2);
  report.expect_equal("dot product", result.download(), {expected});
}

CORPUS_CASE(converts_other_types) {
  const corpus::DeviceArray<unsigned int> output(9);
  convert<<<1, 1>>>(output.data());
  const auto e4m3 = [](double x) { return corpus::code_of(e4m3_format, x, 8); };
  const auto e5m2 = [](double x) { return corpus::code_of(e5m2_format, x, 8); };
  report.expect_equal(
      "codes", output.download(),
      {e4m3(288), e5m2(-0.3125), e4m3(20), static_cast<unsigned int>(-3), 2u, e4m3(1) | e4m3(-2) << 8,
       e5m2(1) | e5m2(2) << 8 | e5m2(4) << 16 | e5m2(8) << 24, e5m2(1) | e5m2(57344) << 8, 255u});
}
