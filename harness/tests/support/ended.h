// How a run of the program ended: EXPECT_THAT(kgrade(...), Ended(1, HasSubstr("wrong_answer"))).
#pragma once

#include <gmock/gmock.h>

#include <ostream>

#include "tests/support/command.h"

namespace kgrade::test {

inline void PrintTo(const Result& result, std::ostream* stream) {
  *stream << "exit code " << result.exit_code << ":\n" << result.output;
}

// With this exit code, and an output that all matchers fit.
template <class... Outputs>
testing::Matcher<const Result&> Ended(int exit_code, Outputs... outputs) {
  return testing::AllOf(
      testing::Field("exit_code", &Result::exit_code, exit_code),
      testing::Field("output", &Result::output, testing::AllOf(testing::A<std::string>(), outputs...)));
}

// Also without a file that it left in its folder for temporary files.
template <class... Outputs>
testing::Matcher<const Result&> EndedCleanly(int exit_code, Outputs... outputs) {
  return testing::AllOf(Ended(exit_code, outputs...),
                        testing::Field("left_behind", &Result::left_behind, testing::IsEmpty()));
}

}  // namespace kgrade::test
