// Outputs of double and of half: which class they reach, and what their thresholds mean.
#include <gmock/gmock.h>

#include "tests/end_to_end/written_problem.h"
#include "tests/support/ended.h"

namespace kgrade::test::output_types_test {

using ::testing::HasSubstr;

using OutputTypes = WrittenProblem;

constexpr const char* doubles_kernel = R"(
__global__ void row_products(const double* x, const double* w, double* y, size_t rows, size_t columns) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (size_t i = 0; i < columns; ++i) sum += x[row * columns + i] * w[i];
  y[row] = sum;
}
extern "C" void solution(const double* x, const double* w, double* y, size_t rows, size_t columns) {
  row_products<<<static_cast<unsigned>((rows + 63) / 64), 64>>>(x, w, y, rows, columns);
}
)";

std::string doubles_problem(const std::string& keys) {
  return keys + R"yaml(parameters:
  - {name: x, type: double, pointer: true, const: true, shape: [rows, columns], init: "normal(0, 1)"}
  - {name: w, type: double, pointer: true, const: true, shape: [columns], init: "uniform(-1, 1)"}
  - {name: y, type: double, pointer: true, const: false, shape: [rows]}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
flops: 2 * rows * columns
cases:
  - {name: tiny, role: sample, rows: 37, columns: 5}
  - {name: odd, role: test, rows: 131, columns: 67}
  - {name: large, role: bench, rows: 256, columns: 64}
fuzz: {rows: 33..67, columns: 2..9}
)yaml";
}

// The product of two floats, and sums of floats; then of numbers with eight bits.
const std::string in_float =
    replaced(replaced(doubles_kernel, "double sum", "float sum"), "x[row * columns + i] * w[i]",
             "static_cast<float>(x[row * columns + i]) * static_cast<float>(w[i])");
const std::string in_eight_bits =
    replaced(doubles_kernel, "x[row * columns + i]",
             "__uint_as_float(__float_as_uint(static_cast<float>(x[row * columns + i])) & 0xFFFF0000u)");

TEST_F(OutputTypes, DoublesAreJudgedByTheClassThatTheyReach) {
  problem(doubles_problem(""), doubles_kernel);
  EXPECT_THAT(lint(), Ended(0));
  for (const std::string& right : {std::string(doubles_kernel), in_float}) {
    EXPECT_THAT(grade(right), Ended(0, HasSubstr("fp32")));
  }
  EXPECT_THAT(grade(in_eight_bits).output, HasSubstr("low_precision"));
  EXPECT_THAT(grade(replaced(doubles_kernel, "i = 0", "i = 1")).output, HasSubstr("wrong_answer"));
  EXPECT_THAT(grade(replaced(doubles_kernel, "if (row >= rows)", "if (row + 1 >= rows)")).output,
              HasSubstr("wrong_answer"));
  EXPECT_THAT(grade(replaced(replaced(doubles_kernel, "const double* x", "const float* x"), "const double* x",
                             "const float* x"))
                  .output,
              HasSubstr("parameter 1 'x' must be const double*, not const float*"));
}

// What is compared are doubles: a threshold may be below the errors of floats.
TEST_F(OutputTypes, DoublesMayHaveToBeExacterThanFloats) {
  problem(doubles_problem("thresholds: {fp32: 1e-13, tf32: 1e-5, bf16: 1e-2}\n"), doubles_kernel);
  EXPECT_THAT(grade(doubles_kernel), Ended(0));
  EXPECT_THAT(grade(in_float).output, HasSubstr("low_precision"));
  // Only an input is read as floats.
  EXPECT_THAT(grade(replaced(doubles_kernel, "* w[i]", "* static_cast<float>(w[i])")).output,
              HasSubstr("low_precision"));
}

// A layer that adds in float and hands halves on, with the sum of their squares beside them.
constexpr const char* halves_head = R"yaml(parameters:
  - {name: x, type: float, pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: residual, type: __nv_bfloat16, pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: y, type: __half, pointer: true, const: false, shape: [n]}
  - {name: squares, type: float, pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
require: [n >= 1]
flops: 2 * n
cases:
  - {name: tiny, role: sample, n: 40}
  - {name: odd, role: test, n: 321}
  - {name: large, role: bench, n: 5000}
fuzz: {n: 32..513}
)yaml";

std::string halves_kernel(const std::string& types, const std::string& value) {
  return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <type_traits>\n" + types + R"(
__global__ void add(const float* x, const __nv_bfloat16* residual, output* y, float* squares, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i >= n) return;
  const accumulator sum = accumulator(x[i]) + accumulator(__bfloat162float(residual[i]));
  y[i] = )" +
         value + R"(;
  squares[i] = float(sum * sum);
}
extern "C" void solution(const float* x, const __nv_bfloat16* residual, output* y, float* squares, size_t n) {
  add<<<static_cast<unsigned>((n + 63) / 64), 64>>>(x, residual, y, squares, n);
}
)";
}

