// How the description of a Python file becomes the text of a problem file, and what is said of descriptions
// that are wrong: the interpreter ran a program from elsewhere, and nothing that it says is trusted.
#include "problem/module_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "problem/case.h"
#include "problem/module_call.h"
#include "problem/other_inputs.h"
#include "problem/problem.h"

namespace kgrade::test::module_file_test {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::filesystem::path softmax_file = "level1/23_Softmax.py";

Json sound_description() {
  return Json::parse(R"({
    "title": "Softmax: of \"rows\" # and more",
    "positional": [48, {"tuple": [20, null]}], "keywords": {"scale": 2.5, "last": {"float": "-inf"}},
    "forward": [{"input": "x"}, {"value": {"list": [1, true]}}],
    "inputs": [{"name": "x", "shape": [16, 48], "dtype": "float32",
                "draw": {"kind": "uniform", "first": 0, "second": 1}}],
    "weights": [{"name": "lin_weight", "module_name": "lin.weight", "shape": [], "dtype": "float32",
                 "draw": {"kind": "normal", "first": 0.5, "second": 0.25}, "constant": false}],
    "buffers": [],
    "outputs": [{"name": "output", "shape": [16, 20], "dtype": "float32"}],
    "mode": "train", "notes": ["one\n---\nslug: two"]})");
}

Result<Problem> problem_of(const Json& description, const std::filesystem::path& path = softmax_file) {
  const auto text = problem_text_of(description.dump(), path);
  return text ? parse_problem(*text, path) : Result<Problem>(text.errors());
}

// What is said of it: by the text's writer, or else by the reader of problem files.
std::string said_of(const Json& description) {
  const auto problem = problem_of(description);
  return problem ? "nothing" : to_string(problem.errors());
}

// Of the sound description with the value at this place replaced.
std::string said_with(const char* place, const char* value) {
  Json description = sound_description();
  description[Json::json_pointer(place)] = Json::parse(value);
  return said_of(description);
}

// Negative numbers would stop the whole device in binary_cross_entropy.
TEST(ModuleFileTest, InputsKeepTheirSignIfAnOperatorMayRefuseOthers) {
  Json description = sound_description();
  description["is_ranged"] = false;
  EXPECT_TRUE(problem_of(description)->parameters[0].without.empty());
  description["is_ranged"] = true;
  EXPECT_TRUE(problem_of(description)->parameters[0].without.contains(Family::signs));
  description["inputs"][0]["draw"] = {{"kind", "normal"}, {"first", 0}, {"second", 1}};
  EXPECT_TRUE(problem_of(description)->parameters[0].without.empty());
}

// What Model returns in the memory of an input, its answers may return so, too.
TEST(ModuleFileTest, OutputsOfAnInputAreKnown) {
  Json description = sound_description();
  EXPECT_TRUE(problem_of(description)->torch->views.empty());
  description["outputs"].push_back(
      {{"name", "same"}, {"shape", {16, 48}}, {"dtype", "float32"}, {"of_input", true}});
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_TRUE(problem->torch->may_return_input("same"));
  EXPECT_FALSE(problem->torch->may_return_input("output"));
  // Neither it nor the input has to be read or written.
  EXPECT_EQ(resolve_case(*problem, problem->cases.front())->bytes, 4 * (1 + 16 * 20));
  EXPECT_EQ(resolve_case(*problem_of(sound_description()), problem->cases.front())->bytes, std::nullopt);
  EXPECT_THAT(said_with("/outputs/0/of_input", "3"), HasSubstr("answer is none"));
}

TEST(ModuleFileTest, OperatorsThatRoundAreCounted) {
  Json description = sound_description();
  EXPECT_EQ(problem_of(description)->torch->operators, 0);
  description["operators"] = 3;
  EXPECT_EQ(problem_of(description)->torch->operators, 3);
  description["operators"] = -3;
  EXPECT_EQ(problem_of(description)->torch->operators, 0);
}

