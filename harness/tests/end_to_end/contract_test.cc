// Problems whose inputs have a structure, whose answers are exact, and whose shapes the kernel finds in a
// tensor.
#include <gmock/gmock.h>

#include "base/text.h"
#include "tests/end_to_end/written_problem.h"
#include "tests/support/ended.h"

namespace kgrade::test::contract_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Contract = WrittenProblem;

constexpr const char* paths_kernel = R"(
__global__ void start(const float* edges, float* lengths, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i < n * n) lengths[i] = edges[i];
}
__global__ void relax(float* lengths, size_t n, size_t k) {
  const size_t at = blockIdx.x * size_t{64} + threadIdx.x;
  if (at >= n * n) return;
  const float to = lengths[at / n * n + k], from = lengths[k * n + at % n];
  if (to < 0 || from < 0) return;
  if (lengths[at] < 0 || to + from < lengths[at]) lengths[at] = to + from;
}
extern "C" void solution(const float* edges, float* lengths, size_t n) {
  const unsigned blocks = static_cast<unsigned>((n * n + 63) / 64);
  start<<<blocks, 64>>>(edges, lengths, n);
  for (size_t k = 0; k < n; ++k) relax<<<blocks, 64>>>(lengths, n, k);
}
)";

TEST_F(Contract, ShortestPathsAreExact) {
  problem(R"yaml(parameters:
  - {name: edges, type: float, pointer: true, const: true, shape: [n, n], init: "adjacency(0.3, -1)"}
  - {name: lengths, type: float, pointer: true, const: false, shape: [n, n], compare: exact}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
precision: exact
require: [n >= 2]
flops: 2 * n * n * n * log2(n) / log2(n)
cases:
  - {name: tiny, role: sample, n: 5}
  - {name: odd, role: test, n: 23}
  - {name: large, role: bench, n: 64, weight: 3}
fuzz:
  n: [2, 9, 31]
)yaml",
          paths_kernel);
  EXPECT_THAT(lint(), Ended(0, HasSubstr("1 file, 0 errors")));
  EXPECT_THAT(grade(paths_kernel), Ended(0, HasSubstr("exact")));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"lengths[at] < 0 || ", ""},
                                                        {"k < n; ++k", "k + 1 < n; ++k"},
                                                        {"if (to < 0 || from < 0) return;", ""}}) {
    const Result wrong = grade(replaced(paths_kernel, from, to));
    EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
    EXPECT_THAT(wrong.output, HasSubstr("wrong_answer")) << from;
  }
}

constexpr const char* sums_kernel = R"(
__global__ void sum(const float* x, int dim, float* y, const size_t* shape, size_t ndim) {
  size_t inner = 1, total = 1;
  for (size_t i = 0; i < ndim; ++i) total *= shape[i];
  for (size_t i = dim + 1; i < ndim; ++i) inner *= shape[i];
  const size_t extent = shape[dim];
  const size_t at = blockIdx.x * size_t{64} + threadIdx.x;
  if (at >= total / extent) return;
  float s = 0;
  for (size_t k = 0; k < extent; ++k) s += x[(at / inner * extent + k) * inner + at % inner];
  y[at] = s;
}
extern "C" void solution(const float* x, int dim, float* y, const size_t* shape, size_t ndim) {
  sum<<<1 << 14, 64>>>(x, dim, y, shape, ndim);
}
)";

