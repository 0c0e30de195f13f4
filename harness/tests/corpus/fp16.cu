// Kernels on __half and __half2: vectorised, tiled, shuffled, fused, atomic.
#include <cuda_fp16.h>

#include "corpus.h"
#include "low_precision_host.h"

namespace {

using corpus::half_bits;
using corpus::half_format;
using corpus::round_to;

__global__ void narrow(const float* input, __half* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = __float2half(input[i]);
}

__global__ void widen(const __half* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = __half2float(input[i]);
}

// Halves on the device.
struct Halves {
  explicit Halves(const std::vector<float>& values) : array(values.size()) {
    const corpus::DeviceArray<float> wide(values);
    narrow<<<(values.size() + 127) / 128, 128>>>(wide.data(), array.data(), values.size());
  }
  std::vector<float> download() const {
    const corpus::DeviceArray<float> wide(array.size());
    widen<<<(array.size() + 127) / 128, 128>>>(array.data(), wide.data(), array.size());
    return wide.download();
  }
  corpus::DeviceArray<__half> array;
};

__global__ void add_pairs(const half* a, const half* b, half* sum, int n) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * pair + 1 < n) {
    reinterpret_cast<half2*>(sum)[pair] =
        __hadd2(reinterpret_cast<const half2*>(a)[pair], reinterpret_cast<const half2*>(b)[pair]);
  } else if (2 * pair < n) {
    sum[2 * pair] = a[2 * pair] + b[2 * pair];
  }
}

__global__ void multiply(const half* a, const half* b, float* c, int n) {
  __shared__ half a_tile[8][8], b_tile[8][8];
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  float sum = 0.0f;
  for (int step = 0; step < n; step += 8) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + step + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += __half2float(a_tile[threadIdx.y][i]) * float(b_tile[i][threadIdx.x]);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void sum_by_shuffles(const half2* input, half* sum, half2* highest) {
  half2 value = input[threadIdx.x], top = value;
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
    top = __hmax2(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  const half total = __hadd(__low2half(value), __high2half(value));
  const half first = __shfl_sync(0xffffffffu, total, 0);
  sum[threadIdx.x] = first;
  highest[threadIdx.x] = top;
}

__global__ void fuse(const float* a, const float* b, const float* c, unsigned short* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const half x = a[i], y = b[i], z = c[i];
  out[4 * i] = __half_as_ushort(__hfma(x, y, z));
  out[4 * i + 1] = __half_as_ushort(__hadd_rn(__hmul_rn(x, y), z));
  out[4 * i + 2] = __half_as_ushort(__hfma_sat(x, y, z));
  out[4 * i + 3] = __half_as_ushort(__high2half(__hfma2_relu({z, x}, {x, y}, {y, z})));
}

__global__ void softmax(const half* input, half* output, int columns) {
  const half* row = input + blockIdx.x * columns;
  half highest = -CUDART_INF_FP16;
  for (int i = 0; i < columns; ++i) highest = __hmax(highest, row[i]);
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += __half2float(hexp(row[i] - highest));
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    output[blockIdx.x * columns + i] = __hdiv(hexp(row[i] - highest), __float2half(sum));
  }
}

__global__ void count(half* single, half2* pair) {
  const half before = atomicAdd(single, half(1));
  atomicAdd(pair, __floats2half2_rn(__half2float(before) < 512.0f ? 1.0f : 0.0f, 2.0f));
}

}  // namespace

CORPUS_CASE(adds_pairs_with_a_tail) {
  const int n = 1001;
  const auto a = corpus::numbers(n, 1), b = corpus::numbers(n, 2);
  std::vector<float> thirds(n), expected(n);
  for (int i = 0; i < n; ++i) {
    thirds[i] = round_to(half_format, b[i] / 3.0);
    expected[i] = round_to(half_format, a[i] + thirds[i]);
  }
  const Halves da(a), db(thirds), sum(std::vector<float>(n, 0.0f));
  add_pairs<<<4, 128>>>(da.array.data(), db.array.data(), sum.array.data(), n);
  report.expect_equal("sum", sum.download(), expected);
}