TEST(ModuleFileTest, NamesProblemsByLevelAndFile) {
  EXPECT_EQ(slug_of_module_file("level1/23_Softmax.py"), "level1-23-softmax");
  EXPECT_EQ(slug_of_module_file("KernelBench/level2/7_A__b.c.py"), "level2-7-a-b-c");
  EXPECT_EQ(slug_of_module_file("Softmax.py"), "softmax");
  EXPECT_EQ(slug_of_module_file("mine/__Soft max__.py"), "soft-max");
  EXPECT_EQ(slug_of_module_file("___.py"), "");
}

TEST(ModuleFileTest, TellsPythonFilesFromProblemFiles) {
  EXPECT_TRUE(is_module_file("level1/23_Softmax.py"));
  EXPECT_FALSE(is_module_file("softmax.md"));
  EXPECT_FALSE(is_module_file("softmax"));
  EXPECT_FALSE(is_module_file(""));
}

TEST(ModuleFileTest, MakesAProblemThatSaysTheSame) {
  const auto problem = problem_of(sound_description());
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->slug, "level1-23-softmax");
  EXPECT_EQ(problem->title, "Softmax: of \"rows\" # and more");
  EXPECT_EQ(problem->reference, "23_Softmax.py");
  ASSERT_EQ(problem->parameters.size(), 3U);
  EXPECT_EQ(problem->parameters[0].init->text, "uniform(0, 1)");
  EXPECT_TRUE(problem->parameters[2].is_output());
  ASSERT_EQ(problem->cases.size(), 1U);
  EXPECT_EQ(problem->cases[0].role, CaseRole::bench);
  ASSERT_TRUE(problem->torch.has_value());
  EXPECT_THAT(problem->torch->weights, ElementsAre(Pair("lin_weight", "lin.weight")));
  EXPECT_THAT(problem->torch->forward, ElementsAre("x", R"({"value":{"list":[1,true]}})"));
}

TEST(ModuleFileTest, ShowsTheCallAsPythonWritesIt) {
  const auto problem = problem_of(sound_description());
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(to_string(ModuleCall{problem->torch->given, {}, {}}),
            "48, (20, None), scale=2.5, last=float('-inf')");
  EXPECT_EQ(given_value_text(problem->torch->forward[1]), "[1, True]");
  EXPECT_EQ(given_value_text(R"({"value": {"dict": [["a", {"tuple": [2]}]]}})"), R"({"a": (2,)})");
  EXPECT_EQ(given_value_text("x"), "x");
}

TEST(ModuleFileTest, ATensorWithoutDimensionsIsOneElement) {
  const auto text = problem_text_of(sound_description().dump(), softmax_file);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text,
              HasSubstr("name: \"lin_weight\", type: \"[VAR]\", pointer: true, const: true, shape: [1]"));
}

// Text of the file stands in quotes, so that it ends no line and begins no key.
TEST(ModuleFileTest, TextsAddNoKeys) {
  Json description = sound_description();
  description["title"] = "a\nslug: b\n---\n\"";
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->slug, "level1-23-softmax");
  EXPECT_EQ(problem->title, "a\nslug: b\n---\n\"");
  EXPECT_THAT(said_with("/mode", R"("train\nlibraries: none")"), HasSubstr("mode"));
  EXPECT_THAT(said_with("/inputs/0/name", R"("x, shape: [1], type: int")"), HasSubstr("shape: [1]"));
  EXPECT_THAT(said_with("/weights/0/module_name", R"("a}\nmode: eval")"), HasSubstr("'weights'"));
}

TEST(ModuleFileTest, BuffersThatChangeAreFree) {
  Json description = sound_description();
  description["buffers"] = Json::parse(R"([
    {"module_name": "bn.running_mean", "shape": [4], "dtype": "float32", "changes": true},
    {"module_name": "mask", "shape": [4], "dtype": "bool", "changes": false}, {"module_name": "old"}])");
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_THAT(problem->torch->free, ElementsAre("bn.running_mean"));
  EXPECT_THAT(said_with("/buffers", R"([{"changes": true}])"), HasSubstr("no 'module_name'"));
  EXPECT_THAT(said_with("/buffers", R"([{"changes": 3, "module_name": "a"}])"), HasSubstr("answer is none"));
}

