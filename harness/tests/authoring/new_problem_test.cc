#include "authoring/new_problem.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "authoring/draft.h"
#include "authoring/new_files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/case.h"
#include "problem/hidden_cases.h"
#include "problem/lint.h"

namespace kgrade::authoring::new_problem_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

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

// The cases of the draft, by name.
std::map<std::string, Case> cases_of(const NewProblem& problem) {
  std::map<std::string, Case> cases;
  const auto draft = draft_of(problem);
  EXPECT_TRUE(draft) << message(draft);
  if (!draft) return cases;
  const auto parsed = parse_problem(problem_text(*draft), problem.slug + ".md");
  EXPECT_TRUE(parsed) << message(parsed);
  for (const CaseSpec& spec : parsed->cases) {
    const auto bound = resolve_case(*parsed, spec);
    EXPECT_TRUE(bound) << message(bound);
    if (bound) cases.emplace(spec.name, *bound);
  }
  return cases;
}

// Four axes of the usual lengths would be 10^13 elements.
TEST(NewProblemTest, TheBenchHasMillionsOfElementsWhateverTheNumberOfAxes) {
  for (const std::vector<std::string>& shape : {std::vector<std::string>{"n"},
                                                {"n", "c"},
                                                {"n", "c", "h"},
                                                {"n", "c", "h", "w"},
                                                {"n", "c", "d", "h", "w"}}) {
    NewProblem problem = named("a");
    problem.inputs = {{"x", shape, ""}};
    problem.outputs = {{"y", shape, ""}};
    EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
    const std::map<std::string, Case> cases = cases_of(problem);
    ASSERT_TRUE(cases.contains("large")) << shape.size();
    EXPECT_GE(cases.at("large").tensors[0].elements, 1 << 22) << shape.size();
    EXPECT_LE(cases.at("large").tensor_bytes(), 1 << 30) << shape.size();
    EXPECT_GE(cases.size(), 5U) << shape.size();
  }
}

TEST(NewProblemTest, NoCaseChoosesMoreThanThereAre) {
  NewProblem problem = named("moe");
  problem.inputs = {{"logits", {"tokens", "experts"}, ""}};
  problem.outputs = {{"indices", {"tokens", "k"}, "", "int"}, {"weights", {"tokens", "k"}, ""}};
  EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  EXPECT_THAT(problem_text(*draft), HasSubstr("require:\n  - k <= experts"));
  const std::map<std::string, Case> cases = cases_of(problem);
  EXPECT_GE(cases.size(), 6U);
  std::set<std::int64_t> chosen;
  for (const auto& [name, bound] : cases) {
    EXPECT_LE(bound.integers.at("k"), bound.integers.at("experts")) << name;
    chosen.insert(bound.integers.at("k"));
  }
  EXPECT_GE(chosen.size(), 4U);
}

// The inner extent of a product is called k as well.
TEST(NewProblemTest, TheInnerExtentOfAProductIsNoChoice) {
  NewProblem problem = named("a");
  problem.inputs = {{"a", {"m", "k"}, ""}, {"b", {"k", "n"}, ""}};
  problem.outputs = {{"c", {"m", "n"}, ""}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  EXPECT_THAT(problem_text(*draft), Not(HasSubstr("require")));
  EXPECT_GE(cases_of(problem).at("large").integers.at("k"), 1024);
}

TEST(NewProblemTest, TensorsMayHaveATypeOfTheirOwnAndOutputsABeginning) {
  const auto positions = parse_tensor("positions:batch,tokens:int32", "--input");
  ASSERT_TRUE(positions) << message(positions);
  EXPECT_THAT(positions->shape, ElementsAre("batch", "tokens"));
  EXPECT_EQ(positions->type, "int");
  EXPECT_THAT(message(parse_tensor("x:n:quad", "--input")), HasSubstr("no tensor has the type 'quad'"));
  NewProblem problem = named("rope");
  problem.inputs = {
      *positions, {"table", {"d"}, "", "__nv_bfloat16"}, {"scales", {"batch"}, "", "__nv_fp8_e8m0"}};
  problem.outputs = {{"q", {"batch", "tokens", "d"}, ""}, {"y", {"batch"}, ""}};
  EXPECT_THAT(message(set_begins(problem, "p=zeros")), HasSubstr("--begins p=zeros: there is no output 'p'"));
  EXPECT_TRUE(set_begins(problem, "q=normal(0, 1)"));
  EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft) << message(draft);
  const std::string text = problem_text(*draft);
  EXPECT_THAT(text, HasSubstr("{name: positions, type: int, pointer: true, const: true,"));
  EXPECT_THAT(text, HasSubstr("init: \"integers(0, 99)\""));
  EXPECT_THAT(text, HasSubstr("init: \"uniform(0.25, 4)\""));
  EXPECT_THAT(text, HasSubstr("begins: \"normal(0, 1)\""));
  EXPECT_THAT(text, HasSubstr("- Before the call `q` holds `normal(0, 1)`.\n- `y` holds arbitrary values"));
  EXPECT_THAT(text, HasSubstr("- `positions` of shape `[batch, tokens]`, of type `int`"));
}

