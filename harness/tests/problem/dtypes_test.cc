// Problems with several element types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "problem/case.h"
#include "problem/problem.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace dtypes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// With all three types, and other edits.
std::string in_all_types(const std::string& from = "", const std::string& to = "") {
  const std::string text = edited(row_sum, "[float32]", "[float32, float16, bfloat16]");
  return from.empty() ? text : edited(text, from, to);
}

std::string fault_of(const std::string& content) {
  const auto problem = parse_problem(content, "row-sum.md");
  return problem ? "none" : to_string(problem.errors());
}

TEST(Dtypes, TheFirstIsTheProblemsUntilAnotherIsChosen) {
  const Problem problem = parsed(in_all_types());
  EXPECT_THAT(problem.dtypes, ElementsAre("float32", "float16", "bfloat16"));
  EXPECT_EQ(problem.dtype, Dtype::float32);
  const auto chosen = with_dtype(problem, "bfloat16");
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->dtype, Dtype::bfloat16);
  EXPECT_EQ(parsed(edited(row_sum, "[float32]", "[float16]")).dtype, Dtype::float16);
}

TEST(Dtypes, AreNeededOnlyWhereATensorIsOfThem) {
  const std::string without = edited(row_sum, "dtypes: [float32]\n", "");
  EXPECT_TRUE(parsed(without).dtypes.empty());
  const Problem of_floats = parsed(replace_all(without, "\"[VAR]\"", "float"));
  EXPECT_THAT(of_floats.dtypes, ElementsAre("float32"));
  EXPECT_TRUE(missing_for_grading(of_floats).empty()) << to_string(missing_for_grading(of_floats));
}

TEST(Dtypes, OneThatIsNotListedIsRefusedWithTheList) {
  const auto chosen = with_dtype(parsed(edited(row_sum, "[float32]", "[float32, float16]")), "bfloat16");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().message, "problem 'row-sum' is not for 'bfloat16'");
  EXPECT_EQ(chosen.error().remedy, "its dtypes are: float32, float16");
  EXPECT_FALSE(with_dtype(parsed(in_all_types()), "float64").ok());
}

TEST(Dtypes, TheSignatureHasCudasType) {
  const Problem problem = parsed(in_all_types());
  EXPECT_THAT(signature(problem), HasSubstr("(const float* input, float* output"));
  EXPECT_THAT(signature(*with_dtype(problem, "float16")), HasSubstr("(const __half* input, __half* output"));
  EXPECT_THAT(signature(*with_dtype(problem, "bfloat16")), HasSubstr("(const __nv_bfloat16* input"));
}

TEST(Dtypes, CasesHaveElementsOfTheirType) {
  const Problem problem = parsed(in_all_types());
  const auto wide = resolve_case(problem, problem.cases.front());
  const auto narrow = resolve_case(*with_dtype(problem, "float16"), problem.cases.front());
  ASSERT_TRUE(wide.ok() && narrow.ok());
  EXPECT_EQ(narrow->dtype, Dtype::float16);
  EXPECT_EQ(narrow->tensor_bytes() * 2, wide->tensor_bytes());
  EXPECT_EQ(narrow->tensor_bytes(4), wide->tensor_bytes());
}

// `bytes` counts float32, so that one formula does for all types.
TEST(Dtypes, BytesOfACaseAreHalfAsManyInSixteenBits) {
  const Problem problem = parsed(in_all_types("precision:", "bytes: 12 * rows\nprecision:"));
  const auto wide = resolve_case(problem, problem.cases.front());
  const auto narrow = resolve_case(*with_dtype(problem, "bfloat16"), problem.cases.front());
  ASSERT_TRUE(wide.ok() && narrow.ok());
  EXPECT_EQ(*narrow->bytes * 2, *wide->bytes);
}

TEST(Dtypes, ThresholdsAreThoseOfTheType) {
  const Problem problem = parsed(in_all_types());
  EXPECT_EQ(with_dtype(problem, "float16")->thresholds.bf16, default_thresholds(Dtype::float16).bf16);
  EXPECT_EQ(with_dtype(problem, "bfloat16")->thresholds.bf16, default_thresholds(Dtype::bfloat16).bf16);
  // Thresholds for float32 apply to float32 only.
  EXPECT_EQ(problem.thresholds.fp32, 1e-6);
  EXPECT_EQ(with_dtype(problem, "float16")->thresholds.fp32, default_thresholds(Dtype::float16).fp32);
}

TEST(Dtypes, ThresholdsCanBeWrittenForEachType) {
  const Problem problem =
      parsed(in_all_types("{fp32: 1e-6", "{float16: {fp32: 3e-6, bf16: 0.1}, fp32: 1e-6"));
  const auto narrow = with_dtype(problem, "float16");
  EXPECT_EQ(narrow->thresholds.fp32, 3e-6);
  EXPECT_EQ(narrow->thresholds.tf32, default_thresholds(Dtype::float16).tf32);
  EXPECT_EQ(narrow->thresholds.bf16, 0.1);
  EXPECT_EQ(problem.thresholds.fp32, 1e-6);
}

