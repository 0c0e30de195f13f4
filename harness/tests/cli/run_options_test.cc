#include <gmock/gmock.h>

#include "cli/grading.h"

namespace kgrade::cli::run_options_test {

TEST(RunOptions, HaveWhatTheCommandLineSaysAndAnOrderByTheSeed) {
  GradingArguments arguments;
  arguments.cases = {"tiny"};
  arguments.seed = 7;
  arguments.force = true;
  const RunOptions options = run_options(arguments);
  EXPECT_THAT(options.cases, testing::ElementsAre("tiny"));
  EXPECT_EQ(options.seed, 7u);
  EXPECT_TRUE(options.force);
  EXPECT_TRUE(options.shuffled) << "who is graded first is not for the command line to say";
}

}  // namespace kgrade::cli::run_options_test