TEST_F(OutputTypes, AnOutputOfHalvesStandsBesideFloats) {
  const std::string types = "using accumulator = float;\nusing output = __half;\n";
  const std::string shipped = "using accumulator = KGRADE_ACCUMULATOR;\nusing output = __half;\n";
  problem(halves_head, halves_kernel(shipped, "output(float(sum))"));
  EXPECT_THAT(lint().output, HasSubstr("must be float*, not __half*; write ops::written<__half>"));
  write("reference/tried.cu",
        halves_kernel(
            "#include \"ops/types.cuh\"\nusing ops::accumulator;\nusing output = ops::written<__half>;\n",
            "output(float(sum))"));
  EXPECT_THAT(lint(), Ended(0));
  EXPECT_THAT(grade(halves_kernel(types, "__float2half(sum)")), Ended(0));
  EXPECT_THAT(grade(halves_kernel(types, "__float2half_rz(sum)")), Ended(1, HasSubstr("'y'")));
  EXPECT_THAT(grade(halves_kernel(types, "__float2half(__bfloat162float(__float2bfloat16(sum)))")), Ended(1));
  EXPECT_THAT(grade(halves_kernel("using accumulator = float;\nusing output = float;\n", "sum")),
              Ended(1, HasSubstr("signature_mismatch")));
}

// Scales as powers of two without a sign: one per block of an input, and one per block of an output of codes.
constexpr const char* scales_head = R"yaml(parameters:
  - {name: x, type: float, pointer: true, const: true, shape: [blocks, 32], init: "normal(0, 1)"}
  - {name: s, type: __nv_fp8_e8m0, pointer: true, const: true, shape: [blocks], init: "uniform(0.125, 16)"}
  - {name: y, type: float, pointer: true, const: false, shape: [blocks, 32]}
  - {name: q, type: uint8_t, pointer: true, const: false, shape: [blocks, 32], compare: "quantised(x, e4m3, 32, scale, e8m0)"}
  - {name: scale, type: __nv_fp8_e8m0, pointer: true, const: false, shape: [blocks]}
  - {name: blocks, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
thresholds: {q: {fp32: 0.025, tf32: 0.0251, bf16: 0.0252}}
require: [blocks >= 64]
flops: 96 * blocks
cases:
  - {name: tiny, role: sample, blocks: 64}
  - {name: odd, role: test, blocks: 131}
  - {name: large, role: bench, blocks: 256}
fuzz: {blocks: 64..200}
)yaml";

constexpr const char* scales_kernel = R"(#include <cuda_fp8.h>
#include <cstdint>
__global__ void scale_blocks(const float* x, const __nv_fp8_e8m0* s, float* y, uint8_t* q,
                             __nv_fp8_e8m0* scale, size_t blocks) {
  const size_t block = blockIdx.x * size_t{64} + threadIdx.x;
  if (block >= blocks) return;
  float largest = 0;
  for (size_t i = 32 * block; i < 32 * (block + 1); ++i) {
    y[i] = x[i] * float(s[block]);
    largest = fmaxf(largest, fabsf(x[i]));
  }
  int exponent = 0;
  frexpf(largest, &exponent);
  exponent = largest > 0 ? exponent - 1 - 8 : -127;
  scale[block].__x = static_cast<uint8_t>(exponent + 127);
  for (size_t i = 32 * block; i < 32 * (block + 1); ++i)
    q[i] = __nv_fp8_e4m3(x[i] * ldexpf(1.0f, -exponent)).__x;
}
extern "C" void solution(const float* x, const __nv_fp8_e8m0* s, float* y, uint8_t* q, __nv_fp8_e8m0* scale,
                         size_t blocks) {
  scale_blocks<<<static_cast<unsigned>((blocks + 63) / 64), 64>>>(x, s, y, q, scale, blocks);
}
)";

TEST_F(OutputTypes, PowersOfTwoAreScales) {
  problem(scales_head, scales_kernel);
  EXPECT_THAT(lint(), Ended(0));
  EXPECT_THAT(grade(scales_kernel), Ended(0));
  const std::string in_bytes = replaced(replaced(scales_kernel, "const __nv_fp8_e8m0* s", "const uint8_t* s"),
                                        "const __nv_fp8_e8m0* s", "const uint8_t* s");
  EXPECT_THAT(grade(replaced(in_bytes, "float(s[block])", "ldexpf(1.0f, s[block] - 127)")).output,
              HasSubstr("parameter 2 's' must be const __nv_fp8_e8m0*, not const unsigned char*"));
  const Result inverse = grade(replaced(scales_kernel, "x[i] * float(s[block])", "x[i] / float(s[block])"));
  EXPECT_THAT(inverse.output, HasSubstr("wrong_answer"));
  const Result doubled = grade(replaced(scales_kernel, "exponent + 127)", "exponent + 128)"));
  EXPECT_THAT(doubled.output, HasSubstr("wrong_answer"));
  EXPECT_THAT(doubled.output, HasSubstr("'q'"));
}

}  // namespace kgrade::test::output_types_test