TEST(ModuleFileTest, NamesWhatIsMissing) {
  for (const char* key : {"title", "positional", "keywords", "forward", "inputs", "weights", "buffers",
                          "outputs", "mode", "notes"}) {
    Json description = sound_description();
    description.erase(key);
    EXPECT_THAT(said_of(description),
                HasSubstr(std::string("level1/23_Softmax.py: error: cannot be described: no '") + key));
  }
  EXPECT_THAT(said_with("/inputs/0", R"({"name": "x"})"), HasSubstr("no 'dtype'"));
  EXPECT_THAT(said_with("/inputs/0", "3"), HasSubstr("no 'name'"));
}

TEST(ModuleFileTest, RefusesValuesOfOtherTypes) {
  EXPECT_THAT(said_with("/title", "3"), HasSubstr("'title' is no text"));
  EXPECT_THAT(said_with("/inputs/0/name", "[]"), HasSubstr("'name' is no text"));
  EXPECT_THAT(said_with("/weights/0/module_name", "{}"), HasSubstr("'module_name' is no text"));
  EXPECT_THAT(said_with("/inputs/0/draw/first", R"("low")"), HasSubstr("the interpreter's answer is none"));
  EXPECT_THAT(said_with("/inputs/0/shape", "4"), HasSubstr("the shape of 'x' is no list"));
  EXPECT_THAT(said_with("/inputs/0/shape", "[1.5]"), HasSubstr("'x' has no elements"));
  EXPECT_THAT(said_with("/positional", "{}"), HasSubstr("'given' is no call in JSON"));
  EXPECT_THAT(said_with("/forward", "7"), HasSubstr("'forward'"));
  EXPECT_THAT(said_with("/inputs", R"("x")"), HasSubstr("no 'name'"));
}

TEST(ModuleFileTest, RefusesShapesThatNoTensorHas) {
  EXPECT_THAT(said_with("/inputs/0/shape", "[16, 0]"), HasSubstr("'x' has no elements"));
  EXPECT_THAT(said_with("/inputs/0/shape", "[-1]"), HasSubstr("'x' has no elements"));
  EXPECT_THAT(said_with("/outputs/0/shape", "[18446744073709551615]"), HasSubstr("'output' has no elements"));
  EXPECT_THAT(said_with("/inputs/0/shape", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
              HasSubstr("more than 16 dimensions"));
}

// Each extent is a number that int64 holds, and their product is none.
TEST(ModuleFileTest, RefusesTensorsThatAreTooLarge) {
  Json description = sound_description();
  description["inputs"][0]["shape"] = {4611686018427387904, 4611686018427387904};
  const auto problem = problem_of(description);
  const bool fits = problem.ok() && resolve_case(*problem, problem->cases[0]).ok();
  EXPECT_FALSE(fits);
}

TEST(ModuleFileTest, RefusesNamesThatAreNoIdentifiers) {
  for (const char* name : {R"("")", R"("a b")", R"("x;")", R"("1x")", R"("int")", R"("x\u0000y")", R"("ж")"})
    EXPECT_NE(said_with("/inputs/0/name", name), "nothing") << name;
  EXPECT_THAT(said_with("/outputs/0/name", R"("x")"), HasSubstr("x"));
}

TEST(ModuleFileTest, IntegersAndBooleansAreWhatTheyAre) {
  Json description = sound_description();
  description["inputs"][0]["dtype"] = "bool";
  description["inputs"][0]["draw"] = {{"kind", "integers"}, {"first", 0}, {"second", 1}};
  description["outputs"][0]["dtype"] = "int64";
  description["outputs"][0]["shape"] = {4, 1};
  description["outputs"][0]["ties"] = {{"input", "x"}, {"axis", -1}};
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->find_parameter("x")->type, "bool");
  const Parameter* const output = problem->find_parameter("output");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->type, "int64_t");
  EXPECT_EQ(output->compare.kind, Comparison::Kind::ties);
  EXPECT_EQ(output->compare.values, "x");
  EXPECT_EQ(output->compare.axis, -1);
  description["outputs"][0]["ties"] = {{"input", "x"}, {"axis", nullptr}};
  EXPECT_EQ(problem_of(description)->find_parameter("output")->compare.axis, std::nullopt);
  description["outputs"][0]["ties"] = {{"input", "x"}, {"axis", "one"}};
  EXPECT_FALSE(problem_of(description).ok());
}