TEST(Dtypes, AnOutputCanHaveThresholdsOfItsOwn) {
  const Problem problem =
      parsed(in_all_types("{fp32: 1e-6", "{output: {fp32: 3e-7, float16: {fp32: 4e-6}}, fp32: 1e-6"));
  EXPECT_EQ(problem.thresholds_of("output").fp32, 3e-7);
  EXPECT_EQ(problem.thresholds_of("output").tf32, problem.thresholds.tf32)
      << "what it leaves out is the problem's";
  EXPECT_EQ(problem.thresholds_of("another").fp32, 1e-6);
  EXPECT_EQ(with_dtype(problem, "float16")->thresholds_of("output").fp32, 4e-6);
  EXPECT_EQ(with_dtype(problem, "bfloat16")->thresholds_of("output").fp32,
            default_thresholds(Dtype::bfloat16).fp32);
  EXPECT_THAT(fault_of(in_all_types("{fp32: 1e-6", "{input: {fp32: 3e-7}, fp32: 1e-6")),
              HasSubstr("unknown key 'input'"));
  EXPECT_THAT(fault_of(in_all_types("{fp32: 1e-6", "{output: {output: {}}, fp32: 1e-6")),
              HasSubstr("unknown key 'output' in 'thresholds' of 'output'"));
}

TEST(Dtypes, AProblemCanHaveTheClassFp32Only) {
  const Problem problem = parsed(edited(row_sum, "precision: fp32", "precision: fp32 only"));
  EXPECT_EQ(problem.precision, "fp32");
  EXPECT_TRUE(problem.only_fp32);
  EXPECT_FALSE(parsed(row_sum).only_fp32);
  EXPECT_THAT(fault_of(edited(row_sum, "precision: fp32\nthresholds: {fp32: 1e-6",
                              "precision: fp32 only\nthresholds: {output: {bf16: 1e-2}, fp32: 1e-6")),
              HasSubstr("'precision' is fp32 only, and 'thresholds' has bf16"));
  EXPECT_THAT(fault_of(edited(row_sum, "precision: fp32", "precision: tf32 only")),
              HasSubstr("unknown precision 'tf32 only'"));
}

TEST(Dtypes, FaultsHaveTheirPlace) {
  EXPECT_THAT(fault_of(edited(row_sum, "[float32]", "[float32, float32]")),
              HasSubstr("row-sum.md:20:19: error: dtype 'float32' is listed twice"));
  EXPECT_THAT(fault_of(edited(row_sum, "{fp32: 1e-6", "{float16: {fp32: 1e-6}, fp32: 1e-6")),
              HasSubstr("'thresholds' of 'float16', which `dtypes` does not list"));
  EXPECT_THAT(fault_of(in_all_types("{fp32: 1e-6", "{float16: {fp64: 1}, fp32: 1e-6")),
              HasSubstr("unknown key 'fp64'"));
  EXPECT_THAT(fault_of(in_all_types("{fp32: 1e-6", "{bfloat16: {fp32: 1}, fp32: 1e-6")),
              HasSubstr("thresholds do not increase: fp32 1, tf32 0.001"));
}

// Ranges that contain float32 numbers but no numbers of a 16-bit type.
TEST(Dtypes, RefusesDistributionsWithoutNumbersOfTheType) {
  const auto fault = [](const std::string& init) { return fault_of(in_all_types("uniform(0, 1)", init)); };
  EXPECT_THAT(fault("uniform(0, 1e5)"),
              HasSubstr("as float16, 'init' 'uniform(0, 1e5)' of 'input' has values that overflow"));
  EXPECT_THAT(fault("normal(0, 2e4)"), HasSubstr("overflow"));
  EXPECT_THAT(fault("constant(1e-6)"), HasSubstr("is no normal number of the type"));
  EXPECT_THAT(fault("integers(2049, 2049)"), HasSubstr("holds no value of the type"));
  EXPECT_THAT(fault("uniform(1e-6, 2e-6)"), HasSubstr("holds no value of the type"));
  EXPECT_THAT(fault("uniform(1.0001, 1.0002)"), HasSubstr("holds no value of the type"));
  for (const char* init : {"uniform(0, 1e4)", "normal(0, 1)", "zeros", "ones", "integers(2048, 2049)",
                           "uniform(-1e-6, 1e-6)", "constant(0.1)"}) {
    EXPECT_EQ(fault(init), "none") << init;
  }
  EXPECT_EQ(fault_of(edited(row_sum, "uniform(0, 1)", "uniform(0, 1e5)")), "none") << "float32 has them";
}

}  // namespace dtypes_test
}  // namespace kgrade::test
