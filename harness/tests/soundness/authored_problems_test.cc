// Problems of the kinds that authors write: `kgrade lint` and `kgrade calibrate` take them as they are, and
// kernels with one fault each are refused. The problems are written into a temporary folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"

namespace kgrade::test {
namespace authored_problems_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class AuthoredProblem : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  void problem(const std::string& frontmatter, const std::string& kernel, const std::string& inputs = "") {
    problem_ =
        write("problems/tried.md", "---\nslug: tried\ntitle: Tried\ndifficulty: EASY\ntags: [tried]\n" +
                                       frontmatter + "---\nText.\n");
    write("reference/tried.cu",
          "#include <cassert>\n#include <cmath>\n#include \"ops/launch.cuh\"\n#include \"ops/random.cuh\"\n"
          "using number = ops::accumulator;\n" +
              kernel + inputs);
  }

  Result grade(const std::string& kernel) const {
    return kgrade({"grade", problem_, write("candidate.cu", kernel), "--device", "emulated"});
  }
  Result lint(const std::string& seed = "0") const {
    return kgrade({"lint", problem_, "--device", "emulated", "--seed", seed});
  }
  Result calibrate() const { return kgrade({"calibrate", problem_, "--device", "emulated"}); }
  std::string text() const {
    std::stringstream content;
    content << std::ifstream(problem_).rdbuf();
    return content.str();
  }

  TemporaryDirectory folder_;
  std::string problem_;
};

void expect(const Result& result, int exit_code, const std::string& said) {
  EXPECT_EQ(result.exit_code, exit_code) << result.output;
  EXPECT_THAT(result.output, HasSubstr(said));
}

const std::string as_candidate = "#include <cassert>\n#include <cmath>\nusing number = float;\n";

constexpr const char* ragged = R"yaml(parameters:
  - {name: values, type: "[VAR]", pointer: true, const: true, shape: [nnz], init: "normal(0, 1)"}
  - {name: offsets, type: int, pointer: true, const: true, shape: [rows + 1], init: computed}
  - {name: sums, type: float, pointer: true, const: false, shape: [rows]}
  - {name: nnz, type: size_t, pointer: false}
  - {name: rows, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
require: [nnz >= 1, rows >= 1]
flops: nnz
cases:
  - {name: tiny, role: sample, nnz: 23, rows: 7}
  - {name: one-row, role: test, nnz: 1031, rows: 1}
  - {name: short-rows, role: test, nnz: 1999, rows: 517}
  - {name: mostly-empty, role: test, nnz: 300, rows: 1009}
  - {name: long-rows, role: bench, nnz: 9013, rows: 37}
fuzz: {nnz: 1..5000, rows: 1..600}
)yaml";

// It ends the process if the offsets are none.
constexpr const char* ragged_kernel = R"(
__global__ void sum(const float* values, const int* offsets, float* sums, size_t nnz, size_t rows) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  assert(offsets[0] == 0 && offsets[rows] == int(nnz) && offsets[row] <= offsets[row + 1]);
  number sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i];
  sums[row] = float(sum);
}
extern "C" void solution(const float* values, const int* offsets, float* sums, size_t nnz, size_t rows) {
  sum<<<unsigned((rows + 63) / 64), 64>>>(values, offsets, sums, nnz, rows);
}
)";
constexpr const char* ragged_inputs = R"(
void inputs(int* offsets, size_t nnz, size_t rows, unsigned long long seed) {
  ops::draw_offsets(offsets, rows, nnz, seed);
}
)";

TEST_F(AuthoredProblem, ComputedInputsReachTheReferenceOnlyAsTheFileComputesThem) {
  problem(ragged, ragged_kernel, ragged_inputs);
  for (const char* seed : {"0", "1", "2"}) expect(lint(seed), 0, "0 errors");
  expect(calibrate(), 0, "written to ");
  EXPECT_EQ(grade(as_candidate + ragged_kernel).exit_code, 0);
  expect(grade(as_candidate + replace_all(ragged_kernel, "int i = offsets[row]", "int i = offsets[row] + 1")),
         1, "wrong_answer");
}