TEST_F(Contract, AShapeMayStandInATensor) {
  problem(R"yaml(parameters:
  - {name: x, type: float, pointer: true, const: true, shape: [d0, d1, d2], init: "normal(0, 1)"}
  - {name: dim, type: int, pointer: false}
  - {name: y, type: float, pointer: true, const: false, shape: [d0 * d1 * d2 / extent]}
  - {name: shape, type: size_t, pointer: true, const: true, shape: "values(d0, d1, d2)"}
  - {name: ndim, type: size_t, pointer: false}
extents: [d0, d1, d2]
dtypes: [float32]
let: {extent: (dim == 0) * d0 + (dim == 1) * d1 + (dim == 2) * d2}
require: [dim >= 0, dim < ndim, "ndim == 2 && d2 == 1 || ndim == 3"]
defaults: {d2: 1, ndim: 3}
flops: d0 * d1 * d2
cases:
  - {name: tiny, role: sample, d0: 2, d1: 3, d2: 5, dim: 1}
  - {name: matrix, role: test, d0: 7, d1: 34, dim: 0, ndim: 2}
  - {name: long, role: test, d0: 34, d1: 517, dim: 1, ndim: 2}
  - {name: last, role: test, d0: 7, d1: 6, d2: 5, dim: 2}
  - {name: large, role: bench, d0: 16, d1: 64, d2: 64, dim: 2}
fuzz: {dim: 0..2, ndim: 3, d0: 1..9, d1: 5..9, d2: 5..9}
)yaml",
          sums_kernel);
  EXPECT_THAT(grade(sums_kernel), Ended(0, HasSubstr("accepted")));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"size_t i = dim + 1", "size_t i = dim"},
                                                        {"k < extent", "k + 1 < extent"},
                                                        {"shape[dim]", "shape[ndim - 1]"}})
    EXPECT_EQ(grade(replaced(sums_kernel, from, to)).exit_code, 1) << from;
  const Result shown = kgrade({"show", problem_});
  EXPECT_THAT(shown.output, HasSubstr("const size_t* shape"));
  EXPECT_THAT(shown.output, HasSubstr("(of the case alone)"));
  // Lint rounds operands to lower classes, but not shapes.
  EXPECT_THAT(lint().output, Not(HasSubstr("[reference-fails]")));
}

constexpr const char* product_kernel = R"(
__global__ void multiply(const float* a, const float* b, float* c, size_t n) {
  const size_t at = blockIdx.x * size_t{64} + threadIdx.x;
  if (at >= n * n) return;
  float s = 0;
  for (size_t k = 0; k <= at / n; ++k) s += a[at / n * n + k] * b[at % n * n + k];
  c[at] = s;
}
extern "C" void solution(const float* a, const float* b, float* c, size_t n) {
  multiply<<<static_cast<unsigned>((n * n + 63) / 64), 64>>>(a, b, c, n);
}
)";

constexpr const char* product_problem = R"yaml(parameters:
  - {name: a, type: float, pointer: true, const: true, shape: [n, n], init: "triangular(normal(0, 1), lower)"}
  - {name: b, type: float, pointer: true, const: true, shape: [n, n], init: "symmetric(normal(0, 1))"}
  - {name: c, type: float, pointer: true, const: false, shape: [n, n]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
require: [n >= 1]
flops: n * n * n
cases:
  - {name: tiny, role: sample, n: 6}
  - {name: odd, role: test, n: 33}
  - {name: large, role: bench, n: 64}
fuzz: {n: 8..40 step 3}
)yaml";

// A kernel may use that a matrix is triangular, and that the other is symmetric.
TEST_F(Contract, MatricesHaveTheirStructure) {
  problem(product_problem, replaced(product_kernel, "k <= at / n", "k < n"));
  EXPECT_THAT(grade(replaced(product_kernel, "b[at % n * n + k]", "b[k * n + at % n]")), Ended(0));
  EXPECT_EQ(grade(replaced(product_kernel, "k <= at / n", "k < at / n")).exit_code, 1);
  EXPECT_EQ(grade(replaced(product_kernel, "k <= at / n", "k <= at % n")).exit_code, 1);
}

// Names that parts of the generated binding have, too.
// As a product with an accumulator is called: y is c before the call, and c plus x after it.
TEST_F(Contract, OutputsBeginAsTheProblemSays) {
  const std::string adding = R"(
__global__ void add(const float* x, float* y, float* count, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i >= n) return;
  y[i] += x[i];
  atomicAdd(count + i % 32, 1.0f);
}
extern "C" void solution(const float* x, const float* c, float* y, float* count, size_t n) {
  add<<<(n + 63) / 64, 64>>>(x, y, count, n);
}
)";
  problem(R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: c, type: "[VAR]", pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [n], begins: c}
  - {name: count, type: "[VAR]", pointer: true, const: false, shape: [32], begins: "constant(3)"}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
