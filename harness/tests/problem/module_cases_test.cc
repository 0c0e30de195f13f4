// Python files with several cases: how their description becomes a problem, whose cases may differ in shapes,
// types and arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "problem/case.h"
#include "problem/module_call.h"
#include "problem/module_file.h"
#include "problem/problem.h"
#include "problem/untold.h"

namespace kgrade::test::module_cases_test {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path file = "relu.py";

Json case_of(const std::string& name, std::vector<int> shape, const std::string& dtype, int number) {
  return {{"name", name},
          {"number", number},
          {"role", "bench"},
          {"scalars", {{"n", shape.empty() ? 1 : shape[0]}, {"scale", 0.5}}},
          {"positional", Json::array({number})},
          {"keywords", Json::object()},
          {"forward", {{{"tuple", {{{"input", "x"}}, {{"value", nullptr}}}}}, {{"scalar", "n"}}}},
          {"inputs",
           {{{"name", "x"},
             {"shape", shape},
             {"dtype", dtype},
             {"draw", {{"kind", "normal"}, {"first", 0}, {"second", 1}}}}}},
          {"weights", Json::array()},
          {"buffers", Json::array()},
          {"outputs", {{{"name", "output"}, {"shape", shape}, {"dtype", dtype}}}},
          {"dtype", dtype},
          {"is_narrow", dtype != "float32"},
          {"terms", 3},
          {"mode", "eval"},
          {"notes", Json::array()}};
}

Json description_of(std::vector<Json> cases) {
  return {{"title", "ReLU"}, {"cases", std::move(cases)}, {"left_out", {{"empty", "x has no elements"}}}};
}

Result<Problem> problem_of(const Json& description) {
  const auto text = problem_text_of(description.dump(), file);
  return text ? parse_problem(*text, file) : Result<Problem>(text.errors());
}

std::vector<std::string> names_of(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) names.push_back(spec.name);
  return names;
}

TEST(ModuleCasesTest, EachCaseHasItsShapesScalarsAndArguments) {
  const auto problem =
      problem_of(description_of({case_of("a", {4}, "float32", 0), case_of("b", {2, 3}, "float32", 1)}));
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_THAT(problem->statement, HasSubstr("'empty' is left out: x has no elements"));
  EXPECT_EQ(signature(*problem),
            "extern \"C\" void solution(const float* x, float* output, int64_t n, double scale);");
  const auto first = resolve_case(*problem, problem->cases[0]);
  const auto second = resolve_case(*problem, problem->cases[1]);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_THAT(first->tensors[0].shape, ElementsAre(4));
  EXPECT_THAT(second->tensors[1].shape, ElementsAre(2, 3));
  EXPECT_EQ(second->tensors[1].elements, 6);
  EXPECT_EQ(second->integers.at("n"), 2);
  EXPECT_EQ(second->terms, 3);
  const auto call = to_json(*module_call(*problem, *second));
  EXPECT_EQ(call.at("case"), 1);
  EXPECT_EQ(call.at("positional"), Json({1}));
  EXPECT_EQ(call.at("forward")[1], Json({{"scalar", "n"}}));
}

TEST(ModuleCasesTest, TheTypeChoosesTheCases) {
  const auto problem = problem_of(description_of(
      {case_of("a", {4}, "float32", 0), case_of("b", {}, "float16", 1), case_of("c", {5}, "float16", 2)}));
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_THAT(problem->dtypes, ElementsAre("float16", "float32"));
  EXPECT_THAT(names_of(*problem), ElementsAre("b", "c"));
  EXPECT_EQ(problem->precision, "bf16");
  EXPECT_TRUE(problem->keeps_types());
  const auto single = with_dtype(*problem, "float32");
  EXPECT_THAT(names_of(*single), ElementsAre("a"));
  EXPECT_EQ(single->precision, "fp32");
  EXPECT_TRUE(single->keeps_types());
  const auto half = with_dtype(*single, "float16");
  EXPECT_THAT(names_of(*half), ElementsAre("b", "c"));
  EXPECT_EQ(half->precision, "bf16");
  const auto bound = resolve_case(*half, half->cases[0]);
  EXPECT_THAT(bound->tensors[0].shape, ElementsAre(1));
  EXPECT_EQ(bound->dtype_of(bound->tensors[0]), Dtype::float16);
}

TEST(ModuleCasesTest, ATensorMayBeMissingOrOfAnotherTypeInACase) {
  Json other = case_of("b", {2}, "float32", 1);
  other["inputs"].push_back({{"name", "mask"}, {"shape", {2}}, {"dtype", "bool"}, {"draw", nullptr}});
  other["outputs"][0]["dtype"] = "int64";
  const auto problem = problem_of(description_of({case_of("a", {4}, "float32", 0), other}));
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  const auto first = resolve_case(*problem, problem->cases[0]);
  const auto second = resolve_case(*problem, problem->cases[1]);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto tensor = [](const Case& bound, std::string_view name) {
    return *std::ranges::find(bound.tensors, name, &Tensor::name);
  };
  EXPECT_EQ(tensor(*first, "mask").elements, 1);
  EXPECT_EQ(first->dtype_of(tensor(*second, "mask")), Dtype::boolean);
  EXPECT_EQ(tensor(*first, "output").compare, Comparison::Kind::norm);
  EXPECT_EQ(second->dtype_of(tensor(*second, "output")), Dtype::int64);
  EXPECT_EQ(tensor(*second, "output").compare, Comparison::Kind::exact);
}