TEST(ModuleFileTest, AnInputThatIsNoDrawIsComputed) {
  Json description = sound_description();
  description["inputs"][0]["draw"] = nullptr;
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->parameters[0].init->kind, Init::Kind::computed);
  const auto bound = resolve_case(*problem, problem->cases[0]);
  ASSERT_TRUE(bound.ok());
  EXPECT_TRUE(bound->tensors[0].is_computed());
  EXPECT_FALSE(bound->tensors[1].is_computed());
}

TEST(ModuleFileTest, WeightsAreNeverComputed) {
  EXPECT_THAT(said_with("/weights/0/draw", "null"),
              HasSubstr("'init' of 'lin_weight' is computed, and get_inputs() gives no weights"));
}

TEST(ModuleFileTest, RefusesWhatIsNotGradedYet) {
  EXPECT_THAT(said_with("/inputs/0/dtype", R"("complex64")"),
              HasSubstr("'x' is of type complex64, which kgrade does not have"));
  EXPECT_THAT(said_with("/dtype", R"("int8")"), HasSubstr("'dtype' is no type that a file may have"));
  EXPECT_THAT(said_with("/inputs/0/draw/kind", R"("cauchy")"), HasSubstr("a draw of kind cauchy"));
  EXPECT_THAT(said_with("/inputs/0/draw", R"({"kind": "integers", "first": 0, "second": 1e300})"),
              HasSubstr("integers that are too large"));
}

TEST(ModuleFileTest, PassesOnErrorsOfTheFileWithTheirLine) {
  const auto text =
      problem_text_of(R"({"error": "get_inputs() raised ValueError", "line": 12})", softmax_file);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(to_string(text.error()), "level1/23_Softmax.py:12: error: get_inputs() raised ValueError");
  for (const char* line : {"-3", "\"12\"", "1e9", "99999999999999", "null"}) {
    const auto other =
        problem_text_of(std::string(R"({"error": "no Model", "line": )") + line + "}", softmax_file);
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(to_string(other.error()), "level1/23_Softmax.py: error: no Model") << line;
  }
  EXPECT_THAT(said_of(Json{{"error", 3}}), HasSubstr("'error' is no text"));
}

TEST(ModuleFileTest, RefusesWhatIsNoDescription) {
  for (const char* text : {"", "null", "[]", "3", "{", "{\"title\": 1e999}", "\xff"}) {
    const auto answer = problem_text_of(text, softmax_file);
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_THAT(answer.error().message, HasSubstr("cannot be described")) << text;
  }
}

TEST(ModuleFileTest, RefusesFilesWhoseNamesGiveNoSlug) {
  const auto problem = problem_of(sound_description(), "___.py");
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(problem.error().message, HasSubstr("its name gives no slug"));
}

// What a problem file itself may say with these keys.
std::string said_of_text(const std::string& from, const std::string& to) {
  std::string text = *problem_text_of(sound_description().dump(), softmax_file);
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no '" + from + "' in " + text;
  text.replace(at, text.find('\n', at) - at, to);
  const auto problem = parse_problem(text, "softmax.md");
  return problem ? "nothing" : to_string(problem.errors());
}

TEST(ReferenceKeyTest, IsAPythonFileBesideTheProblemFile) {
  EXPECT_EQ(said_of_text("reference: ", "reference: other.py"), "nothing");
  for (const char* wrong : {"../other.py", "/tmp/other.py", "other.cu", "folder/other.py", ".."})
    EXPECT_THAT(said_of_text("reference: ", std::string("reference: ") + wrong), HasSubstr("'reference' is"))
        << wrong;
  EXPECT_NE(said_of_text("reference: ", "reference: [a.py]"), "nothing");
}

