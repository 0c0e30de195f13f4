// What a cheat does to honest candidates that are graded beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cheats/suite.h"
#include "tests/support/command.h"

namespace kgrade::test::neighbours_test {

using nlohmann::json;

class Neighbours : public testing::TestWithParam<std::string> {};

TEST_P(Neighbours, OfACheatHaveTheVerdictThatTheyWouldHaveAlone) {
  const Cheat& cheat = cheat_called(GetParam());
  if (const std::string reason = reason_to_skip(cheat); !reason.empty()) GTEST_SKIP() << reason;
  const std::string honest = cheat.file.parent_path().parent_path() / "timing/honest-depthwise.cu";
  std::vector<std::string> arguments = {"conv-depthwise-2d-square-input-asym-kernel",
                                        honest,
                                        cheat.file.string(),
                                        honest,
                                        "--quick",
                                        "--heat",
                                        "3",
                                        "--seed",
                                        "7",
                                        "--hidden-seed",
                                        "3"};
  if (!cheat.time_limit.empty()) arguments.insert(arguments.end(), {"--time-limit", cheat.time_limit});
  for (const OnDevice& one : cheat.cases) {
    if (one.is_on(device_kind())) arguments.insert(arguments.end(), {"--case", one.name});
  }
  const Graded graded = grade(arguments, test_device());
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const json& candidates = graded.record["candidates"];
  ASSERT_EQ(candidates.size(), 3u);
  for (const std::size_t neighbour : {std::size_t{0}, std::size_t{2}})
    EXPECT_EQ(candidates[neighbour]["verdict"], "accepted") << candidates[neighbour]["message"];
  if (cheat.is_harmless_on(device_kind())) return;
  EXPECT_NE(candidates[1]["verdict"], "accepted");
  EXPECT_THAT(failed_checks(candidates[1]),
              testing::Contains(testing::AnyOfArray(cheat.expected_on(device_kind()))))
      << candidates[1]["message"];
}

// One each that faults, hangs, takes all memory, keeps the device busy, heats it, and lies.
INSTANTIATE_TEST_SUITE_P(All, Neighbours,
                         testing::Values("answers/illegal-address", "answers/endless-kernel",
                                         "answers/memory-hog", "timing/memory-kept-from-the-reference",
                                         "timing/resident-kernel", "timing/hot-while-unmeasured",
                                         "process/lies-in-most-calls"),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace kgrade::test::neighbours_test
