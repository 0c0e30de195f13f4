// How a sound problem file is read.
#include "problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "problem/scalar_type.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace problem_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Problem loaded(const std::string& name) {
  const auto problem = load_problem(data_folder() / name);
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

// Booleans as strings and `constant:`: the form of files from other sites.
class InterfaceFormTest : public ::testing::TestWithParam<std::string> {};

TEST_P(InterfaceFormTest, IsReadWithoutComplaint) {
  const Problem problem = loaded("interface/" + GetParam() + ".md");
  EXPECT_EQ(problem.slug, GetParam());
  EXPECT_FALSE(problem.parameters.empty());
  EXPECT_TRUE(problem.cases.empty());
  for (const Parameter& parameter : problem.parameters) {
    EXPECT_EQ(parameter.pointer, parameter.type == "[VAR]") << parameter.name;
    EXPECT_EQ(parameter.is_output(), parameter.name == "output");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, InterfaceFormTest,
                         ::testing::Values("conv-transpose-2d-grouped", "conv-transpose-3d",
                                           "conv-depthwise-2d", "conv-transpose-2d-norms"));

TEST(Problem, EveryKeyIsRead) {
  const Problem problem = loaded("gradable/conv-transpose-2d.md");
  EXPECT_EQ(problem.slug, "conv-transpose-2d");
  EXPECT_EQ(problem.title, "ConvTranspose2D with every added key");
  EXPECT_EQ(problem.difficulty, Difficulty::easy);
  EXPECT_EQ(problem.author, "kgrade");
  EXPECT_THAT(problem.tags, ElementsAre("convolution", "transposed"));
  EXPECT_EQ(problem.parameters.size(), 17U);
  EXPECT_THAT(problem.dtypes, ElementsAre("float32"));
  ASSERT_EQ(problem.let.size(), 2U);
  EXPECT_EQ(problem.let[1].first, "out_width");
  EXPECT_EQ(problem.require.size(), 2U);
  EXPECT_EQ(problem.cases.size(), 3U);
  EXPECT_EQ(problem.fuzz.size(), 12U);
  EXPECT_TRUE(problem.flops.has_value());
  EXPECT_TRUE(problem.bytes.has_value());
  EXPECT_EQ(problem.precision, "fp32");
  EXPECT_EQ(problem.source, "KernelBench level1/65");
  EXPECT_THAT(problem.statement, HasSubstr("# What the kernel computes"));
}

TEST(Problem, ThresholdsThatAreLeftOutKeepTheirDefaults) {
  const Thresholds thresholds = loaded("gradable/conv-transpose-2d.md").thresholds;
  EXPECT_EQ(thresholds.fp32, 2e-6);
  EXPECT_EQ(thresholds.tf32, 1e-3);
  EXPECT_EQ(thresholds.bf16, Thresholds().bf16);
}

TEST(Problem, LibrariesAreAnyOrNone) {
  EXPECT_EQ(parsed(row_sum).libraries, Libraries::any);
  EXPECT_EQ(parsed(edited(row_sum, "precision", "libraries: any\nprecision")).libraries, Libraries::any);
  EXPECT_EQ(parsed(edited(row_sum, "precision", "libraries: none\nprecision")).libraries, Libraries::none);
  EXPECT_EQ(parsed(edited(row_sum, "precision", "libraries: \"none\"\nprecision")).libraries,
            Libraries::none);
  EXPECT_EQ(to_string(Libraries::any), "any");
  EXPECT_EQ(to_string(Libraries::none), "none");
}

TEST(Problem, RolesHaveNames) {
  EXPECT_EQ(to_string(CaseRole::sample), "sample");
  EXPECT_EQ(to_string(CaseRole::hidden), "hidden");
}

TEST(Problem, TensorsHaveShapeAndInit) {
  const Problem problem = loaded("gradable/conv-transpose-2d.md");
  const Parameter* kernel = problem.find_parameter("kernel");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_input());
  ASSERT_EQ(kernel->shape.size(), 4U);
  EXPECT_EQ(kernel->shape[1].text(), "out_channels / groups");
  ASSERT_TRUE(kernel->init.has_value());
  EXPECT_EQ(kernel->init->kind, Init::Kind::uniform_fan_in);
  EXPECT_EQ(kernel->init->expressions.front().text(), "out_channels / groups * kernel_h * kernel_w");
  const Parameter* bias = problem.find_parameter("bias");
  EXPECT_EQ(bias->init->kind, Init::Kind::normal);
  EXPECT_EQ(bias->init->second, 0.5);
  EXPECT_EQ(problem.find_parameter("no_such"), nullptr);
}