TEST_F(AuthoredProblem, ComputedInputsThatPlayNoPartAreFound) {
  problem(
      replace_all(ragged, "require: [", "require: [nnz >= rows, "),
      replace_all(ragged_kernel, "i = offsets[row]; i < offsets[row + 1]", "i = int(row); i < int(row) + 1"),
      ragged_inputs);
  write("problems/tried.md", replace_all(text(), "nnz: 300, rows: 1009", "nnz: 1300, rows: 1009"));
  const Result linted = lint();
  expect(linted, 2, "other contents of 'offsets' change no output, in 8 calls");
  EXPECT_THAT(linted.output, HasSubstr("[input-ignored]"));
}

constexpr const char* table = R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: table, type: int, pointer: true, const: true, shape: [n], init: computed}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
require: [n >= 2]
flops: n
cases:
  - {name: tiny, role: sample, n: 23}
  - {name: odd, role: test, n: 1031}
  - {name: large, role: bench, n: 2053}
fuzz: {n: 33..599}
)yaml";
constexpr const char* table_kernel = R"(
__global__ void scale(const float* x, const int* table, float* y, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i < n) y[i] = float(number(x[i]) * number(TERM) * number(1.1));
}
extern "C" void solution(const float* x, const int* table, float* y, size_t n) {
  scale<<<unsigned((n + 63) / 64), 64>>>(x, table, y, n);
}
)";
constexpr const char* fixed_inputs = R"(
__global__ void fill(int* table, size_t n, int more) {
  for (size_t i = 0; i < n; ++i) table[i] = 1 + int(i % 7) + more;
}
void inputs(int* table, size_t n, unsigned long long) { fill<<<1, 1>>>(table, n, 0); }
)";
constexpr const char* perturbed = R"(
__global__ void raise(int* table, size_t at) { table[at] += 1; }
void perturbed(int* table, size_t n, unsigned long long seed) { raise<<<1, 1>>>(table, seed % n); }
)";

TEST_F(AuthoredProblem, AFunctionPerturbedChangesWhatInputsComputesTheSame) {
  const std::string used = replace_all(table_kernel, "TERM", "table[i]");
  const std::string ignored = replace_all(table_kernel, "TERM", "2");
  problem(table, used, fixed_inputs);
  expect(lint(), 0, "note: whether outputs depend on 'table' cannot be seen");
  problem(table, used, std::string(fixed_inputs) + perturbed);
  const Result seen = lint();
  expect(seen, 0, "0 errors");
  EXPECT_THAT(seen.output, Not(HasSubstr("note: whether")));
  problem(table, ignored, std::string(fixed_inputs) + perturbed);
  expect(lint(), 2, "other contents of 'table' change no output");
}

constexpr const char* loss = R"yaml(parameters:
  - {name: logits, type: "[VAR]", pointer: true, const: true, shape: [rows, classes], init: "normal(0, 2)"}
  - {name: targets, type: int, pointer: true, const: true, shape: [rows], init: computed}
  - {name: loss, type: float, pointer: true, const: false, shape: [rows]}
  - {name: chances, type: float, pointer: true, const: false, shape: [rows, classes]}
  - {name: rows, type: size_t, pointer: false}
  - {name: classes, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
THRESHOLDSrequire: [rows >= 1, classes >= 2]
flops: 8 * rows * classes
cases:
  - {name: tiny, role: sample, rows: 5, classes: 7}
  - {name: vocabulary, role: test, rows: 7, classes: 32003}
  - {name: large, role: bench, rows: 61, classes: 337}
fuzz: {rows: 4..67, classes: 2..100}
)yaml";
constexpr const char* loss_kernel = R"(
__global__ void lose(const float* logits, const int* targets, float* loss, float* chances, size_t rows, size_t classes) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * classes;
  const int target = targets[row];
  number sum = 0;
  for (size_t c = 0; c < classes; ++c) sum += std::exp(number(x[c]));
  loss[row] = target < 0 ? 0 : float((std::log(sum) - number(x[target])) FACTOR);
  for (size_t c = 0; c < classes; ++c) chances[row * classes + c] = float(std::exp(number(x[c])) / sum);
}
extern "C" void solution(const float* logits, const int* targets, float* loss, float* chances, size_t rows,
                         size_t classes) {
  lose<<<unsigned((rows + 63) / 64), 64>>>(logits, targets, loss, chances, rows, classes);
}
)";
constexpr const char* loss_inputs = R"(
void inputs(int* targets, size_t rows, size_t classes, unsigned long long seed) {
  ops::draw_labels(targets, rows, classes, -100, seed);
}
)";
std::string loss_with(const std::string& thresholds) { return replace_all(loss, "THRESHOLDS", thresholds); }
std::string off_by(const std::string& factor) {
  return as_candidate + replace_all(loss_kernel, "FACTOR", factor);
}

