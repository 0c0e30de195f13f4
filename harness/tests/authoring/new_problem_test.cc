#include "authoring/new_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "authoring/draft.h"
#include "authoring/stub.h"
#include "problem/hidden_cases.h"
#include "problem/lint.h"

namespace kgrade::authoring {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NewProblem named(const std::string& slug) {
  NewProblem problem;
  problem.slug = slug;
  return problem;
}

std::string message(const auto& result) { return result ? "" : result.error().message; }

// Lint's warnings and errors for the draft.
std::vector<std::string> findings(const NewProblem& problem) {
  const auto draft = draft_of(problem);
  EXPECT_TRUE(draft) << message(draft);
  if (!draft) return {};
  const auto parsed = parse_problem(problem_text(*draft), problem.slug + ".md");
  EXPECT_TRUE(parsed) << to_string(parsed.errors());
  std::vector<std::string> messages;
  for (const LintFinding& finding : lint(*parsed)) messages.push_back(finding.what.message);
  return messages;
}

TEST(NewProblemTest, LintFindsNothingButWhatTheAuthorAloneKnows) {
  NewProblem problem = named("windows");
  problem.inputs = {{"x", {"batch", "n"}, "integers(-2, 3)"}, {"w", {"k"}, ""}};
  problem.outputs = {{"y", {"batch", "ceil_div(n, 4)", "max(n, k)"}, ""}, {"z", {"2 * n"}, ""}};
  EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
}

TEST(NewProblemTest, NamesInShapesBecomeParametersInTheirOrder) {
  NewProblem problem = named("a");
  problem.inputs = {{"x", {"rows", "columns"}, ""}};
  problem.outputs = {{"y", {"columns / 2"}, ""}};
  problem.scalars = {{"eps", "float"}, {"rows", "int"}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  std::vector<std::string> names;
  for (const DraftParameter& parameter : draft->parameters)
    names.push_back(parameter.type + " " + parameter.name);
  EXPECT_THAT(names, ElementsAre("[VAR] x", "[VAR] y", "size_t columns", "float eps", "int rows"));
}

// `fuzz` draws integers; a parameter that it leaves out must have a value.
TEST(NewProblemTest, RealNumbersGoUnderDefaultsAndIntegersIntoFuzz) {
  NewProblem problem = named("a");
  problem.inputs = {{"x", {"rows", "columns"}, ""}};
  problem.outputs = {{"y", {"rows", "columns"}, ""}};
  problem.scalars = {{"eps", "float"}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft) << message(draft);
  const std::string text = problem_text(*draft);
  EXPECT_THAT(text, HasSubstr("\ndefaults:\n  eps: 1\n"));
  EXPECT_THAT(text, HasSubstr("\nfuzz:  # hidden shapes are drawn from these ranges\n  rows: 2..31\n"));
  EXPECT_THAT(text, HasSubstr("{name: tiny, role: sample, rows: 3, columns: 5}"));
  EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
}

// Kernels of flat arrays fail where the last block has a part of its threads to use.
TEST(NewProblemTest, HiddenSizesOfFlatArraysSpanSeveralBlocksAndPartsOfThem) {
  NewProblem problem = named("a");
  problem.inputs = {{"x", {"n"}, ""}};
  problem.outputs = {{"y", {"n"}, ""}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft) << message(draft);
  const auto parsed = parse_problem(problem_text(*draft), "a.md");
  ASSERT_TRUE(parsed) << message(parsed);
  std::vector<std::int64_t> sizes;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    HiddenOptions options;
    options.seed = seed;
    const auto drawn = draw_hidden_cases(*parsed, options);
    ASSERT_TRUE(drawn) << message(drawn);
    for (const Case& bound : *drawn) sizes.push_back(bound.integers.at("n"));
  }
  const auto count = [&](auto wanted) { return std::count_if(sizes.begin(), sizes.end(), wanted); };
  EXPECT_GT(count([](std::int64_t n) { return n < 256; }), 0);
  EXPECT_GT(count([](std::int64_t n) { return n > 3 * 1024; }), 5);
  EXPECT_GT(count([](std::int64_t n) { return n > 1024 && n % 32 != 0; }), 10);
}

TEST(NewProblemTest, ShapesThatNoCaseCanHaveAreRefused) {
  for (const char* text : {"x:0", "x:n,-3", "x:2 - 2"})
    EXPECT_THAT(message(parse_tensor(text, "--input")),
                HasSubstr("--input " + std::string(text) + ": the extent"))
        << text;
  NewProblem problem = named("a");
  problem.outputs = {{"y", {"n - 5000"}, ""}};
  EXPECT_THAT(message(draft_of(problem)), HasSubstr("extent `n - 5000` of 'y' is -4997"));
  problem.outputs = {{"y", {"n / (n - n)"}, ""}};
  EXPECT_THAT(message(draft_of(problem)), HasSubstr("division by zero"));
}

TEST(NewProblemTest, AProblemWithoutTensorsIsNone) {
  const auto draft = draft_of(named("row-softmax"));
  ASSERT_FALSE(draft);
  EXPECT_THAT(draft.error().remedy, HasSubstr("--input x:rows,columns --output y:rows,columns"));
}

TEST(NewProblemTest, OptionsThatCannotBeAreToldByTheirText) {
  EXPECT_EQ(parse_tensor("x:rows, 2 * columns", "--input")->shape.size(), 2U);
  for (const char* text : {"", "x", "x:", ":n", "x:n,", "x:n +", "x:f(n)"}) {
    EXPECT_THAT(message(parse_tensor(text, "--input")), HasSubstr("--input")) << text;
  }
  EXPECT_THAT(message(parse_scalar("k:quad")), HasSubstr("no type 'quad'"));
  NewProblem problem = named("a");
  problem.inputs = {{"left", {"n"}, ""}, {"right", {"n"}, ""}};
  problem.outputs = {{"y", {"n"}, ""}};
  EXPECT_TRUE(set_init(problem, "normal(0, 3)"));
  EXPECT_TRUE(set_init(problem, "left = ones"));
  EXPECT_EQ(problem.inputs[0].init, "ones");
  EXPECT_EQ(problem.inputs[1].init, "normal(0, 3)");
  EXPECT_THAT(message(set_init(problem, "lift=ones")), HasSubstr("no input 'lift'"));
  problem.inputs[0].init = "gauss(1)";
  EXPECT_THAT(message(draft_of(problem)), HasSubstr("gauss"));
  problem.inputs[0] = {"int", {"n"}, ""};
  EXPECT_THAT(message(draft_of(problem)), HasSubstr("cannot be a name in C++"));
}

TEST(NewProblemTest, SlugsAreRefusedWithOneThatWouldDo) {
  EXPECT_FALSE(check_slug("row-softmax"));
  EXPECT_THAT(check_slug("Row Softmax.md")->remedy, HasSubstr("`row-softmax`"));
  for (const char* bad : {"", "-", "a-", "a/b", "../a", "a_b", "\xc3\xa9", " ", "A"})
    EXPECT_TRUE(check_slug(bad)) << bad;
  EXPECT_TRUE(check_slug(std::string(129, 'a')));
}

TEST(NewProblemTest, QuestionsAreAskedAgainUntilTheAnswerIsOne) {
  std::istringstream in("Softmax\nTRIVIAL\nHARD\nx\nx:rows,columns\n\nnormal(0, 2)\ny:rows,columns\n\n");
  std::ostringstream out;
  const auto problem = ask(named("row-softmax"), in, out);
  ASSERT_TRUE(problem) << message(problem);
  EXPECT_EQ(problem->title, "Softmax");
  EXPECT_EQ(problem->difficulty, "HARD");
  EXPECT_EQ(problem->inputs.size(), 1U);
  EXPECT_EQ(problem->inputs[0].init, "normal(0, 2)");
  EXPECT_EQ(problem->outputs[0].name, "y");
  EXPECT_THAT(out.str(), HasSubstr("'TRIVIAL' is none of the three"));
  std::istringstream cut("Softmax\n");
  EXPECT_THAT(message(ask(named("row-softmax"), cut, out)), HasSubstr("ended before the questions did"));
}

TEST(NewProblemTest, TheStubAvoidsTheNamesOfParameters) {
  NewProblem problem = named("a");
  problem.inputs = {{"i", {"count"}, ""}};
  problem.outputs = {{"value", {"count"}, ""}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  const auto parsed = parse_problem(problem_text(*draft), "a.md");
  ASSERT_TRUE(parsed);
  const std::string stub = reference_stub(*parsed);
  EXPECT_THAT(stub, HasSubstr("const std::int64_t i_ = "));
  EXPECT_THAT(stub, HasSubstr("std::int64_t count_)"));
  EXPECT_THAT(stub, HasSubstr("value[i_] = static_cast<ops::element>(value_);"));
}

}  // namespace
}  // namespace kgrade::authoring