TEST(Problem, InitsAreRead) {
  const auto init_of = [](std::string_view text) {
    const Problem problem = parsed(edited(row_sum, "uniform(0, 1)", text));
    return problem.parameters.empty() ? Init{} : problem.parameters[0].init.value_or(Init{});
  };
  EXPECT_EQ(init_of("uniform(-1.5, 2e0)").first, -1.5);
  EXPECT_EQ(init_of("uniform( -1 ,2 )").second, 2);
  EXPECT_EQ(init_of("integers(-2, 3)").kind, Init::Kind::integers);
  EXPECT_EQ(init_of("constant(1.5)").first, 1.5);
  EXPECT_EQ(init_of("ones").kind, Init::Kind::constant);
  EXPECT_EQ(init_of("ones").first, 1);
  EXPECT_EQ(init_of("zeros").first, 0);
  EXPECT_EQ(init_of("choice(-1, 0.5, 2)").choices, (std::vector<double>{-1, 0.5, 2}));
  EXPECT_EQ(init_of("bernoulli(0.25)").first, 0.25);
  EXPECT_EQ(init_of("labels(columns)").expressions.front().text(), "columns");
  EXPECT_EQ(init_of("integers(-rows, min(rows, 3))").expressions.back().text(), "min(rows, 3)");
  EXPECT_EQ(init_of("symmetric(normal(0, 2))").structure, Init::Structure::symmetric);
  EXPECT_EQ(init_of("triangular(adjacency(0.5, -1), lower)").structure, Init::Structure::lower);
  EXPECT_EQ(init_of("triangular(adjacency(0.5, -1), lower)").second, -1);
  EXPECT_EQ(init_of("triangular(integers(1, rows), upper)").text, "triangular(integers(1, rows), upper)");
  EXPECT_EQ(init_of("\"normal(0, 1)\"").text, "normal(0, 1)");
}

TEST(Problem, ExtentsAreNoArguments) {
  const std::string text = edited(row_sum, "dtypes:", "extents: [depth]\ndefaults: {depth: 1}\ndtypes:");
  const Problem problem =
      parsed(edited(edited(text, "shape: [rows, columns]", "shape: [rows, columns, depth]"),
                    "columns: 3, scale", "columns: 3, depth: 5, scale"));
  EXPECT_EQ(problem.arguments().size(), 5U);
  EXPECT_EQ(problem.parameters.back().name, "depth");
  EXPECT_EQ(signature(problem).find("depth"), std::string::npos);
  EXPECT_EQ(problem.find_case("tiny")->integers.at("depth"), 5);
}

TEST(Problem, AReferenceMayComputeInputs) {
  const Problem problem = parsed(edited(row_sum, "uniform(0, 1)", "computed"));
  EXPECT_EQ(problem.find_parameter("input")->init->kind, Init::Kind::computed);
}

TEST(Problem, CasesHoldIntegersAndReals) {
  const Problem problem = parsed(row_sum);
  const CaseSpec* tiny = problem.find_case("tiny");
  ASSERT_NE(tiny, nullptr);
  EXPECT_EQ(tiny->role, CaseRole::test);
  EXPECT_EQ(tiny->integers, (Bindings{{"rows", 2}, {"columns", 3}}));
  EXPECT_EQ(tiny->reals.at("scale"), 1.5);
  EXPECT_EQ(tiny->location.line, 27);
  EXPECT_EQ(problem.find_case("no-such"), nullptr);
}

TEST(Problem, FuzzIsARangeOrOneInteger) {
  const Problem problem = parsed(edited(row_sum, "rows: 1..3", "rows: 2 .. 5\n  columns: 4"));
  ASSERT_EQ(problem.fuzz.size(), 2U);
  EXPECT_EQ(problem.fuzz[0].low, 2);
  EXPECT_EQ(problem.fuzz[0].high, 5);
  EXPECT_EQ(problem.fuzz[1].low, 4);
  EXPECT_EQ(problem.fuzz[1].high, 4);
}

