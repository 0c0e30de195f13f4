// Kernels on __nv_bfloat16 and its pairs, and what its conversions and functions are.
#include <cuda_bf16.h>

#include "corpus.h"
#include "low_precision_host.h"

namespace {

using corpus::bfloat16_bits;
using corpus::bfloat16_format;
using corpus::round_to;

__global__ void convert(const float* input, unsigned short* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_bfloat16 nearest = __float2bfloat16(input[i]);
  const nv_bfloat162 both = __floats2bfloat162_rn(static_cast<float>(nearest), input[i]);
  output[4 * i] = __bfloat16_as_ushort(nearest);
  output[4 * i + 1] = __bfloat16_as_ushort(__float2bfloat16_rz(input[i]));
  output[4 * i + 2] = __bfloat16_as_ushort(both.x);
  output[4 * i + 3] = __bfloat16_as_ushort(__high2bfloat16(both));
}

__global__ void normalise(const __nv_bfloat16* input, const __nv_bfloat16* scale, __nv_bfloat16* output,
                          int columns) {
  __shared__ float sums[2][32];
  const __nv_bfloat16* row = input + blockIdx.x * columns;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float x = __bfloat162float(row[i]);
    sum += x;
    squares += x * x;
  }
  sums[0][threadIdx.x] = sum;
  sums[1][threadIdx.x] = squares;
  __syncthreads();
  sum = squares = 0.0f;
  for (int i = 0; i < 32; ++i) {
    sum += sums[0][i];
    squares += sums[1][i];
  }
  const float mean = sum / columns, deviation = rsqrtf(squares / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += 32) {
    const __nv_bfloat16 centred = __float2bfloat16((__bfloat162float(row[i]) - mean) * deviation);
    output[blockIdx.x * columns + i] = centred * scale[i];
  }
}

__global__ void dot(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat16* result, int pairs) {
  __nv_bfloat162 sum = __float2bfloat162_rn(0.0f);
  for (int i = threadIdx.x; i < pairs; i += 32) sum = __hfma2(a[i], b[i], sum);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum = sum + __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x == 0) *result = sum.x + sum.y;
}

__global__ void fuse(const float* a, const float* b, const float* c, unsigned short* output, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const __nv_bfloat16 x = a[i], y = b[i], z = c[i];
  output[2 * i] = __bfloat16_as_ushort(__hfma(x, y, z));
  output[2 * i + 1] = __bfloat16_as_ushort(__hfma_relu(x, y, z));
}

__global__ void count(__nv_bfloat16* single, __nv_bfloat162* pair) {
  atomicAdd(single, __float2bfloat16(0.5f));
  atomicAdd(pair, __nv_bfloat162(1, -2));
}

__global__ void mix(const float* input, float* output) {
  const __nv_bfloat16 x = input[0], y = input[1];
  __nv_bfloat16 z = __hmul(x, y);
  z -= x;
  output[0] = z;
  output[1] = __hdiv(x, y);
  output[2] = static_cast<float>(__half(x));
  output[3] = static_cast<float>(__nv_bfloat16(__float2half(input[2])));
  output[4] = __bfloat162int_rn(y) + __bfloat162int_rz(x) + __bfloat162int_ru(x);
  output[5] = __int2bfloat16_rn(257);
  output[6] = __int2bfloat16_ru(257);
  output[7] = __hgt(x, CUDART_NAN_BF16) + 2 * __hgtu(x, CUDART_NAN_BF16) + 4 * (x < CUDART_INF_BF16);
  output[8] = __hmax(x, CUDART_NAN_BF16);
  output[9] = __hisnan(__hmin_nan(x, CUDART_NAN_BF16)) + __hisinf(-CUDART_INF_BF16);
  output[10] = hsqrt(__float2bfloat16(2.25f));
  output[11] = __low2float(__hcmadd({x, y}, {y, x}, {x, x}));
}

std::vector<__nv_bfloat16> bfloats(const std::vector<float>& values) {
  std::vector<__nv_bfloat16> result;
  for (const float x : values) {
    __nv_bfloat16_raw raw;
    raw.x = bfloat16_bits(x);
    result.push_back(raw);
  }
  return result;
}

std::vector<float> floats(const std::vector<__nv_bfloat16>& values) {
  std::vector<float> result;
  for (const __nv_bfloat16& x : values) {
    const unsigned int bits = static_cast<unsigned int>(__nv_bfloat16_raw(x).x) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    result.push_back(value);
  }
  return result;
}

}  // namespace

CORPUS_CASE(rounds_floats_to_bfloats) {
  std::vector<float> input = {0.0f,    -0.0f,    INFINITY, -INFINITY, NAN,
                              3.4e38f, -3.4e38f, 1e-45f,   0x1p-134f, 0x1.8p-134f};
  // Bfloats of all sizes, with every kind of rest.
  for (unsigned int high = 0x0010; high < 0x7f80; high += 0x1f3) {
    for (const unsigned int low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const unsigned int bits = high << 16 | low;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      input.push_back(value);
      input.push_back(-value);
    }
  }
  const int n = static_cast<int>(input.size());
  const corpus::DeviceArray<float> device_input(input);
  const corpus::DeviceArray<unsigned short> output(4 * n);
  convert<<<(n + 63) / 64, 64>>>(device_input.data(), output.data(), n);
  std::vector<unsigned short> expected;
  for (const float x : input) {
    const double unit = corpus::unit_of(x, bfloat16_format);
    const double cut = std::isfinite(x) ? std::copysign(std::trunc(x / unit) * unit, x) : x;
    const unsigned short nearest = bfloat16_bits(x);
    expected.insert(expected.end(), {nearest, bfloat16_bits(cut), nearest, nearest});
  }
  report.expect_equal("bfloats", output.download(), expected);
}

