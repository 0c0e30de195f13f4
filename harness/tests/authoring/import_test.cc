#include "authoring/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "authoring/case_proposals.h"
#include "authoring/draft.h"
#include "authoring/new_problem.h"
#include "problem/lint.h"
#include "problem/module_file.h"
#include "problem/problem.h"

namespace kgrade::authoring::import_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A bare file from another site: booleans as texts, `constant` on scalars. Names that end in ! are outputs,
// those in * inputs, all others scalars.
std::string bare(std::string_view title, const std::vector<std::string>& parameters,
                 std::string_view statement) {
  std::string text = fmt::format(
      "---\nslug: \"sample\"\ntitle: \"{}\"\ndifficulty: \"EASY\"\nauthor: \"\"\ntags: "
      "[\"a\"]\nparameters:\n",
      title);
  for (std::string name : parameters) {
    const char kind = name.back();
    const bool tensor = kind == '*' || kind == '!';
    if (tensor) name.pop_back();
    text += fmt::format("  - name: \"{}\"\n    type: \"{}\"\n    pointer: \"{}\"\n    {}: \"{}\"\n\n", name,
                        tensor ? "[VAR]" : "size_t", tensor, tensor ? "const" : "constant", kind == '*');
  }
  return text + "---\n" + std::string(statement);
}

Imported imported(const std::string& text) {
  auto result = import_problem(text, "sample.md");
  EXPECT_TRUE(result) << (result ? "" : to_string(result.errors()));
  return result ? *std::move(result) : Imported{};
}