TEST(NewProblemTest, AProblemOfIntegersAloneIsExact) {
  NewProblem problem = named("count-bits");
  problem.inputs = {{"numbers", {"n"}, "", "uint32_t"}};
  problem.outputs = {{"bits", {"n"}, "", "int"}};
  EXPECT_THAT(findings(problem), ElementsAre("there is no 'flops'"));
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft) << message(draft);
  EXPECT_THAT(problem_text(*draft), HasSubstr("precision: exact"));
  EXPECT_THAT(problem_text(*draft), Not(HasSubstr("dtypes")));
  const auto parsed = parse_problem(problem_text(*draft), "count-bits.md");
  ASSERT_TRUE(parsed);
  EXPECT_THAT(reference_stub(*parsed), HasSubstr("bits[i] = static_cast<int>(value);"));
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

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(fs::relative(entry.path(), folder).string());
  return names;
}

TEST(NewFiles, AreWrittenTogetherWithTheirFolders) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(
      write_new_files({{folder.path() / "problems/a.md", "one"}, {folder.path() / "reference/a.cu", "two"}}));
  EXPECT_THAT(names_in(folder.path()),
              UnorderedElementsAre("problems", "problems/a.md", "reference", "reference/a.cu"));
  EXPECT_EQ(*read_text_file(folder.path() / "reference/a.cu"), "two");
}

TEST(NewFiles, AReferenceLiesBesideTheFolderOfItsProblem) {
  for (const auto& [folder, file, reference] : std::vector<std::array<std::string, 3>>{
           {"problems", "problems/a.md", "reference/a.cu"},
           {"mine/problems/", "mine/problems/a.md", "mine/reference/a.cu"},
           {".", "a.md", "../reference/a.cu"},
           {"/x/problems", "/x/problems/a.md", "/x/reference/a.cu"}}) {
    EXPECT_EQ(places_of(folder, "a").file, file);
    EXPECT_EQ(places_of(folder, "a").reference, reference);
  }
}

TEST(NewFiles, NothingIsLeftWhenOneCannotBe) {
  const TemporaryDirectory folder;
  fs::create_directory(folder.path() / "reference");
  std::ofstream(folder.path() / "reference/a.cu") << "mine";
  const auto written =
      write_new_files({{folder.path() / "problems/a.md", "one"}, {folder.path() / "reference/a.cu", "two"}});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("exists already"));
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("reference", "reference/a.cu"));
  EXPECT_EQ(*read_text_file(folder.path() / "reference/a.cu"), "mine");
}

TEST(NewFiles, FoldersInFoldersAreMadeAndGoAgainOnFailure) {
  const TemporaryDirectory folder;
  const fs::path deep = folder.path() / "new/deep/folder/b.cu";
  ASSERT_TRUE(write_new_files({{deep, "text"}}));
  EXPECT_EQ(*read_text_file(deep), "text");
  EXPECT_FALSE(write_new_files({{folder.path() / "other/deep/a.md", "text"}, {deep, "again"}}));
  EXPECT_FALSE(fs::exists(folder.path() / "other"));
  EXPECT_FALSE(write_new_files({{deep / "below/a.md", "text"}}));
}

TEST(NewFiles, ADanglingLinkIsSomethingThatExists) {
  const TemporaryDirectory folder;
  fs::create_symlink("elsewhere", folder.path() / "a.md");
  EXPECT_FALSE(write_new_files({{folder.path() / "a.md", "one"}}));
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a.md"));
}

}  // namespace kgrade::authoring::new_problem_test