TEST(InitKeyTest, OffersComputed) {
  const std::string said = said_of_text("init: ", "init: compute}");
  EXPECT_THAT(said, HasSubstr("did you mean 'computed'?"));
  EXPECT_THAT(said, HasSubstr("or computed, for what the reference computes"));
}

TEST(GivenKeyTest, IsACallInJson) {
  EXPECT_EQ(said_of_text("  given: ", R"(  given: '{"positional": [], "keywords": {"a": 1}}')"), "nothing");
  for (const char* wrong :
       {"'{}'", "'[1]'", "text", R"('{"positional": []}')", R"('{"positional": 1, "keywords": {}}')",
        R"('{"positional": [], "keywords": []}')", R"('{"positional": [], "keywords": {}, "x": 1}')"})
    EXPECT_THAT(said_of_text("  given: ", std::string("  given: ") + wrong),
                HasSubstr("'given' is no call in JSON"))
        << wrong;
  EXPECT_NE(said_of_text("  given: ", "  given: {positional: []}"), "nothing");
}

TEST(GivenKeyTest, ValuesOfForwardAreMaps) {
  EXPECT_EQ(said_of_text("  forward: ", R"(  forward: [x, '{"value": null}'])"), "nothing");
  for (const char* wrong : {R"('{"value": 1, "more": 2}')", "'{'", "'{}'", R"('{"inputs": "x"}')"})
    EXPECT_THAT(said_of_text("  forward: ", std::string("  forward: [x, ") + wrong + "]"),
                HasSubstr("is no value"))
        << wrong;
}

TEST(GivenKeyTest, ArgumentsOfForwardMayHoldInputs) {
  EXPECT_EQ(said_of_text("  forward: ", R"(  forward: ['{"tuple": [{"input": "x"}, {"value": 2}]}'])"),
            "nothing");
  EXPECT_THAT(said_of_text("  forward: ", R"(  forward: [x, '{"list": [{"input": "y"}]}'])"),
              HasSubstr("which is no input"));
}

TEST(ModuleFileTest, ListsTheTypesThatItsNumbersFit) {
  EXPECT_THAT(problem_of(sound_description())->dtypes, ElementsAre("float32", "float16", "bfloat16"));
  Json large = sound_description();
  large["inputs"][0]["draw"]["second"] = 1e6;
  EXPECT_THAT(problem_of(large)->dtypes, ElementsAre("float32", "bfloat16"));
}

TEST(ModuleFileTest, AsksForALowerClassInSixteenBits) {
  const auto problem = problem_of(sound_description());
  EXPECT_EQ(problem->precision, "fp32");
  EXPECT_EQ(with_dtype(*problem, "float16")->precision, "bf16");
  EXPECT_EQ(with_dtype(*problem, "float32")->precision, "fp32");
}

TEST(ModuleFileTest, AFileInAnotherTypeKeepsIt) {
  Json description = sound_description();
  description["dtype"] = "bfloat16";
  description["is_narrow"] = true;
  for (const char* kind : {"inputs", "outputs"}) description[kind][0]["dtype"] = "bfloat16";
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_THAT(problem->dtypes, ElementsAre("bfloat16"));
  EXPECT_EQ(problem->precision, "bf16");
  EXPECT_TRUE(problem->keeps_types());
  EXPECT_EQ(
      signature(*problem),
      "extern \"C\" void solution(const __nv_bfloat16* x, const float* lin_weight, __nv_bfloat16* output);");
}

TEST(ModuleFileTest, AllowsMoreIfForwardChoosesCodes) {
  for (const char* dtype : {"float32", "float16", "bfloat16"}) {
    Json description = sound_description();
    description["dtype"] = description["outputs"][0]["dtype"] = dtype;
    description["is_narrow"] = description["chooses_codes"] = true;
    const auto problem = problem_of(description);
    ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
    EXPECT_EQ(problem->thresholds.bf16, 5e-2) << dtype;
    EXPECT_EQ(problem->thresholds.tf32, default_thresholds(Dtype::float32).tf32) << dtype;
  }
}

