// How errors read, and what a Result holds.
#include "base/result.h"

#include <gtest/gtest.h>

namespace kgrade::result_test {

TEST(Error, IsTheUsersFaultUnlessItSaysOtherwise) {
  EXPECT_EQ(Error({"wrong", "", {}}).blame, Blame::user);
  const Error lack = machine_error("no compiler", "install one");
  EXPECT_EQ(lack.blame, Blame::machine);
  EXPECT_EQ(to_string(lack), "error: no compiler\n  hint: install one");
}

TEST(Error, IsBlamedAnewWithTheSameWords) {
  const Errors errors = blamed_on(Blame::machine, {{"first", "", {"a.cu", 3, 0}}, {"second", "", {}}});
  for (const Error& error : errors) EXPECT_EQ(error.blame, Blame::machine) << error.message;
  EXPECT_EQ(to_string(errors), "a.cu:3: error: first\nerror: second");
}

TEST(Error, IsPrintedInTheFormThatEditorsParse) {
  EXPECT_EQ(to_string(Error{"no such thing", "write another", {"a.md", 12, 3}}),
            "a.md:12:3: error: no such thing\n  hint: write another");
}

TEST(Error, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(to_string(Error{"wrong", "", {"a.md", 12, 0}}), "a.md:12: error: wrong");
  EXPECT_EQ(to_string(Error{"wrong", "", {"a.md", 0, 0}}), "a.md: error: wrong");
  EXPECT_EQ(to_string(Error{"wrong", "", {}}), "error: wrong");
}

// A candidate chooses its name and what the compiler quotes from it; neither may control the terminal.
TEST(Error, ShowsControlCharactersAsHexadecimal) {
  EXPECT_EQ(to_string(Error{"quoted \x1b[2J\nline", "try \xc2\x9b", {"a\x1b.cu", 1, 0}}),
            "a\\x1b.cu:1: error: quoted \\x1b[2J\nline\n  hint: try \\xc2\\x9b");
}

TEST(Error, ListsAreOneErrorALine) {
  EXPECT_EQ(to_string(Errors{{"first", "", {}}, {"second", "", {}}}), "error: first\nerror: second");
  EXPECT_EQ(to_string(Errors{}), "");
}

TEST(Result, HoldsAValueOrErrors) {
  Result<std::string> value = std::string("x");
  EXPECT_TRUE(value.ok());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(value->size(), 1U);
  EXPECT_EQ(std::move(value).value(), "x");
  const Result<std::string> failed = Errors{{"first", "", {}}, {"second", "", {}}};
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "first");
  EXPECT_EQ(failed.errors().size(), 2U);
}

}  // namespace kgrade::result_test