CORPUS_CASE(multiplies_matrices_with_float_accumulators) {
  const int n = 24;
  const auto a = corpus::numbers(n * n, 3), b = corpus::numbers(n * n, 4);
  const Halves da(a), db(b);
  const corpus::DeviceArray<float> c(n * n);
  multiply<<<dim3(n / 8, n / 8), dim3(8, 8)>>>(da.array.data(), db.array.data(), c.data(), n);
  std::vector<float> expected(n * n, 0.0f);
  for (int i = 0; i < n * n * n; ++i) expected[i / n] += a[i / n / n * n + i % n] * b[i % n * n + i / n % n];
  report.expect_equal("product", c.download(), expected);
}

CORPUS_CASE(sums_pairs_by_shuffles) {
  std::vector<float> input(64);
  float sum = 0.0f, low = -100.0f, high = -100.0f;
  for (int i = 0; i < 64; ++i) {
    sum += input[i] = static_cast<float>(i * 7 % 31 - 15);
    (i % 2 == 0 ? low : high) = std::fmax(i % 2 == 0 ? low : high, input[i]);
  }
  const Halves device_input(input), total(std::vector<float>(32, 0.0f)),
      highest(std::vector<float>(64, 0.0f));
  sum_by_shuffles<<<1, 32>>>(reinterpret_cast<const half2*>(device_input.array.data()), total.array.data(),
                             reinterpret_cast<half2*>(highest.array.data()));
  report.expect_equal("sums", total.download(), std::vector<float>(32, sum));
  std::vector<float> tops(64);
  for (int i = 0; i < 64; ++i) tops[i] = i % 2 == 0 ? low : high;
  report.expect_equal("maxima", highest.download(), tops);
}

// The exact results fit into a double.
CORPUS_CASE(fused_multiply_add_rounds_once) {
  const float step = 0x1p-10f, tiny = 0x1p-24f, nan = NAN;
  const std::vector<float> a = {1 + 3 * step, 1 + step, 1 + 3 * step, 0.5f, 256.0f,
                                tiny,         -2.0f,    255.0f,       nan,  0.25f};
  const std::vector<float> b = {1 + 3 * step, 1 + step, 1 - step, tiny, 256.0f,
                                0.5f,         3.0f,     257.0f,   1.0f, 0.5f};
  const std::vector<float> c = {-1.0f, tiny, -1.0f, 1.0f, -1.0f, tiny, 0.5f, -31.0f, 1.0f, 0.0f};
  const int n = static_cast<int>(a.size());
  const corpus::DeviceArray<float> da(a), db(b), dc(c);
  const corpus::DeviceArray<unsigned short> out(4 * n);
  fuse<<<1, 32>>>(da.data(), db.data(), dc.data(), out.data(), n);
  std::vector<unsigned short> expected;
  for (int i = 0; i < n; ++i) {
    const double exact = static_cast<double>(a[i]) * b[i] + c[i];
    const double product = round_to(half_format, static_cast<double>(a[i]) * b[i]);
    expected.push_back(half_bits(exact));
    expected.push_back(half_bits(product + c[i]));
    expected.push_back(half_bits(exact > 0.0 ? std::fmin(exact, 1.0) : 0.0));
    expected.push_back(half_bits(exact < 0.0 ? 0.0 : exact));
  }
  report.expect_equal("results", out.download(), expected);
  report.expect("one rounding differs from two", expected[0] != expected[1]);
}

// hexp may be off by a unit in the last place, 2^-10 of the value, in the quotient and in the sum; both
// round. No quotient is above 0.6.
CORPUS_CASE(softmax_in_half) {
  const int rows = 5, columns = 37;
  std::vector<float> input(rows * columns), expected(rows * columns);
  for (int i = 0; i < rows * columns; ++i) input[i] = corpus::numbers(rows * columns, 9)[i] / 16.0f;
  for (int row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(input[row * columns + i]));
    for (int i = 0; i < columns; ++i) expected[row * columns + i] = std::exp(input[row * columns + i]) / sum;
  }
  const Halves device_input(input), output(std::vector<float>(rows * columns, 0.0f));
  softmax<<<rows, 32>>>(device_input.array.data(), output.array.data(), columns);
  report.expect_near("softmax", output.download(), expected, 2e-3);
}

// Whole numbers up to 2048 are halves: no addition rounds.
CORPUS_CASE(adds_halves_atomically) {
  const Halves single({0.0f}), pair({0.0f, 0.0f});
  count<<<8, 96>>>(single.array.data(), reinterpret_cast<half2*>(pair.array.data()));
  report.expect_equal("count", single.download(), {768.0f});
  report.expect_equal("pair", pair.download(), {512.0f, 1536.0f});
}