TEST(ModuleFileTest, InputsKeepTheOrderOfTheirAxes) {
  EXPECT_EQ(problem_of(sound_description())->torch->axes, "");
  Json description = sound_description();
  description["inputs"][0]["axes"] = {1, 0};
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->torch->axes, R"({"x":[1,0]})");
  for (const char* wrong : {R"("x")", R"([1, 1])", R"([2, 0])", R"([-1, 0])", R"([[0]])", R"([0.5, 0])"})
    EXPECT_THAT(said_with("/inputs/0/axes", wrong), HasSubstr("write the order of each input's axes"))
        << wrong;
  EXPECT_EQ(said_with("/inputs/0/axes", "[]"), "nothing");
}

TEST(ModuleFileTest, TensorsMayHaveEveryType) {
  for (const Dtype dtype : all_dtypes) {
    Json description = sound_description();
    description["is_narrow"] = is_narrow(dtype);
    description["inputs"][0]["dtype"] = to_string(dtype);
    if (is_integer(dtype)) description["inputs"][0]["draw"]["kind"] = "integers";
    if (!has_zero(dtype)) description["inputs"][0]["draw"]["first"] = 0.25;
    const auto problem = problem_of(description);
    ASSERT_TRUE(problem.ok()) << to_string(dtype) << ": " << to_string(problem.errors());
    const auto own = problem->parameters.front().own_dtype();
    EXPECT_EQ(own.value_or(Dtype::float32), dtype);
    EXPECT_EQ(problem->dtypes.size(), is_narrow(dtype) ? 1 : 3) << to_string(dtype);
    EXPECT_FALSE(problem->keeps_types());
  }
}

TEST(ModuleFileTest, OfIntegersAloneIsExactInEveryType) {
  Json description = sound_description();
  description["outputs"][0]["dtype"] = "int64";
  const auto problem = problem_of(description);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->precision, "exact");
  EXPECT_EQ(with_dtype(*problem, "float16")->precision, "exact");
  description["outputs"].push_back(sound_description()["outputs"][0]);
  description["outputs"][1]["name"] = "second";
  EXPECT_EQ(problem_of(description)->precision, "fp32") << "one of two";
}

// Of the sound description, with its file's digest.
Problem with(const std::vector<std::string>& inputs) {
  auto problem = problem_of(sound_description());
  auto changed = with_inputs(*problem, inputs);
  EXPECT_TRUE(changed.ok()) << to_string(changed.errors());
  return *changed;
}

TEST(OtherInputsTest, ChangeWhatGetInputsDraws) {
  const Problem problem = with({"normal(0,2)"});
  EXPECT_EQ(problem.parameters[0].init->text, "normal(0, 2)");
  EXPECT_EQ(problem.parameters[1].init->text, "normal(0.5, 0.25)");  // a weight
  EXPECT_THAT(problem.inputs, ElementsAre("normal(0, 2)"));
  EXPECT_EQ(problem.slug, "level1-23-softmax-normal-0-2");
}

TEST(OtherInputsTest, MakeAnotherProblemOfEachContents) {
  const Problem usual = with({});
  EXPECT_EQ(usual.slug, "level1-23-softmax");
  std::set<std::string> slugs = {usual.slug}, digests = {usual.content_sha256};
  for (const char* option :
       {"uniform(-2, 1)", "uniform(-2, -1)", "normal(0.1, 2)", "normal(0, 1.2)", "x=normal(0, 2)",
        "normal(0, 2)", "uniform(-123456789.5, 123456789.25)", "uniform(-123456789.5, 123456789.5)"}) {
    const Problem other = with({option});
    EXPECT_TRUE(slugs.insert(other.slug).second) << option;
    EXPECT_TRUE(digests.insert(other.content_sha256).second) << option;
    EXPECT_LE(other.slug.size(), 128U);
  }
  EXPECT_EQ(with({"normal( 0 , 2.0 )"}).content_sha256, with({"normal(0, 2)"}).content_sha256);
}