TEST(ModuleCasesTest, WrongDescriptionsAreRefused) {
  Json empty = case_of("a", {4}, "float32", 0);
  empty["inputs"][0]["shape"] = {0};
  EXPECT_THAT(to_string(problem_of(description_of({empty})).errors()), HasSubstr("'x' has no elements"));
  Json fewer = case_of("b", {4}, "float32", 1);
  fewer["scalars"].erase("n");
  EXPECT_THAT(to_string(problem_of(description_of({case_of("a", {4}, "float32", 0), fewer})).errors()),
              HasSubstr("gives 'n' no number"));
  EXPECT_THAT(to_string(problem_of(description_of({})).errors()), HasSubstr("there is no case"));
  Json exchanged = case_of("b", {4}, "float32", 1);
  exchanged["inputs"][0]["name"] = "output";
  EXPECT_THAT(to_string(problem_of(description_of({case_of("a", {4}, "float32", 0), exchanged})).errors()),
              HasSubstr("an input in one case and an output in another"));
}

TEST(ModuleCasesTest, CasesAreNamedAndNotWritten) {
  const auto problem = problem_of(description_of({case_of("a", {4}, "float32", 0)}));
  const auto written = parse_written_case("n=7", *problem);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(to_string(written.errors()), AllOf(HasSubstr("--case 'n=7'"), HasSubstr("as in --case a;")));
}

TEST(ModuleCasesTest, BuffersThatNoArgumentHoldsAreNoted) {
  Json one = case_of("a", {4}, "float32", 0);
  const auto statement = [&] { return problem_of(description_of({one})).value().statement; };
  for (const char* name : {"bn.num_batches_tracked", "count"})
    one["buffers"].push_back({{"module_name", name}, {"changes", name == std::string("count")}});
  EXPECT_THAT(statement(), Not(HasSubstr("buffers")));
  one["buffers"].push_back({{"module_name", "w_q"}, {"changes", false}});
  EXPECT_THAT(statement(), HasSubstr("Model has buffers, which are no arguments: w_q."));
}

std::string untold_in(const std::vector<Json>& cases, Given given) {
  const auto problem = problem_of(description_of(cases));
  EXPECT_TRUE(problem.ok()) << to_string(problem.errors());
  std::vector<Case> bound;
  for (const CaseSpec& spec : problem->cases) bound.push_back(resolve_case(*problem, spec).value());
  return untold(*problem, bound, given);
}

TEST(ModuleCasesTest, CasesThatNumbersTellApartCanBeAnsweredByPointers) {
  const std::vector<Json> cases = {case_of("a", {4}, "float32", 0), case_of("b", {2, 3}, "float32", 1)};
  EXPECT_EQ(untold_in(cases, Given::pointers), "");
  EXPECT_EQ(untold_in(cases, Given::tensors), "");
  EXPECT_EQ(untold_in({case_of("a", {4}, "float32", 0)}, Given::pointers), "");
}

TEST(ModuleCasesTest, ShapesThatNoNumberTellsAreSeenByFunctionsOnly) {
  const std::vector<Json> cases = {case_of("a", {4, 2}, "float32", 0), case_of("b", {4, 3}, "float32", 0)};
  EXPECT_THAT(untold_in(cases, Given::pointers),
              HasSubstr("the shape of 'x' is [4, 2] in the case 'a' and [4, 3] in 'b', and no argument of a "
                        "candidate in CUDA C++ tells this"));
  EXPECT_EQ(untold_in(cases, Given::tensors), "");
}

TEST(ModuleCasesTest, ValuesOfForwardAndOfModelMayBeUntold) {
  std::vector<Json> cases = {case_of("a", {4}, "float32", 0), case_of("b", {4}, "float32", 0)};
  EXPECT_EQ(untold_in(cases, Given::pointers), "");
  cases[1]["forward"][0]["tuple"][1]["value"] = 2;
  for (const Given given : {Given::pointers, Given::tensors})
    EXPECT_THAT(untold_in(cases, given),
                HasSubstr("forward() gets (x, None) in the case 'a' and (x, 2) in 'b'"));
  cases[1] = case_of("b", {4}, "float32", 1);
  EXPECT_THAT(untold_in(cases, Given::tensors), HasSubstr("is Model(0) in the case 'a' and Model(1) in 'b'"));
}

TEST(ModuleCasesTest, ATypeOfItsOwnNeedsAnotherPointer) {
  std::vector<Json> cases = {case_of("a", {4}, "float32", 0), case_of("b", {5}, "float32", 0)};
  cases[1]["outputs"][0]["dtype"] = "int64";
  EXPECT_THAT(untold_in(cases, Given::pointers),
              HasSubstr("the type of 'output' is another one in the case 'b'"));
  EXPECT_EQ(untold_in(cases, Given::tensors), "");
}

}  // namespace kgrade::test::module_cases_test
