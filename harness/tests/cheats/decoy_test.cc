// A kernel that is launched for show while PyTorch does the work is no cheat by itself; record and table say
// what PyTorch did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cheats/suite.h"

namespace kgrade::test::decoy_test {

using testing::Contains;
using testing::HasSubstr;

const std::string decoy = std::string(KGRADE_SOURCE_DIR) + "/harness/tests/cheats/answers/decoy-kernel.py";
const std::vector<std::string> only_one_case = {"--case", "plain", "--hidden", "0", "--no-baselines"};

std::vector<std::string> with_case(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), only_one_case.begin(), only_one_case.end());
  return arguments;
}

TEST(PythonDecoys, AreNamedByTheRecord) {
  if (!what_python_lacks().empty()) GTEST_SKIP() << what_python_lacks();
  const Graded graded = grade(with_case({"conv-standard-1d", decoy}));
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto& candidate = graded.record["candidates"][0];
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
  EXPECT_THAT(candidate["python"]["functions"], Contains("conv1d")) << candidate["python"];
  EXPECT_THAT(candidate["notes"], Contains(HasSubstr("PyTorch computed conv1d")));
}

TEST(PythonDecoys, AreNamedByTheTable) {
  if (!what_python_lacks().empty()) GTEST_SKIP() << what_python_lacks();
  const Result result = kgrade(with_case({"grade", "conv-standard-1d", decoy, "--device", test_device()}));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("PyTorch computed conv1d"));
}

}  // namespace kgrade::test::decoy_test
