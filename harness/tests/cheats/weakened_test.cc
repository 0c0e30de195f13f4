// The variable that switches defences off works in the weakened programs, and in no others.
#include <gmock/gmock.h>

#include "tests/cheats/suite.h"

namespace kgrade::test::weakened_test {

using testing::HasSubstr;

// A cheat that one defence stops on any device.
const Cheat& typical() { return cheat_called("timing/all-calls-in-the-first"); }

void expect_refused(const Program& program) {
  std::vector<std::string> arguments = typical().arguments(device_kind());
  arguments.insert(arguments.end(), {"--hidden", "0"});
  const Graded graded = grade(arguments, test_device(), program);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_THAT(failed_checks(graded.record["candidates"][0]), testing::ElementsAre("outputs_match"));
}

TEST(SwitchedOffDefences, AreOnInKgradeWhateverTheEnvironmentSays) {
  Program program;
  program.environment = {"KGRADE_WITHOUT=every_call_compared"};
  expect_refused(program);
  program.environment = {"KGRADE_WITHOUT=no_such_defence"};
  expect_refused(program);
}

TEST(SwitchedOffDefences, AreOnInTheWeakenedProgramsUnlessNamed) {
  const auto program = weakened_program({});
  if (!program) GTEST_SKIP() << "built without KGRADE_WEAKENED";
  expect_refused(*program);
}

TEST(SwitchedOffDefences, HaveNamesThatAreChecked) {
  const auto program = weakened_program({"every_call_compared", "no_such_defence"});
  if (!program) GTEST_SKIP() << "built without KGRADE_WEAKENED";
  const Result result = kgrade({"--version"}, *program);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("no_such_defence"));
}

TEST(SwitchedOffDefences, CanBeAnyThatThereAre) {
  const std::vector<std::string> all = names_of_defences();
  ASSERT_GT(all.size(), 20u);
  const auto program = weakened_program(all);
  if (!program) GTEST_SKIP() << "built without KGRADE_WEAKENED";
  const Result result = kgrade({"--version"}, *program);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace kgrade::test::weakened_test