require: [n >= 32]
flops: n
cases: [{name: some, role: test, n: 133}, {name: many, role: bench, n: 1000003}]
)yaml",
          adding);
  EXPECT_THAT(grade(adding), Ended(0));
  EXPECT_THAT(lint().output, Not(HasSubstr("beginning-ignored")));
  write("reference/tried.cu",
        replaced(adding, "atomicAdd(count + i % 32, 1.0f);", "if (i < 32) count[i] = x[i];"));
  EXPECT_THAT(lint().output, HasSubstr("warning: case 'some': what 'count' begins as changes no output"));
  write("reference/tried.cu", adding);
  EXPECT_THAT(grade(R"(
__global__ void add(const float* x, const float* c, float* y, float* count, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i < n) y[i] = x[i] + c[i];
  if (i < 32) count[i] = 3.0f + static_cast<float>((n - i + 31) / 32);
}
extern "C" void solution(const float* x, const float* c, float* y, float* count, size_t n) {
  add<<<(n + 63) / 64, 64>>>(x, c, y, count, n);
}
)"),
              Ended(0));
  EXPECT_THAT(grade(replaced(adding, "y[i] += x[i];", "")), Ended(1));
  EXPECT_THAT(kgrade({"show", problem_}).output,
              AllOf(HasSubstr("(output, begins as c)"), HasSubstr("(output, begins as constant(3))")));
  EXPECT_THAT(kgrade({"dump", problem_, "--case", "some", "--directory", folder_.path().string(), "--device",
                      "emulated"}),
              Ended(0));
  const std::string began = *read_text_file(folder_.path() / "some/count.begins.npy");
  const float three = 3;
  EXPECT_EQ(began.substr(began.size() - 4), std::string(reinterpret_cast<const char*>(&three), 4));
}

TEST_F(Contract, OutputsAreClearedWhereThatIsAskedFor) {
  const std::string writing = R"(
__global__ void copy(const float* x, float* y, size_t n) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" void solution(const float* x, float* y, size_t n) { copy<<<(n + 63) / 64, 64>>>(x, y, n); }
)";
  problem(R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: "uniform(1, 2)"}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
precision: fp32
flops: n
cases: [{name: some, role: test, n: 133}, {name: many, role: bench, n: 1000003}]
)yaml",
          writing);
  const std::string adding = replaced(writing, "y[i] = ", "y[i] += ");
  EXPECT_THAT(grade(adding),
              Ended(1, HasSubstr("all added to what the output held before, which is arbitrary: write it "
                                 "instead, or grade with --clear-outputs")));
  const std::string record = (folder_.path() / "record.json").string();
  EXPECT_THAT(kgrade({"grade", problem_, write("candidate.cu", adding), "--device", "emulated",
                      "--clear-outputs", "--json", record}),
              Ended(0, HasSubstr("outputs cleared")));
  EXPECT_THAT(*read_text_file(record), HasSubstr("\"clears_outputs\": true"));
  // What it leaves alone is zero, and wrong all the same.
  EXPECT_THAT(kgrade({"grade", problem_, write("candidate.cu", replaced(adding, "i < n", "i + 1 < n")),
                      "--device", "emulated", "--clear-outputs"}),
              Ended(1, HasSubstr("1 of 133 elements wrong")));
  EXPECT_THAT(kgrade({"leaderboard", record}),
              Ended(2, HasSubstr("was graded with --clear-outputs, and is not ranked")));
}

TEST_F(Contract, MacrosOfACandidateAreItsOwn) {
  problem(product_problem, product_kernel);
  std::string macros;
  for (const char* const name :
       {"A",        "B",     "N",      "First",     "Rest",   "To",      "Return",
        "Position", "Types", "type",   "value",     "same",   "require", "nth",
        "parts",    "count", "result", "parameter", "scalar", "slot",    "arguments"})
    macros += "#define " + std::string(name) + " 16\n";
  EXPECT_THAT(grade(macros + product_kernel), Ended(0));
}

// Sums over segments, whose ends the reference computes with their lengths.
constexpr const char* segments_head = R"yaml(parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: "normal(0, 1)"}
  - {name: ends, type: int, pointer: true, const: true, shape: [segments], init: computed}
  - {name: lengths, type: int, pointer: true, const: true, shape: [segments], init: computed}
  - {name: sums, type: "[VAR]", pointer: true, const: false, shape: [segments]}
  - {name: n, type: size_t, pointer: false}
  - {name: segments, type: size_t, pointer: false}
  - {name: most, type: int, pointer: false}
dtypes: [float32]
precision: fp32
require: [n >= most * segments, segments >= 1, most >= 2]
flops: n
cases:
  - {name: tiny, role: sample, n: 40, segments: 3, most: 9}
  - {name: odd, role: test, n: 321, segments: 17, most: 18}
  - {name: large, role: bench, n: 5000, segments: 37, most: 100}
fuzz: {n: 256..513, segments: 8..33, most: 2..7}
)yaml";

