// What problems share: how a problem's file and its family's become one, and the errors if they cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/case.h"
#include "problem/families.h"
#include "problem/lint.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace family_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view sums = R"md(---
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [rows, columns], init: "uniform(0, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [kept]}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: int, pointer: false}
  - {name: scale, type: float, pointer: false}
dtypes: [float32]
thresholds: {fp32: 1e-6, tf32: 1e-4}
let:
  kept: rows - 1
require:
  - columns > 0
flops: rows * columns
defaults: {columns: 4, scale: 0.5}
cases:
  - {name: tiny, role: sample, rows: 2}
  - {name: wide, role: test, rows: 3, columns: 9, scale: 2}
fuzz: {rows: 2..3, columns: 1..8}
---

## Input
Rows.
)md";

constexpr std::string_view row_sums = R"(---
slug: row-sums
title: Row sums
difficulty: EASY
family: sums
cases:
  - {name: large, role: bench, rows: 64}
---
Sum every row.
)";

class Texts final : public Families {
 public:
  explicit Texts(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, text] : texts_) names.push_back(name);
    return names;
  }
  std::filesystem::path path(const std::string& name) const override { return "families/" + name + ".md"; }
  Result<std::string> content(const std::string& name) const override { return texts_.at(name); }

 private:
  std::map<std::string, std::string> texts_;
};

Result<Problem> parse(std::string_view problem, std::string_view family = sums) {
  const Texts families({{"sums", std::string(family)}});
  return parse_problem(problem, "row-sums.md", &families);
}

Problem sound(std::string_view problem, std::string_view family = sums) {
  const auto parsed = parse(problem, family);
  if (parsed) return *parsed;
  ADD_FAILURE() << to_string(parsed.errors());
  return {};
}

std::vector<std::string> case_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) names.push_back(spec.name);
  return names;
}

std::vector<std::string> parameter_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) names.push_back(parameter.name);
  return names;
}

TEST(Family, GivesWhatTheProblemDoesNotSay) {
  const Problem problem = sound(row_sums);
  EXPECT_EQ(problem.slug, "row-sums");
  EXPECT_EQ(problem.family, "sums");
  EXPECT_THAT(parameter_names(problem), ElementsAre("input", "output", "rows", "columns", "scale"));
  EXPECT_THAT(case_names(problem), ElementsAre("tiny", "wide", "large"));
  EXPECT_EQ(problem.thresholds.fp32, 1e-6);
  EXPECT_TRUE(missing_for_grading(problem).empty());
  EXPECT_EQ(problem.statement, "Sum every row.\n\n\n## Input\nRows.\n");
}

TEST(Family, LeavesPlacesInTheFilesThatTheyAreOf) {
  const Problem problem = sound(row_sums);
  EXPECT_EQ(problem.find_case("tiny")->location.file, "families/sums.md");
  EXPECT_EQ(problem.find_case("large")->location.file, "row-sums.md");
  EXPECT_EQ(problem.find_case("large")->location.line, 7);
}

TEST(Family, DefaultsAreOfAllCases) {
  const Problem problem = sound(edited(row_sums, "cases:", "defaults: {columns: 5}\ncases:"));
  EXPECT_EQ(problem.find_case("tiny")->integers.at("columns"), 5);
  EXPECT_EQ(problem.find_case("wide")->integers.at("columns"), 9);
  EXPECT_EQ(problem.find_case("large")->integers.at("columns"), 5);
  EXPECT_EQ(problem.find_case("large")->reals.at("scale"), 0.5);
}

TEST(Family, ACaseOfTheSameNameTakesItsPlace) {
  const Problem problem = sound(edited(row_sums, "name: large", "name: wide, columns: 2"));
  EXPECT_THAT(case_names(problem), ElementsAre("tiny", "wide"));
  EXPECT_EQ(problem.find_case("wide")->role, CaseRole::bench);
}