// One of 32,003 logits hardly changes a sum over all of them, unless it happens to be large.
TEST_F(AuthoredProblem, StaleAnswersAreJudgedAlikeWithEverySeed) {
  problem(loss_with("thresholds: {fp32: 4e-5, tf32: 1.6e-3, bf16: 1.2e-2}\n"),
          replace_all(loss_kernel, "FACTOR", ""), loss_inputs);
  for (const char* seed : {"0", "1", "2", "3"}) expect(lint(seed), 0, "0 errors");
}

TEST_F(AuthoredProblem, OutputsCanHaveThresholdsOfTheirOwnWhichCalibrateMeasuresAlone) {
  const std::string kernel = replace_all(loss_kernel, "FACTOR", "");
  problem(loss_with("thresholds: {fp32: 4e-5, tf32: 1.6e-3, bf16: 1.2e-2}\n"), kernel, loss_inputs);
  expect(grade(off_by("* 1.00001F")), 0, "accepted");
  problem(loss_with("thresholds: {fp32: 4e-5, tf32: 1.6e-3, bf16: 1.2e-2, loss: {fp32: 3e-6}}\n"), kernel,
          loss_inputs);
  expect(kgrade({"show", problem_}), 0, "For 'loss' the error is at most 3e-06.");
  expect(grade(off_by("")), 0, "accepted");
  expect(grade(off_by("* 1.00001F")), 1, "'loss' reaches tf32 precision");
  const Result calibrated = calibrate();
  expect(calibrated, 0, "largest, loss");
  EXPECT_THAT(calibrated.output, HasSubstr("vocabulary, loss"));
  EXPECT_THAT(text(), HasSubstr(", loss: {fp32: "));
  EXPECT_EQ(lint().exit_code, 0);
}

constexpr const char* in_place = R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: false, shape: [rows, columns], begins: "normal(0, 2)"}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
require: [rows >= 1, columns >= 2]
flops: 5 * rows * columns
cases:
  - {name: tiny, role: sample, rows: 3, columns: 5}
  - {name: odd, role: test, rows: 67, columns: 131}
  - {name: large, role: bench, rows: 128, columns: 256}
fuzz: {rows: 1..31, columns: 2..67}
)yaml";
constexpr const char* in_place_kernel = R"(
__global__ void normalise(float* x, size_t rows, size_t columns) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  number sum = 0;
  for (size_t i = 0; i < columns; ++i) sum += std::exp(number(x[row * columns + i]));
  for (size_t i = 0; i < columns; ++i) {
    x[row * columns + i] = float(std::exp(number(x[row * columns + i])) / sum);
  }
}
extern "C" void solution(float* x, size_t rows, size_t columns) {
  normalise<<<unsigned((rows + 63) / 64), 64>>>(x, rows, columns);
}
)";

TEST_F(AuthoredProblem, WhatAnOutputBeginsAsIsAnOperandOfTheClasses) {
  problem(in_place, in_place_kernel);
  const Result calibrated = calibrate();
  expect(calibrated, 0, "written to ");
  EXPECT_THAT(calibrated.output, Not(HasSubstr("0.0e+00")));
  expect(lint(), 0, "0 errors");
  EXPECT_EQ(grade(as_candidate + in_place_kernel).exit_code, 0);
}

constexpr const char* top = R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [rows, columns], init: computed}
  - {name: indices, type: int, pointer: true, const: false, shape: [rows, k], compare: "ties(x, 1, distinct)"}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
  - {name: k, type: size_t, pointer: false}
dtypes: [float32]
precision: exact
require: [rows >= 1, k >= 2, k <= columns]
flops: rows * columns * k
cases:
  - {name: tiny, role: sample, rows: 3, columns: 8, k: 2}
  - {name: all, role: test, rows: 5, columns: 61, k: 61}
  - {name: large, role: bench, rows: 37, columns: 96, k: 8}