constexpr const char* segments_kernel = R"(
__global__ void add(const float* x, const int* ends, const int* lengths, float* sums, size_t segments) {
  const size_t i = blockIdx.x * size_t{64} + threadIdx.x;
  if (i >= segments) return;
  number sum = 0;
  for (int k = ends[i] - lengths[i]; k < ends[i]; ++k) sum += x[k];
  sums[i] = float(sum);
}
extern "C" void solution(const float* x, const int* ends, const int* lengths, float* sums, size_t n,
                         size_t segments, int most) {
  add<<<static_cast<unsigned>((segments + 63) / 64), 64>>>(x, ends, lengths, sums, segments);
}
)";

constexpr const char* segments_inputs = R"(
__global__ void cut(int* ends, int* lengths, size_t segments, int most, unsigned long long seed) {
  size_t end = 0;
  for (size_t i = 0; i < segments; ++i) {
    lengths[i] = int(1 + ops::random_below(most, seed, 0, i));
    ends[i] = int(end += lengths[i]);
  }
}
void inputs(int* ends, int* lengths, size_t n, size_t segments, int most, unsigned long long seed) {
  cut<<<1, 1>>>(ends, lengths, segments, most, seed);
}
)";

TEST_F(Contract, AReferenceComputesInputsThatHangTogether) {
  const std::string reference =
      std::string("#include \"ops/random.cuh\"\nusing number = ops::accumulator;\n") + segments_kernel;
  problem(segments_head, reference + segments_inputs);
  EXPECT_THAT(lint(), Ended(0));
  const std::string candidate = std::string("using number = float;\n") + segments_kernel;
  EXPECT_THAT(grade(candidate), Ended(0));
  EXPECT_THAT(grade(replaced(candidate, "ends[i] - lengths[i]; k < ends[i]", "0; k < ends[0]")),
              Ended(1, HasSubstr("wrong_answer")));
  // Checked, and written down.
  const std::string file = write("candidate.cu", candidate);
  EXPECT_THAT(kgrade({"check", problem_, file, "--device", "emulated"}), Ended(0));
  EXPECT_THAT(kgrade({"dump", problem_, "--case", "odd", "--directory", (folder_.path() / "dump").string(),
                      "--device", "emulated"}),
              Ended(0));
  EXPECT_THAT(kgrade({"show", problem_}).output, HasSubstr("computed by inputs() of the reference"));
}

// The same for all commands, and never the exit code for a bug of kgrade.
TEST_F(Contract, AReferenceThatDoesNotLoadIsItsAuthorsFaultUnlessItsProcessWasKilled) {
  const std::string reference =
      std::string("#include \"ops/random.cuh\"\nusing number = ops::accumulator;\n") + segments_kernel;
  for (const auto& [end, exit_code] : {std::pair{"abort()", 2}, {"raise(SIGKILL)", 3}}) {
    problem(segments_head, "#include <csignal>\n#include <cstdlib>\n" + reference + segments_inputs +
                               "__attribute__((constructor)) static void begin() { " + end + "; }\n");
    for (const Result& result : {lint(), grade(std::string("using number = float;\n") + segments_kernel),
                                 kgrade({"dump", problem_, "--case", "odd", "--directory",
                                         (folder_.path() / "dump").string(), "--device", "emulated"})}) {
      EXPECT_EQ(result.exit_code, exit_code) << end << ": " << result.output;
      EXPECT_THAT(result.output, HasSubstr("the oracle does not load: "));
    }
  }
}

TEST_F(Contract, AReferenceThatComputesNoInputsIsToldHow) {
  problem(segments_head,
          std::string("#include \"ops/random.cuh\"\nusing number = ops::accumulator;\n") + segments_kernel);
  EXPECT_THAT(lint(),
              Ended(2, HasSubstr("void inputs(int* ends, int* lengths, size_t n, size_t segments, int "
                                 "most, unsigned long long seed)")));
  EXPECT_THAT(grade(std::string("using number = float;\n") + segments_kernel), Ended(2));
}

TEST_F(Contract, ALaunchThatFailsInInputsIsSaidToBeTheirs) {
  problem(segments_head, std::string("#include \"ops/random.cuh\"\nusing number = ops::accumulator;\n") +
                             segments_kernel +
                             replaced(segments_inputs, "cut<<<1, 1>>>", "cut<<<1, 4096>>>"));
  EXPECT_THAT(grade(std::string("using number = float;\n") + segments_kernel),
              Ended(2, HasSubstr("the reference's inputs()")));
  EXPECT_THAT(kgrade({"dump", problem_, "--case", "odd", "--directory", folder_.path().string(), "--device",
                      "emulated"}),
              Ended(2));
}

}  // namespace kgrade::test::contract_test