// The mean and the deviation are floats: what rounds are the two products, each by 2^-8 at most.
CORPUS_CASE(normalises_layers) {
  const int rows = 3, columns = 75;
  const auto input = corpus::numbers(rows * columns, 1), raw_scale = corpus::numbers(columns, 2);
  std::vector<float> scale(columns), expected(rows * columns);
  for (int i = 0; i < columns; ++i) scale[i] = raw_scale[i] / 64.0f;
  for (int row = 0; row < rows; ++row) {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < columns; ++i) {
      sum += input[row * columns + i];
      squares += static_cast<double>(input[row * columns + i]) * input[row * columns + i];
    }
    const double mean = sum / columns, deviation = std::sqrt(squares / columns - mean * mean + 1e-5);
    for (int i = 0; i < columns; ++i) {
      expected[row * columns + i] = (input[row * columns + i] - mean) / deviation * scale[i];
    }
  }
  const corpus::DeviceArray<__nv_bfloat16> device_input(bfloats(input)), device_scale(bfloats(scale));
  const corpus::DeviceArray<__nv_bfloat16> output(rows * columns);
  normalise<<<rows, 32>>>(device_input.data(), device_scale.data(), output.data(), columns);
  report.expect_near("layer norm", floats(output.download()), expected, 8e-3);
}

// Whole numbers up to 256 are bfloats: no step rounds.
CORPUS_CASE(multiplies_pairs_and_sums_by_shuffles) {
  std::vector<float> a(256), b(256);
  float expected = 0.0f;
  for (int i = 0; i < 256; ++i) {
    a[i] = static_cast<float>(i % 5 - 2);
    b[i] = static_cast<float>(i % 3 - 1);
    expected += a[i] * b[i];
  }
  const corpus::DeviceArray<__nv_bfloat16> da(bfloats(a)), db(bfloats(b)), result(1);
  dot<<<1, 32>>>(reinterpret_cast<const __nv_bfloat162*>(da.data()),
                 reinterpret_cast<const __nv_bfloat162*>(db.data()), result.data(), 128);
  report.expect_equal("dot product", floats(result.download()), {expected});
}

// A product that lies in the middle of two bfloats: the smallest addend decides, however small it is.
CORPUS_CASE(fused_multiply_add_rounds_once) {
  const float middle = 1.0f + 0x1p-4f, tiny = 0x1p-133f;  // middle squared is 1 + 2^-3 + 2^-8
  const std::vector<float> a = {middle, middle, middle, -middle, -middle, 3.0f, 0x1p-70f, 0x1p100f};
  const std::vector<float> b = {middle, middle, middle, middle, middle, 5.0f, 0x1p-64f, 0x1p100f};
  const std::vector<float> c = {0.0f, tiny, -tiny, tiny, -tiny, 0.5f, 0x1p-133f, -0x1p100f};
  const int n = static_cast<int>(a.size());
  const corpus::DeviceArray<float> da(a), db(b), dc(c);
  const corpus::DeviceArray<unsigned short> output(2 * n);
  fuse<<<1, 32>>>(da.data(), db.data(), dc.data(), output.data(), n);
  const double below = 1.125, above = 1.1328125;  // 1 + 2^-3 is even
  std::vector<unsigned short> expected;
  for (const double x :
       {below, above, below, -below, -above, 15.5, 0x1p-132, static_cast<double>(INFINITY)}) {
    expected.push_back(bfloat16_bits(x));
    expected.push_back(bfloat16_bits(x < 0 ? 0.0 : x));
  }
  report.expect_equal("results", output.download(), expected);
}

CORPUS_CASE(adds_bfloats_atomically) {
  corpus::DeviceArray<__nv_bfloat16> single(1), pair(2);
  single.set_bytes(0);
  pair.set_bytes(0);
  count<<<4, 32>>>(single.data(), reinterpret_cast<__nv_bfloat162*>(pair.data()));
  report.expect_equal("single", floats(single.download()), {64.0f});
  report.expect_equal("pair", floats(pair.download()), {128.0f, -256.0f});
}

CORPUS_CASE(mixes_functions) {
  const corpus::DeviceArray<float> input(std::vector<float>{1.5f, 3.0f, 1.0f + 0x1p-10f}), output(12);
  mix<<<1, 1>>>(input.data(), output.data());
  // 257 lies in the middle of 256 and 258.
  report.expect_equal("results", output.download(),
                      {3.0f, 0.5f, 1.5f, 1.0f, 6.0f, 256.0f, 258.0f, 6.0f, 1.5f, 0.0f, 1.5f, 1.5f});
}