const DraftParameter* find(const Imported& imported, std::string_view name) {
  for (const DraftParameter& parameter : imported.draft.parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

std::vector<std::string> shape(const Imported& imported, std::string_view name) {
  const DraftParameter* const parameter = find(imported, name);
  return parameter == nullptr ? std::vector<std::string>{"no parameter"} : parameter->shape;
}

std::string todo(const Imported& imported, std::string_view what) {
  for (const Todo& todo : imported.todos) {
    if (todo.what == what) return todo.why;
  }
  return "";
}

const std::vector<std::string> conv_2d = {
    "input*",    "kernel*",   "output!",    "batch_size", "in_channels", "out_channels",
    "height",    "width",     "kernel_h",   "kernel_w",   "stride_h",    "stride_w",
    "padding_h", "padding_w", "dilation_h", "dilation_w", "groups"};

TEST(Import, TakesShapesThatTheStatementWritesAtAParameter) {
  const Imported result = imported(
      bare("Convolution", conv_2d,
           "Convolution.\n\n## Input\n- Tensor `input` of shape $(B, C_{\\text{in}}, H, W)$\n"
           "- Tensor `kernel` of shape $(C_{out}, C_{in}/groups, K_h, K_w)$ with $groups = C_{in}$\n"));
  EXPECT_THAT(shape(result, "input"), ElementsAre("batch_size", "in_channels", "height", "width"));
  EXPECT_THAT(shape(result, "kernel"),
              ElementsAre("out_channels", "in_channels / groups", "kernel_h", "kernel_w"));
  EXPECT_EQ(find(result, "input")->shape_note, "from the statement: (B, C_{\\text{in}}, H, W)");
}

TEST(Import, TakesFactorsAndNames) {
  const Imported result = imported(bare("Product", {"A*", "B*", "c!", "m", "k", "n"},
                                        "- Matrix $A$ of size $M \\times K$\n- Matrix `B` of size $(k, 16)$\n"
                                        "- Vector `c` of size $(n,)$\n"));
  EXPECT_THAT(shape(result, "A"), ElementsAre("m", "k"));
  EXPECT_THAT(shape(result, "B"), ElementsAre("k", "16"));
  EXPECT_THAT(shape(result, "c"), ElementsAre("n"));
}

TEST(Import, ASymbolThatIsNoParameterLeavesTheShapeToDo) {
  const Imported result = imported(bare("Convolution", conv_2d,
                                        "- Tensor `kernel` of shape $(C_{in}, C_{out}/g, K, K)$\n"
                                        "- Tensor `output` of shape $(B, C_{out}, H_{out}, W_{out})$\n"));
  EXPECT_THAT(shape(result, "kernel"), IsEmpty());
  EXPECT_EQ(todo(result, "shape of 'kernel'"),
            "the statement writes (C_{in}, C_{out}/g, K, K), and 'K' is no parameter");
  EXPECT_THAT(todo(result, "shape of 'output'"), HasSubstr("'H_out' is no parameter"));
  EXPECT_EQ(todo(result, "shape of 'input'"), "the statement gives no shape for this parameter");
}

TEST(Import, ALineThatNamesTwoTensorsSaysNothingOfEither) {
  const Imported result = imported(
      bare("Sum", {"a*", "b*", "c!", "n"}, "- Vectors `a` and `b` of shape $(n)$\n- `c`, of shape n\n"));
  for (const char* name : {"a", "b", "c"}) EXPECT_THAT(shape(result, name), IsEmpty()) << name;
}

TEST(Import, AStatementThatContradictsItselfLeavesTheShapeToDo) {
  const Imported result = imported(
      bare("Sum", {"a*", "c!", "n", "m"}, "`a`: $(n, m)$\n\nThen `a` is $(m, n)$, and `a` is $(m, n)$.\n"));
  EXPECT_EQ(todo(result, "shape of 'a'"),
            "the statement writes (n, m), and elsewhere the statement writes (m, n)");
}

// Real-valued parameters are not extents, and a symbol needs a parameter with the name that it stands for.
TEST(Import, OnlyIntegerParametersAreExtents) {
  std::string text =
      bare("Scale", {"x*", "y!", "n"}, "`x` has shape $(N)$, `y` of $(B)$\n\n`y` of shape $(C, n)$\n");
  text.replace(text.rfind("size_t"), 6, "float");
  const Imported result = imported(text);
  EXPECT_EQ(todo(result, "shape of 'x'"), "the statement gives no shape for this parameter");
  EXPECT_THAT(todo(result, "shape of 'y'"), HasSubstr("'C' is no parameter"));
}

// `N` is a batch size by convention, and where there is an `n`, nothing says which of the two is meant.
TEST(Import, ASymbolThatCouldBeEitherOfTwoParametersIsToDo) {
  const Imported both = imported(bare("Norm", {"x*", "y!", "batch_size", "n"}, "`x` of shape $(N, n)$\n"));
  EXPECT_THAT(todo(both, "shape of 'x'"), HasSubstr("'N' is no parameter"));
  const Imported one = imported(bare("Norm", {"x*", "y!", "batch_size", "c"}, "`x` of shape $(N, c)$\n"));
  EXPECT_THAT(shape(one, "x"), testing::ElementsAre("batch_size", "c"));
}

TEST(Import, EveryTodoStandsInTheFile) {
  const Imported result = imported(bare("Scale", {"x*", "y!", "n"}, "`x` of shape $(n)$\n"));
  const std::string text = problem_text(result.draft);
  for (const char* what : {"shape of 'y'", "init", "require", "flops", "cases", "fuzz", "domain"}) {
    EXPECT_NE(todo(result, what), "") << what;
    EXPECT_THAT(text, HasSubstr(std::string("# TODO ") + what)) << what;
  }
  EXPECT_EQ(result.todos.size(), 7u);
  EXPECT_TRUE(parse_problem(text, "sample.md")) << text;
}

TEST(Import, WhatTheFrontmatterStatesStays) {
  const Imported result = imported(
      "---\nslug: stated\ntitle: Stated\ndifficulty: EASY\nparameters:\n"
      "  - {name: x, type: \"[VAR]\", pointer: true, const: true, shape: [n, 2 * n], init: ones}\n"
      "  - {name: y, type: \"[VAR]\", pointer: true, const: false}\n"
      "  - {name: n, type: size_t, pointer: false}\n"
      "dtypes: [float16]\nlet: {m: n + 1}\nrequire: [n >= 2]\nflops: 3 * n\n"
      "cases:\n  - {name: tiny, role: sample, n: 3}\nfuzz: {n: 2..9}\n---\n`x` is $(n)$, and `y` unknown.\n");
  const std::string text = problem_text(result.draft);
  for (const char* line : {"shape: [n, 2 * n]", "init: \"ones\"", "dtypes: [float16]", "m: n + 1", "- n >= 2",
                           "flops: 3 * n", "name: tiny, role: sample, n: 3", "n: 2..9"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(result.todos.size(), 1u) << text;
}

constexpr const char* head = "---\nslug: listed\ntitle: Listed\ndifficulty: EASY\n---\n`a` of shape $(n)$\n";

std::vector<std::string> names_from(const std::string& def_py) {
  const auto result = import_problem(head, "folder/listed.md", "", def_py);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.errors()));
  std::vector<std::string> names;
  for (const DraftParameter& p : result ? result->draft.parameters : std::vector<DraftParameter>())
    names.push_back(p.name + (p.pointer ? p.is_const ? "*" : "!" : ""));
  return names;
}

TEST(Import, ParametersComeFromADefPyWhereTheFrontmatterHasNone) {
  const std::string list =
      "parameters = [  # of the kernel\n    {\"name\": \"a\", \"type\": \"float\", \"pointer\": True, "
      "\"const\": "
      "True},\n    {'name': 'c', 'type': '[VAR]', 'pointer': True, 'const': False},\n"
      "    {\"name\": \"n\", \"type\": \"size_t\", \"pointer\": False, \"constant\": False,},\n]\n";
  EXPECT_THAT(names_from("import torch\n\n# parameters = [1]\n" + list), ElementsAre("a*", "c!", "n"));
  std::string attribute = "class problem(Problem):\n    parameters = [\n";
  attribute += list.substr(list.find('\n') + 1);
  EXPECT_THAT(names_from(attribute), ElementsAre("a*", "c!", "n"));
  const auto kept = import_problem(bare("Sum", {"x*", "y!", "n"}, ""), "sample.md", "", list);
  ASSERT_TRUE(kept);
  EXPECT_NE(find(*kept, "x"), nullptr) << "what the frontmatter says counts";
}

TEST(Import, ADefPyIsReadAndNeverExecuted) {
  const auto refused = [](const std::string& def_py) {
    const auto result = import_problem(head, "folder/listed.md", "", def_py);
    return result.ok() ? std::string() : to_string(result.errors());
  };
  EXPECT_THAT(refused("x = 1\n"), HasSubstr("folder/def.py:1: error: has no list `parameters = [...]`"));
  EXPECT_THAT(refused("\nparameters = [\n  dict(name='a')]\n"),
              HasSubstr("folder/def.py:3: error: has an item that is not a dict"));
  EXPECT_THAT(refused("parameters = [{'name': open('/etc/passwd').read()}]"), HasSubstr("is no literal"));
  EXPECT_THAT(refused("parameters = [{'name': f'a'}]"), HasSubstr("is no literal"));
  EXPECT_THAT(refused("parameters = [{'name': 'a\\x22'}]"), HasSubstr("is no literal"));
  EXPECT_THAT(refused("parameters = [{'name': 'a\", shape: [1'}]"), HasSubstr("is no literal"));
  EXPECT_THAT(refused("parameters = [{'shape': 'n'}]"), HasSubstr("has a key other than name"));
  EXPECT_THAT(refused("parameters = [{'name': 'a'} for i in x]"), HasSubstr("is no list of literals"));
  EXPECT_THAT(refused("parameters = [{'name': 'a',"), HasSubstr("def.py:1"));
  EXPECT_THAT(refused("parameters = [" + std::string(100'000, '{')), HasSubstr("def.py:1"));
  EXPECT_THAT(refused("parameters = [{'name': 'a', 'type': 'nonsense', 'pointer': True}]"),
              HasSubstr("nonsense"));
}

TEST(Import, FilesOfKgradeAreNoBareInterfaces) {
  const auto result = import_problem(
      "---\nslug: own\ntitle: Own\ndifficulty: EASY\nlibraries: none\nparameters:\n"
      "  - {name: y, type: float, pointer: true, const: false}\n---\n",
      "own.md");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("keys that only kgrade's own problem files have"));
}

TEST(Import, TheSourceIsThatOfTheStatement) {
  EXPECT_EQ(
      imported(bare("Sum", {"x*", "y!", "n"}, "from [KernelBench](https://x/KernelBench/level1/75_conv.py)"))
          .draft.source,
      "KernelBench level1/75");
  EXPECT_EQ(imported(bare("Sum", {"x*", "y!", "n"}, "from KernelBench, /level and more")).draft.source, "");
}

// How a file in KernelBench's form becomes a problem file with the rest left to do.

const std::filesystem::path softmax_file = "level1/23_Softmax.py";

std::string softmax_text() {
  const auto text = problem_text_of(R"({
    "title": "One\n---\n# TODO two", "positional": [], "keywords": {}, "forward": [{"input": "x"}],
    "inputs": [{"name": "x", "shape": [4, 8], "dtype": "float32",
                "draw": {"kind": "normal", "first": 0, "second": 1}}],
    "weights": [], "buffers": [], "outputs": [{"name": "output", "shape": [4, 8], "dtype": "float32"}],
    "mode": "train", "notes": []})",
                                    softmax_file);
  return text ? *text : to_string(text.errors());
}

TEST(ImportModuleTest, LeavesMarksForWhatIsToBeDone) {
  const auto imported = authoring::import_module(softmax_text(), softmax_file);
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported->slug, "level1-23-softmax");
  const auto marks = authoring::marks_left_in(imported->text);
  EXPECT_THAT(marks, SizeIs(imported->todos.size()));
  for (const authoring::Mark& mark : marks) EXPECT_TRUE(mark.is_todo) << mark.text;
  EXPECT_THAT(imported->text, HasSubstr("# TODO fuzz: "));
}

TEST(ImportModuleTest, IsReadAsTheSameProblem) {
  const auto before = parse_problem(softmax_text(), softmax_file);
  const auto imported = authoring::import_module(softmax_text(), softmax_file, "rows");
  ASSERT_TRUE(before.ok() && imported.ok());
  const auto after = parse_problem(imported->text, "problems/rows.md");
  ASSERT_TRUE(after.ok()) << to_string(after.errors());
  EXPECT_EQ(after->slug, "rows");
  EXPECT_EQ(after->title, before->title);
  EXPECT_EQ(after->reference, "23_Softmax.py");
  EXPECT_EQ(signature(*after), signature(*before));
}

TEST(ImportModuleTest, RefusesWhatIsNoSlug) {
  const auto imported = authoring::import_module(softmax_text(), softmax_file, "x\ntags: [y]");
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().message, HasSubstr("slug"));
}

// What an author has not completed yet.

TEST(Marks, TodosAreCommentsOfTheFrontmatter) {
  const auto marks = marks_left_in(
      "---\n"
      "slug: a  # TODO from the title\n"
      "title: \"a # TODO no comment\"\n"
      "cases:   #  TODO sizes\n"
      "# TODO nothing\n"
      "a#TODO part of a word\n"
      "---\n"
      "text # TODO no comment either\n");
  ASSERT_EQ(marks.size(), 3U);
  EXPECT_EQ(marks[0].line, 2);
  EXPECT_EQ(marks[0].column, 10);
  EXPECT_EQ(marks[0].text, "TODO from the title");
  EXPECT_TRUE(marks[0].is_todo);
  EXPECT_EQ(marks[1].line, 4);
  EXPECT_EQ(marks[2].line, 5);
}

TEST(Marks, PlaceholdersAreWhatANewProblemSays) {
  NewProblem problem;
  problem.slug = "sample";
  problem.outputs = {{"y", {"n"}, ""}};
  const auto draft = draft_of(problem);
  ASSERT_TRUE(draft);
  const auto marks = marks_left_in(problem_text(*draft));
  ASSERT_EQ(marks.size(), 2U);
  for (const Mark& mark : marks) EXPECT_FALSE(mark.is_todo) << mark.text;
  EXPECT_EQ(marks[0].text, sentence_placeholder);
  EXPECT_EQ(marks[1].text, formula_placeholder);
}

TEST(Marks, AFileThatIsNoProblemHasNone) {
  for (const char* text : {"", "---", "\n\n", "plain\ntext", "---\r\n---\r\n"})
    EXPECT_THAT(marks_left_in(text), IsEmpty());
}

TEST(ParameterMeaning, RolesFollowTheNames) {
  EXPECT_EQ(meaning_of("batch_size").role, ParameterRole::batch);
  EXPECT_EQ(meaning_of("in_channels").role, ParameterRole::in_channels);
  EXPECT_EQ(meaning_of("outChannels").role, ParameterRole::out_channels);
  EXPECT_EQ(meaning_of("output_padding_h").role, ParameterRole::output_padding);
  EXPECT_EQ(meaning_of("padding").role, ParameterRole::padding);
  EXPECT_EQ(meaning_of("groups").role, ParameterRole::groups);
  EXPECT_EQ(meaning_of("num_groups").role, ParameterRole::norm_groups);
  EXPECT_EQ(meaning_of("kernel_size").role, ParameterRole::kernel);
  EXPECT_EQ(meaning_of("rows").role, ParameterRole::extent);
}

TEST(ParameterMeaning, Poolings) {
  EXPECT_TRUE(meaning_of("pool_size").of_pool);
  EXPECT_EQ(meaning_of("pool_size").role, ParameterRole::kernel);
}

}  // namespace kgrade::authoring::import_test