TEST(Family, WhatTheProblemSaysCounts) {
  const Problem problem =
      sound(edited(row_sums, "cases:",
                   "precision: tf32\nlibraries: none\nflops: 7 * rows\nbytes: 4 * rows\n"
                   "thresholds: {fp32: 1e-7}\nfuzz: {rows: 5}\nrequire: [rows > 1]\ncases:"));
  EXPECT_EQ(problem.precision, "tf32");
  EXPECT_EQ(problem.libraries, Libraries::none);
  EXPECT_EQ(problem.flops->text(), "7 * rows");
  EXPECT_EQ(problem.thresholds.fp32, 1e-7);
  EXPECT_EQ(problem.thresholds.tf32, 1e-4);
  ASSERT_THAT(problem.require, SizeIs(2));
  EXPECT_EQ(problem.require[0].text(), "columns > 0");
  ASSERT_THAT(problem.fuzz, SizeIs(2));
  EXPECT_EQ(problem.fuzz[0].parameter, "columns");
  EXPECT_EQ(problem.fuzz[1].low, 5);
}

TEST(Family, ParametersAreAddedBehindTheOneNamed) {
  const std::string bias =
      "{name: bias, after: input, type: \"[VAR]\", pointer: true, const: true, shape: [rows], init: ones}";
  const Problem problem =
      sound(edited(row_sums, "cases:",
                   "parameters:\n  - " + bias +
                       "\n  - {name: last, type: int, pointer: false}\ndefaults: {last: 3}\ncases:"));
  EXPECT_THAT(parameter_names(problem),
              ElementsAre("input", "bias", "output", "rows", "columns", "scale", "last"));
  EXPECT_EQ(problem.find_case("tiny")->integers.at("last"), 3);
}

TEST(Family, OneWithoutParametersLeavesThemToTheProblem) {
  const std::string family = "---\ndtypes: [float32]\n---\n";
  EXPECT_THAT(parameter_names(sound(edited(row_sum, "title:", "family: sums\ntitle:"), family)),
              ElementsAre("input", "output", "rows", "columns", "scale"));
}

TEST(Family, ChangesTheDigestOfAProblem) {
  const Problem problem = sound(row_sums);
  EXPECT_NE(problem.content_sha256, sha256_hex(row_sums));
  EXPECT_EQ(problem.content_sha256, sound(row_sums).content_sha256);
  EXPECT_NE(problem.content_sha256, sound(row_sums, std::string(sums) + " ").content_sha256);
  EXPECT_NE(problem.content_sha256, sound(std::string(row_sums) + " ").content_sha256);
}

TEST(Family, ACaseThatAProblemForbidsIsToldWithBothPlaces) {
  const Problem problem = sound(edited(row_sums, "cases:", "require: [rows > 2]\ncases:"));
  const auto bound = resolve_case(problem, *problem.find_case("tiny"));
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().location.file, "families/sums.md");
  EXPECT_EQ(bound.error().location.line, 17);
  EXPECT_THAT(bound.error().message, HasSubstr("(row-sums.md:6:11)"));
}

struct BadFamily {
  std::string name;
  std::string_view text;  // one of the two
  std::string from;
  std::string to;
  std::string file;
  int line;
  int column;
  std::string message;  // a part of it
  std::string remedy;   // a part of it
};

void PrintTo(const BadFamily& bad, std::ostream* stream) { *stream << bad.name; }

class BadFamilyTest : public ::testing::TestWithParam<BadFamily> {};

TEST_P(BadFamilyTest, IsAnsweredWithPlaceMessageAndRemedy) {
  const BadFamily& bad = GetParam();
  const std::string text = edited(bad.text, bad.from, bad.to);
  const auto problem = bad.text == sums ? parse(row_sums, text) : parse(text);
  ASSERT_FALSE(problem.ok());
  SCOPED_TRACE(to_string(problem.errors()));
  ASSERT_THAT(problem.errors(), SizeIs(1));
  const Error& error = problem.error();
  EXPECT_EQ(error.location.file, bad.file);
  EXPECT_EQ(error.location.line, bad.line);
  EXPECT_EQ(error.location.column, bad.column);
  EXPECT_THAT(error.message, HasSubstr(bad.message));
  EXPECT_THAT(error.remedy, HasSubstr(bad.remedy));
}

constexpr const char* own = "row-sums.md";
constexpr const char* shared = "families/sums.md";