fuzz: {rows: 8..67, columns: 16..100, k: 2..16}
)yaml";
// BEFORE says which of equal elements comes first, and INDEX which index is written.
constexpr const char* top_kernel = R"(
__global__ void choose(const float* x, int* indices, size_t rows, size_t columns, size_t k) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  for (size_t i = 0; i < columns; ++i) {
    const float mine = x[row * columns + i];
    size_t rank = 0;
    size_t same = i;
    for (size_t j = 0; j < columns; ++j) {
      const float other = x[row * columns + j];
      if (other > mine || (other == mine && BEFORE)) ++rank;
      if (other == mine && j < same) same = j;
    }
    if (rank < k) indices[row * k + rank] = int(INDEX);
  }
}
extern "C" void solution(const float* x, int* indices, size_t rows, size_t columns, size_t k) {
  choose<<<unsigned((rows + 63) / 64), 64>>>(x, indices, rows, columns, k);
}
)";
std::string chosen(const std::string& before, const std::string& index) {
  return replace_all(replace_all(top_kernel, "BEFORE", before), "INDEX", index);
}

TEST_F(AuthoredProblem, OfEqualElementsAnyIndexIsRightButNoneTwice) {
  problem(top, chosen("j < i", "i"),
          "void inputs(float* x, size_t rows, size_t columns, size_t, unsigned long long seed) {\n"
          "  ops::draw_tied(x, rows, columns, 2, seed);\n}\n");
  expect(lint(), 0, "0 errors");
  expect(kgrade({"show", problem_}), 0, "indices into x: any of equal elements, none twice");
  expect(grade(chosen("j < i", "i")), 0, "accepted");
  expect(grade(chosen("j > i", "i")), 0, "accepted");
  expect(grade(chosen("j < i", "same")), 1, "wrong_answer");
}

constexpr const char* integers = R"yaml(parameters:
  - {name: a, type: int8_t, pointer: true, const: true, shape: [m, k], init: "integers(-128, 127)"}
  - {name: scale, type: float, pointer: true, const: true, shape: [m], init: "uniform(0.002, 0.02)"}
  - {name: y, type: float, pointer: true, const: false, shape: [m]}
  - {name: m, type: size_t, pointer: false}
  - {name: k, type: size_t, pointer: false}
precision: fp32 only
require: [m >= 1, k >= 1, k <= 65536]
flops: 2 * m * k
cases:
  - {name: tiny, role: sample, m: 5, k: 16}
  - {name: odd, role: test, m: 37, k: 131}
  - {name: large, role: bench, m: 256, k: 128}
fuzz: {m: 33..67, k: 1..300}
)yaml";
constexpr const char* integers_kernel = R"(
__global__ void scale_sums(const signed char* a, const float* scale, float* y, size_t m, size_t k) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i >= m) return;
  int sum = 0;
  for (size_t l = 0; l < k; ++l) sum += a[i * k + l];
  y[i] = float(number(scale[i]) * number(sum) FACTOR);
}
extern "C" void solution(const signed char* a, const float* scale, float* y, size_t m, size_t k) {
  scale_sums<<<unsigned((m + 63) / 64), 64>>>(a, scale, y, m, k);
}
)";

TEST_F(AuthoredProblem, ArithmeticOfIntegersHasOneClass) {
  problem(integers, replace_all(integers_kernel, "FACTOR", ""));
  const Result calibrated = calibrate();
  expect(calibrated, 0, "thresholds: {fp32: 1.0e-05}\n");
  expect(lint(), 0, "0 errors");
  expect(kgrade({"show", problem_}), 0, "There is no lower class.");
  const std::string right = as_candidate + replace_all(integers_kernel, "FACTOR", "");
  expect(grade(right), 0, "accepted");
  expect(grade(as_candidate + replace_all(integers_kernel, "FACTOR", "* 1.0005F")), 1, "wrong_answer");
  expect(grade("// kgrade: precision tf32\n" + right), 1,
         "problem 'tried' has the class fp32 only, and not tf32");
}

}  // namespace authored_problems_test
}  // namespace kgrade::test
