// The check that a cheat's header names refuses it, and a cheat with a control gets through once the defences
// that the control names are off.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/clock_rule.h"
#include "tests/cheats/suite.h"

namespace kgrade::test::cheats_test {

using nlohmann::json;

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

}  // namespace kgrade::test::cheats_test