INSTANTIATE_TEST_SUITE_P(
    InEitherFile, BadFamilyTest,
    ::testing::Values(
        BadFamily{"unknown", row_sums, "family: sums", "family: sum", own, 5, 9, "there is no family 'sum'",
                  "did you mean 'sums'? known here: sums"},
        BadFamily{"leaves_the_folder", row_sums, "family: sums", "family: ../sums", own, 5, 9,
                  "there is no family '../sums'", "known here: sums"},
        BadFamily{"absolute", row_sums, "family: sums", "family: /etc/passwd", own, 5, 9,
                  "there is no family", "known here: sums"},
        BadFamily{"empty", row_sums, "family: sums", "family:", own, 5, 1, "'family' is empty",
                  "write a text"},
        BadFamily{"list", row_sums, "family: sums", "family: [sums]", own, 5, 9, "'family' is a list",
                  "write a text"},
        BadFamily{"let_twice", row_sums, "cases:", "let: {half: rows / 2}\ncases:", own, 6, 1,
                  "'let' is said by the family 'sums' too", "families/sums.md:10"},
        BadFamily{"parameter_twice", row_sums,
                  "cases:", "parameters:\n  - {name: rows, type: int, pointer: false}\ncases:", own, 7, 5,
                  "the family 'sums' has a parameter 'rows' already", "choose another name"},
        BadFamily{"parameter_named_as_let", row_sums, "cases:",
                  "parameters:\n  - {name: kept, type: int, pointer: false}\ndefaults: {kept: 1}\ncases:",
                  shared, 11, 9, "the name 'kept' is taken", "the first is on line 7 of row-sums.md"},
        BadFamily{
            "after_nothing", row_sums, "cases:",
            "parameters:\n  - {name: n, after: rowz, type: int, pointer: false}\ndefaults: {n: 1}\ncases:",
            own, 7, 22, "'after' names no parameter: 'rowz'", "did you mean 'rows'?"},
        BadFamily{"own_case_incomplete", row_sums, ", rows: 64", "", own, 7, 5, "gives no value for rows",
                  "add `rows: 1`"},
        BadFamily{"own_fault_of_form", row_sums, "cases:", "fuzz: [rows]\ncases:", own, 6, 7,
                  "'fuzz' is a list", "write a map"},
        BadFamily{"own_default_unknown", row_sums, "cases:", "defaults: {row: 1}\ncases:", own, 6, 12,
                  "'defaults' names no scalar parameter: 'row'", "did you mean 'rows'?"},
        BadFamily{"family_of_a_family", sums, "dtypes:", "family: sums\ndtypes:", shared, 8, 1,
                  "a family cannot have a family", "write here what it takes"},
        BadFamily{"slug_of_a_family", sums, "dtypes:", "slug: sums\ndtypes:", shared, 8, 1,
                  "'slug' is no key of a family", "move it to the problem files"},
        BadFamily{"unknown_key", sums, "dtypes:", "dtype: 1\ndtypes:", shared, 8, 1,
                  "unknown key 'dtype' in a family", "did you mean 'dtypes'?"},
        BadFamily{"fault_of_form", sums, "fuzz: {rows: 2..3, columns: 1..8}", "fuzz: rows", shared, 19, 7,
                  "'fuzz' is 'rows'", "write a map"},
        BadFamily{"default_of_a_tensor", sums, "defaults: {columns: 4,", "defaults: {columns: 4, input: 1,",
                  shared, 15, 24, "'defaults' names no scalar parameter: 'input'",
                  "known here: rows, columns, scale"},
        BadFamily{"default_of_another_type", sums, "columns: 4", "columns: 4000000000", shared, 15, 21,
                  "outside of the type int", "write an integer from"},
        BadFamily{"expression", sums, "kept: rows - 1", "kept: rowz - 1", shared, 11, 9,
                  "unknown name 'rowz'", "did you mean 'rows'?"},
        BadFamily{"broken_yaml", sums, "dtypes: [float32]", "dtypes: [float32", shared, 9, 11, "broken YAML",
                  "close"},
        BadFamily{"no_frontmatter", sums, "---\nparameters", "parameters", shared, 1, 1, "has no frontmatter",
                  "make `---` the first line"},
        BadFamily{"empty_family", sums, std::string(sums), "", shared, 1, 1, "the file is empty",
                  "begin it"}),
    [](const auto& test) { return test.param.name; });

