// The exit code follows from whose fault errors are, and from nothing else about them.
#include "grade/failure.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace kgrade {
namespace failure_test {

TEST(ExitCode, FollowsFromTheBlameAndNotFromThePlace) {
  const Location place{"a.md", 3, 1};
  for (const Location& where : {Location{}, place}) {
    EXPECT_EQ(exit_code_of({{"wrong", "", where}}), exit_usage);
    EXPECT_EQ(exit_code_of({machine_error("the disk is full", "", where)}), exit_machine);
    EXPECT_EQ(exit_code_of({{"a bug", "", where, Blame::ours}}), exit_internal);
  }
}

TEST(ExitCode, OfSeveralErrorsIsTheHighest) {
  const Error wrong{"wrong", "", {}};
  const Error lack = machine_error("the disk is full");
  EXPECT_EQ(exit_code_of({wrong, lack}), exit_machine);
  EXPECT_EQ(exit_code_of({lack, wrong}), exit_machine);
  EXPECT_EQ(exit_code_of({wrong, {"a bug", "", {}, Blame::ours}, lack}), exit_internal);
}

TEST(ExitCode, OfAnExceptionIsOursUnlessTheMachineRanOutOfSomething) {
  const std::system_error full(ENOSPC, std::generic_category(), "cannot write");
  EXPECT_EQ(exit_code_of(errors_of(full)), exit_machine);
  EXPECT_EQ(exit_code_of(errors_of(std::bad_alloc())), exit_machine);
  EXPECT_EQ(exit_code_of(errors_of(std::logic_error("cannot be"))), exit_internal);
}

}  // namespace failure_test
}  // namespace kgrade
