// Errors in units of an output's usual norm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/case_fixture.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

using test::outputs_off_by;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Tensor output_of(std::int64_t elements) {
  Tensor tensor;
  tensor.name = "output";
  tensor.shape = {elements};
  tensor.elements = elements;
  tensor.output = true;
  return tensor;
}

class UsualNormsTest : public test::CaseFixture {
 protected:
  UsualNormsTest() {
    case_.role = CaseRole::test;
    case_.tensors = {output_of(3)};
  }

  // As if sums cancelled: a thousandth of the usual norm, which is 10.
  void cancel(double error_of_usual_norm) {
    arena_.usual_squares = {50, 150, 1e9, 50, 150, 50, 150, 1e9, 50, 150, 50, 150, 50, 150, 50, 150};
    arena_.candidate_comparison = outputs_off_by(error_of_usual_norm);
    arena_.candidate_comparison.sum_squared_expected = 100e-6;
  }
};

TEST_F(UsualNormsTest, AreWhatASmallOutputIsJudgedBy) {
  cancel(3e-6);
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_DOUBLE_EQ(record.relative_error, 3e-6);
  EXPECT_EQ(record.precision, Precision::fp32);
}

TEST_F(UsualNormsTest, MakeNoLowerClassAHigherOne) {
  cancel(3e-4);
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::low_precision);
  EXPECT_EQ(record.precision, Precision::tf32);
}

TEST_F(UsualNormsTest, AreThoseOfContentsThatNobodyElseIsCalledOn) {
  cancel(0);
  run();
  EXPECT_THAT(arena_.appraised, SizeIs(16));
  for (const Draw& appraised : arena_.appraised) {
    EXPECT_EQ(appraised.change, 0u);
    for (const Draw& draw : arena_.draws) EXPECT_NE(appraised.index, draw.index);
  }
}

TEST_F(UsualNormsTest, HoldForTheReferenceToo) {
  cancel(0);
  arena_.reference_comparison = outputs_off_by(3e-6);
  arena_.reference_comparison.sum_squared_expected = 100e-6;
  expect_accepted(run());
}

TEST_F(UsualNormsTest, AreNotAskedForWhereAnOutputIsLargeEnough) {
  case_.tensors = {output_of(32)};
  run();
  EXPECT_THAT(arena_.appraised, IsEmpty());
}

// The shorter its kernel is, the more launches a sample of a measured case has.
TEST_F(UsualNormsTest, HoldForTheOutputsOfEveryLaunch) {
  cancel(3e-6);
  arena_.extra_outputs = 3;
  expect_accepted(run());
}

// TF32's error is a third of its threshold: sums need not cancel by much.
TEST_F(UsualNormsTest, AreAskedForAtLargerOnesInALowerClass) {
  problem_.precision = "tf32";
  case_.tensors = {output_of(1000)};
  cancel(3e-4);
  expect_accepted(run());
  EXPECT_THAT(arena_.appraised, SizeIs(16));
  case_.tensors = {output_of(1 << 16)};
  EXPECT_EQ(UsualNorms::draws_of(case_, Precision::tf32), 0);
}

TEST_F(UsualNormsTest, AreThoseOfMoreDrawsWhereErrorsAreCloseAndOutputsSmallest) {
  problem_.precision = "tf32";
  cancel(3e-4);
  expect_accepted(run());
  EXPECT_THAT(arena_.appraised, SizeIs(64));
}

TEST_F(UsualNormsTest, AnOracleThatFailsIsNoVerdictOnTheCandidate) {
  cancel(0);
  arena_.appraisal.cuda_error = 700;
  const auto record = try_run();
  ASSERT_FALSE(record.ok());
  EXPECT_THAT(record.error().message, HasSubstr("the oracle"));
}

ElementErrors of_squares(double squares) {
  ElementErrors errors;
  errors.sum_squared_expected = squares;
  return errors;
}

TEST(UsualNorms, AreTheMeanOfAllButTheLargest) {
  UsualNorms norms;
  EXPECT_EQ(norms.squares(0), 0);
  for (const double squares : {1e30, 1.0, 2.0, std::numeric_limits<double>::infinity(), 6.0}) {
    norms.add({{"a", {1}, of_squares(squares)}, {"b", {1}, {}}});
  }
  EXPECT_EQ(norms.squares(0), 3);
  EXPECT_EQ(norms.squares(1), 0);
  EXPECT_EQ(norms.squares(2), 3) << "the first output of the second launch";
}

// In units of infinity, everything would be within a bound.
TEST(UsualNorms, ThatAreInfiniteAreNone) {
  UsualNorms norms;
  for (int call = 0; call < 16; ++call)
    norms.add({{"a", {1}, of_squares(std::numeric_limits<double>::infinity())}});
  EXPECT_EQ(norms.squares(0), 0);
}

}  // namespace
}  // namespace kgrade