TEST(OtherInputsTest, TakeEveryFormThatFloatsCanHave) {
  for (const char* form : {"uniform(-1, 1)", "normal(0, 2)", "integers(-3, 3)", "constant(1.5)",
                           "choice(-1, 0, 1)", "bernoulli(0.25)", "uniform_fan_in(64)"}) {
    const Problem problem = with({form});
    EXPECT_EQ(problem.parameters[0].init->text, form);
    EXPECT_THAT(problem.inputs, ElementsAre(form));
    EXPECT_TRUE(resolve_case(problem, problem.cases.front()).ok()) << form;
  }
  EXPECT_EQ(with({"labels(10)"}).content_sha256, with({"integers(0, 9)"}).content_sha256);
  EXPECT_EQ(with({"zeros"}).content_sha256, with({"constant(0)"}).content_sha256);
  Json square = sound_description();
  square["inputs"][0]["shape"] = {48, 48};
  for (const char* form :
       {"adjacency(0.5, 2)", "symmetric(normal(0, 1))", "triangular(uniform(0, 1), lower)"}) {
    const auto changed = with_inputs(*problem_of(square), {std::string("x=") + form});
    ASSERT_TRUE(changed.ok()) << to_string(changed.errors());
    EXPECT_EQ(changed->parameters[0].init->text, form);
    EXPECT_TRUE(resolve_case(*changed, changed->cases.front()).ok()) << form;
  }
}

TEST(OtherInputsTest, LeaveOutTypesThatDoNotHoldThem) {
  EXPECT_THAT(with({"normal(0, 50000)"}).dtypes, ElementsAre("float32", "bfloat16"));
}

TEST(OtherInputsTest, SayWhatIsWrong) {
  const auto said = [](const std::vector<std::string>& inputs) {
    const auto changed = with_inputs(*problem_of(sound_description()), inputs);
    return changed ? "nothing" : to_string(changed.errors());
  };
  EXPECT_THAT(said({"normal(0)"}), HasSubstr("--inputs 'normal(0)': 'init' normal takes 2 numbers"));
  EXPECT_THAT(said({"norml(0, 1)"}), HasSubstr("did you mean 'normal'?"));
  EXPECT_THAT(said({"y=normal(0, 1)"}), HasSubstr("there is no input 'y'"));
  EXPECT_THAT(said({"lin_weight=normal(0, 1)"}), HasSubstr("there is no input 'lin_weight'"));
  EXPECT_THAT(said({"normal(0, 1)", "normal(0, 2)"}), HasSubstr("there is one for all inputs already"));
  EXPECT_THAT(said({"x=normal(0, 1)", "x=normal(0, 2)"}), HasSubstr("there is one for 'x' already"));
  EXPECT_THAT(said({"uniform_fan_in(x)"}), HasSubstr("names something"));
  EXPECT_THAT(said({""}), HasSubstr("'init'"));
  EXPECT_THAT(said({"labels(0)"}), HasSubstr("has no integer of at most 2^24 to draw"));
  EXPECT_THAT(said({"computed"}), HasSubstr("is what the problem's reference computes"));
  EXPECT_THAT(said({"e4m3(normal(0, 1))"}), HasSubstr("draws bytes"));
  EXPECT_THAT(said({"symmetric(normal(0, 1))"}), HasSubstr("'x' holds no square matrices"));
}

TEST(OtherInputsTest, LeaveConstantsUnlessTheyAreNamed) {
  Json description = sound_description();
  description["inputs"][0]["draw"] = Json::parse(R"({"kind": "constant", "first": 1, "second": 0})");
  const auto problem = problem_of(description);
  const auto none = with_inputs(*problem, {"normal(0, 2)"});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(to_string(none.errors()), HasSubstr("no input is drawn from uniform() or normal()"));
  EXPECT_EQ(with_inputs(*problem, {"x=normal(0, 2)"})->parameters[0].init->text, "normal(0, 2)");
}

}  // namespace kgrade::test::module_file_test
