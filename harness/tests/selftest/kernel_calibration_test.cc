#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_contest.h"
#include "selftest/comparison_series.h"

namespace kgrade::selftest {
namespace kernel_calibration_test {

using test::ScriptedContest;

class KernelCalibrationTest : public testing::Test {
 protected:
  Result<KernelCalibration> calibrate(const std::string& name) {
    return calibrator_.calibrate(select_kernels({name})->front());
  }

  test::FakeClock clock_;
  ScriptedContest contest_{clock_};
  Problem problem_ = selftest_problem();
  KernelCalibrator calibrator_{contest_, problem_, 7, std::uint64_t{1} << 30};
};

TEST_F(KernelCalibrationTest, FindsTheLengthThatTakesTheTime) {
  for (const Kernel& kernel : all_kernels()) {
    const auto found = calibrator_.calibrate(kernel);
    ASSERT_TRUE(found) << to_string(found.errors());
    EXPECT_NEAR(found->ms, kernel.target_ms, 0.5 * ScriptedContest::ms_per_length + 1e-12) << kernel.name;
    EXPECT_DOUBLE_EQ(found->ms, ScriptedContest::time_of(found->length)) << kernel.name;
    EXPECT_NEAR(found->ms_per_length, ScriptedContest::ms_per_length, 1e-12) << kernel.name;
  }
}

TEST_F(KernelCalibrationTest, CorrectsItselfWhereTimeIsNotProportional) {
  // Short runs pay less for a unit of work than long ones.
  contest_.factor = [this](Role role, const Draw&) { return contest_.lengths[role] > 2000 ? 1.5 : 1.0; };
  const auto found = calibrate("arithmetic-100us");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->ms, 0.100, 0.002);
  EXPECT_NEAR(found->ms_per_length, 1.5e-5, 1e-9);
}

TEST_F(KernelCalibrationTest, AKernelThatCannotBeSoShortIsAsShortAsItCan) {
  contest_.factor = [](Role, const Draw&) { return 10.0; };
  const auto found = calibrate("arithmetic-3us");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 0);
  EXPECT_DOUBLE_EQ(found->ms, 0.020);
  EXPECT_NEAR(found->ms_per_length, 1e-4, 1e-12);
}

TEST_F(KernelCalibrationTest, TheFloorLeavesOutFirstCalls) {
  int calls = 0;
  contest_.factor = [&](Role, const Draw&) { return ++calls <= 2 ? 100.0 : 1.0; };
  const auto floor = calibrator_.measure_floor();
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->size(), 400u);
  EXPECT_THAT(*floor, testing::Each(testing::DoubleEq(ScriptedContest::launch_ms)));
}

TEST_F(KernelCalibrationTest, WhereTimesAreNoSpeedNothingIsTimed) {
  contest_.info.measures_speed = false;
  const auto found = calibrate("arithmetic-100ms");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 200);
  EXPECT_EQ(found->ms, 0);
  EXPECT_EQ(contest_.order, "");
}

TEST_F(KernelCalibrationTest, AFaultIsAnError) {
  contest_.candidate_report.call.error = 700;
  contest_.candidate_report.fault = Fault::ended;
  const auto found = calibrate("arithmetic-3us");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("a kernel of the self-test fails"));
}

TEST_F(KernelCalibrationTest, AClockThatDoesNotRunIsAnError) {
  contest_.factor = [this](Role role, const Draw&) {
    return 1 / ScriptedContest::time_of(contest_.lengths[role]);
  };
  const auto found = calibrate("arithmetic-3us");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("takes no time"));
}

}  // namespace kernel_calibration_test
}  // namespace kgrade::selftest