TEST(Family, WithoutAnyThereIsNone) {
  const auto problem = parse_problem(row_sums, "row-sums.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message, "there is no family 'sums'");
  EXPECT_THAT(problem.error().remedy, HasSubstr("write NAME.md into the folder `families` beside this file"));
}

TEST(Family, WithoutTheirFolderTheHintSaysWhatToWriteWhere) {
  const std::filesystem::path folder = data_folder() / "no-such-folder";
  const FamilyFolder families(families_beside(folder));
  const auto problem = parse_problem(row_sums, folder / "row-sums.md", &families);
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message, "there is no family 'sums'");
  EXPECT_THAT(problem.error().remedy, HasSubstr((folder / "families").string() + " holds none: write " +
                                                (folder / "families/sums.md").string()));
  const std::string hostile = edited(row_sums, "family: sums", "family: ../sums");
  EXPECT_THAT(parse_problem(hostile, folder / "row-sums.md", &families).error().remedy, Not(HasSubstr("..")));
}

TEST(Family, MoreParametersThanACallHasRoomForAreRefused) {
  std::string parameters = "parameters:\n";
  for (int i = 0; i < 508; ++i) {
    parameters += "  - {name: n" + std::to_string(i) + ", type: int, pointer: false}\n";
  }
  const auto problem = parse(edited(row_sums, "cases:", parameters + "cases:"));
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(problem.error().message, HasSubstr("'parameters' has 513 entries"));
}

class FamilyFolderTest : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view content) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, content).ok());
  }
  TemporaryDirectory folder_;
};

TEST_F(FamilyFolderTest, LiesBesideTheProblems) {
  write("row-sums.md", row_sums);
  write("families/sums.md", sums);
  const auto problem = load_problem(folder_.path() / "row-sums.md");
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_EQ(problem->find_case("tiny")->location.file, (folder_.path() / "families/sums.md").string());
}

TEST_F(FamilyFolderTest, HoldsWhatIsNamedAsAFamilyIs) {
  write("families/b.md", "");
  write("families/a-1.md", "");
  write("families/Upper.md", "");
  write("families/notes.txt", "");
  const FamilyFolder families(families_beside(folder_.path()));
  EXPECT_THAT(families.names(), ElementsAre("a-1", "b"));
  EXPECT_THAT(FamilyFolder(folder_.path() / "none").names(), SizeIs(0));
}

TEST_F(FamilyFolderTest, AFamilyIsNoProblem) {
  write("families/sums.md", sums);
  const auto problem = load_problem(folder_.path() / "families/sums.md");
  ASSERT_FALSE(problem.ok());
  ASSERT_THAT(problem.errors(), SizeIs(1));
  EXPECT_EQ(problem.error().message, "the file is a family, no problem");
  EXPECT_EQ(problem.error().remedy, "check the problems that say `family: sums`");
}

TEST_F(FamilyFolderTest, AFamilyThatCannotBeReadIsAnError) {
  write("row-sums.md", row_sums);
  std::filesystem::create_directories(folder_.path() / "families/sums.md");
  const auto problem = load_problem(folder_.path() / "row-sums.md");
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(to_string(problem.errors()), HasSubstr("is a folder"));
}

TEST(Defaults, AreValuesThatCasesNeedNotName) {
  const std::string text = edited(row_sum, "cases:\n", "defaults: {columns: 7, scale: 2.5}\ncases:\n");
  const Problem problem = parsed(edited(text, "rows: 64, columns: 32, scale: 1", "rows: 64"));
  EXPECT_EQ(problem.find_case("large")->integers.at("columns"), 7);
  EXPECT_EQ(problem.find_case("large")->reals.at("scale"), 2.5);
  EXPECT_EQ(problem.find_case("tiny")->integers.at("columns"), 3);
}

}  // namespace family_test
}  // namespace kgrade::test
