// The check that a cheat's header names refuses it, and a cheat with a control gets through once the defences
// that the control names are off.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "measure/clock_rule.h"
#include "tests/cheats/suite.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::cheats_test {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

class Cheats : public testing::TestWithParam<std::string> {};
class Controls : public testing::TestWithParam<std::string> {};

// The cheat's own record. An earlier one belongs to an accomplice, which looks honest.
void grade_cheat(const Cheat& cheat, const Program& program, json& candidate) {
  const Graded graded = grade(cheat.arguments(device_kind()), test_device(), program);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  ASSERT_TRUE(graded.exit_code == 0 || graded.exit_code == 1) << graded.output;
  EXPECT_THAT(graded.left_behind, testing::IsEmpty());
  ASSERT_EQ(graded.record["candidates"].size(), cheat.accomplice.empty() ? 1u : 2u);
  candidate = graded.record["candidates"].back();
  if (cheat.accomplice.empty()) return;
  EXPECT_EQ(graded.record["candidates"][0]["verdict"], "accepted") << graded.record["candidates"][0];
}

// Compared with the reference.
std::optional<double> speedup_of(const json& candidate) {
  const auto scores = candidate.find("scores");
  if (scores == candidate.end() || scores->empty()) return std::nullopt;
  return scores->front()["geometric_mean"].get<double>();
}

// What the clock does not attest of a sample that takes this long, by measure/clock_rule.h.
double tolerance_ms(double milliseconds) {
  return clock_tolerance_ms + unqueued_tolerance_ms + clock_tolerance_share * milliseconds;
}

double median_ms(const json& candidate) {
  return candidate["cases"].back()["candidate"]["summary"]["median_ms"].get<double>();
}

// It has no speed, or a speed that beats its honest twin's by no more than the clock's tolerance.
void expect_no_gain(const Cheat& cheat, const json& candidate) {
  constexpr double noise = 1.1;
  const auto speedup = speedup_of(candidate);
  if (candidate["verdict"] == "unstable") {
    EXPECT_FALSE(speedup) << candidate;
    fmt::print("{}: no speed ({})\n", cheat.name, candidate["message"].get<std::string>());
    return;
  }
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
  if (!speedup) return;  // the device's times are none
  Cheat twin = cheat;
  twin.file = cheat.twin;
  json honest;
  ASSERT_NO_FATAL_FAILURE(grade_cheat(twin, {}, honest));
  ASSERT_TRUE(speedup_of(honest)) << honest["message"];
  const double truth = median_ms(honest);
  const double gain = truth / std::max(truth - tolerance_ms(truth), 1e-6);
  fmt::print("{}: {:.3f} ms, its honest twin {:.3f} ms\n", cheat.name, median_ms(candidate), truth);
  EXPECT_LT(*speedup, noise * gain * *speedup_of(honest));
}

void expect_caught(const Cheat& cheat, const json& candidate) {
  const std::vector<std::string> expected = cheat.expected_on(device_kind());
  ASSERT_FALSE(expected.empty()) << "the header names no check for this device";
  EXPECT_NE(candidate["verdict"], "accepted") << cheat.description;
  const std::vector<std::string> failed = failed_checks(candidate);
  const bool caught = std::any_of(expected.begin(), expected.end(), [&](const std::string& check) {
    return std::find(failed.begin(), failed.end(), check) != failed.end();
  });
  EXPECT_TRUE(caught) << "expected one of " << testing::PrintToString(expected) << ", failed are "
                      << testing::PrintToString(failed) << ": " << candidate["message"];
}

TEST_P(Cheats, IsCaughtByItsCheck) {
  const Cheat& cheat = cheat_called(GetParam());
  if (const std::string reason = reason_to_skip(cheat); !reason.empty()) GTEST_SKIP() << reason;
  json candidate;
  ASSERT_NO_FATAL_FAILURE(grade_cheat(cheat, {}, candidate));
  if (cheat.is_harmless_on(device_kind())) {
    expect_no_gain(cheat, candidate);
  } else {
    expect_caught(cheat, candidate);
  }
}

TEST_P(Controls, ProfitsWithoutTheDefence) {
  const Cheat& cheat = cheat_called(GetParam());
  if (const std::string reason = reason_to_skip(cheat); !reason.empty()) GTEST_SKIP() << reason;
  const auto program = weakened_program(cheat.without);
  if (!program) GTEST_SKIP() << "built without KGRADE_WEAKENED";
  json candidate;
  ASSERT_NO_FATAL_FAILURE(grade_cheat(cheat, *program, candidate));
  EXPECT_EQ(candidate["verdict"], "accepted")
      << testing::PrintToString(failed_checks(candidate)) << ": " << candidate["message"];
  // Only times from a GPU are speed.
  if (!cheat.must_be_faster || device_kind() != "cuda") return;
  ASSERT_TRUE(speedup_of(candidate)) << candidate;
  EXPECT_GT(*speedup_of(candidate), 2);
}

std::string name_of(const testing::TestParamInfo<std::string>& info) { return test_name(info.param); }

INSTANTIATE_TEST_SUITE_P(All, Cheats, testing::ValuesIn(names_of_cheats(Language::cuda)), name_of);
INSTANTIATE_TEST_SUITE_P(All, Controls, testing::ValuesIn(names_of_controls(Language::cuda)), name_of);
INSTANTIATE_TEST_SUITE_P(Python, Cheats, testing::ValuesIn(names_of_cheats(Language::python)), name_of);
INSTANTIATE_TEST_SUITE_P(Python, Controls, testing::ValuesIn(names_of_controls(Language::python)), name_of);

// A kernel that is launched for show while PyTorch does the work is no cheat by itself; record and table say
// what PyTorch did.

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
  EXPECT_THAT(kgrade(with_case({"grade", "conv-standard-1d", decoy, "--device", test_device()})),
              Ended(0, HasSubstr("PyTorch computed conv1d")));
}

// What a cheat does to honest candidates that are graded beside it.

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

// The variable that switches defences off works in the weakened programs, and in no others.

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
  EXPECT_THAT(kgrade({"--version"}, *program), Ended(0));
}

}  // namespace kgrade::test::cheats_test