TEST(Problem, ScalarsTakeTheRangeOfTheirType) {
  const auto accepts = [](std::string_view type, std::string_view value) {
    std::string text = edited(row_sum, "type: int", "type: " + std::string(type));
    text = edited(text, "columns: 32", "columns: 1");
    return parse_problem(edited(text, "columns: 3", "columns: " + std::string(value)), "p.md").ok();
  };
  EXPECT_TRUE(accepts("uint8_t", "255"));
  EXPECT_FALSE(accepts("uint8_t", "256"));
  EXPECT_TRUE(accepts("int8_t", "-128"));
  EXPECT_TRUE(accepts("unsigned int", "4294967295"));
  EXPECT_FALSE(accepts("unsigned int", "4294967296"));
  EXPECT_TRUE(accepts("uint64_t", "9223372036854775807"));
  EXPECT_FALSE(accepts("uint64_t", "9223372036854775808"));
  EXPECT_TRUE(accepts("bool", "true"));
  EXPECT_TRUE(accepts("bool", "0"));
  EXPECT_FALSE(accepts("bool", "2"));
  EXPECT_TRUE(accepts("long", "\"12\""));
}

TEST(Problem, ByteOrderMarkAndWindowsLineEndsMakeNoDifference) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : row_sum) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Problem problem = parsed(text);
  EXPECT_EQ(problem.slug, "row-sum");
  EXPECT_EQ(problem.statement, "Sum every row.\n");
  EXPECT_EQ(problem.find_case("large")->location.line, 28);
  EXPECT_EQ(problem.content_sha256, sha256_hex(text));
  const auto broken = parse_problem(edited(text, "rows / 2", "rows / q"), "p.md");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().location.line, 22);
  EXPECT_EQ(broken.error().location.column, 16);
}

TEST(Problem, DashesInTheStatementEndNothing) {
  const Problem problem = parsed(edited(row_sum, "Sum every row.", "One\n---\nTwo"));
  EXPECT_EQ(problem.statement, "One\n---\nTwo\n");
}

TEST(Problem, SignatureIsOneLineInFileOrder) {
  const Problem problem = parsed(row_sum);
  EXPECT_EQ(signature(problem),
            "extern \"C\" void solution(const float* input, float* output, size_t rows, int columns, float "
            "scale);");
  EXPECT_THAT(signature(problem, "__half"), HasSubstr("(const __half* input, __half* output, size_t rows"));
}

TEST(Problem, ScalarTypesKnowTheirRanges) {
  ASSERT_NE(find_scalar_type("size_t"), nullptr);
  EXPECT_EQ(find_scalar_type("size_t")->low, 0);
  EXPECT_FALSE(find_scalar_type("[VAR]")->is_integer());
  EXPECT_EQ(find_scalar_type("int4"), nullptr);
  EXPECT_EQ(scalar_type_names().front(), "[VAR]");
}

TEST(Problem, AMissingFileIsAnErrorThatNamesIt) {
  const auto problem = load_problem("no/such/file.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().location.file, "no/such/file.md");
}

TEST(MissingForGrading, NothingIsMissingInAGradableProblem) {
  EXPECT_TRUE(missing_for_grading(parsed(row_sum)).empty());
  EXPECT_TRUE(missing_for_grading(loaded("gradable/conv-transpose-2d.md")).empty());
}

TEST(MissingForGrading, SaysWhatAnInterfaceLacksAndShowsTheLineToWrite) {
  const Errors missing = missing_for_grading(loaded("interface/conv-depthwise-2d.md"));
  std::vector<std::string> messages;
  for (const Error& error : missing) {
    messages.push_back(error.message);
    EXPECT_GT(error.location.line, 0) << error.message;
    EXPECT_THAT(error.remedy, HasSubstr("write `"));
  }
  EXPECT_THAT(messages,
              ElementsAre("parameter 'input' has no shape", "parameter 'input' has no init",
                          "parameter 'kernel' has no shape", "parameter 'kernel' has no init",
                          "parameter 'output' has no shape", "there are no dtypes", "there are no cases"));
  EXPECT_THAT(missing[0].remedy, HasSubstr("shape: [batch_size, in_channels, out_channels, ...]"));
  EXPECT_EQ(missing[0].location.line, 8);
}

TEST(MissingForGrading, BothTestAndBenchCasesAreNeeded) {
  const Errors no_bench = missing_for_grading(parsed(edited(row_sum, "role: bench", "role: sample")));
  ASSERT_EQ(no_bench.size(), 1U);
  EXPECT_EQ(no_bench[0].message, "no case has the role bench");
  const Errors no_test = missing_for_grading(parsed(edited(row_sum, "role: test", "role: sample")));
  ASSERT_EQ(no_test.size(), 1U);
  EXPECT_EQ(no_test[0].message, "no case has the role test");
  EXPECT_EQ(no_test[0].remedy, "write `- {name: tiny, role: test, rows: 1, columns: 1, ...}`");
}

}  // namespace problem_test
}  // namespace kgrade::test
