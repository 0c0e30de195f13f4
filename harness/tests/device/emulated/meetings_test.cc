#include "device/emulated/runtime/meetings.h"

#include <gtest/gtest.h>

#include <memory>

namespace kgrade_emulated::meetings_test {

void never_run() {}

class WarpMeetingsTest : public testing::Test {
 protected:
  Fiber& lane(unsigned int number) {
    fibers_.push_back(std::make_unique<Fiber>(0, &never_run));
    fibers_.back()->number = number;
    return *fibers_.back();
  }

  bool arrive(unsigned int number, unsigned int mask, WarpOperation operation = WarpOperation::shuffle) {
    return meetings_.arrive(lane(number), {operation, mask}, number * 10, ready_).complete;
  }

  unsigned int ready_count() {
    unsigned int count = 0;
    while (ready_.pop() != nullptr) ++count;
    return count;
  }

  WarpMeetings meetings_;
  FiberQueue ready_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

TEST_F(WarpMeetingsTest, TheLastLaneOfTheMaskCompletesIt) {
  meetings_.begin_block(64);
  EXPECT_FALSE(arrive(0, 0b111));
  EXPECT_FALSE(arrive(1, 0b111));
  EXPECT_EQ(meetings_.waiting_lanes(), 2u);
  EXPECT_TRUE(arrive(2, 0b111));
  EXPECT_EQ(ready_count(), 2u);
  EXPECT_EQ(meetings_.waiting_lanes(), 0u);
}

TEST_F(WarpMeetingsTest, KeepsWarpsMasksAndOperationsApart) {
  meetings_.begin_block(64);
  EXPECT_FALSE(arrive(0, 0b11));
  EXPECT_FALSE(arrive(33, 0b11));
  EXPECT_FALSE(arrive(1, 0b11, WarpOperation::vote));
  EXPECT_FALSE(arrive(2, 0b1100));
  EXPECT_TRUE(arrive(3, 0b1100));
  EXPECT_EQ(ready_count(), 1u);
  EXPECT_EQ(meetings_.waiting_lanes(), 3u);
}

TEST_F(WarpMeetingsTest, DoesNotWaitForLanesThatAreNotThere) {
  meetings_.begin_block(34);
  EXPECT_FALSE(arrive(32, 0xffffffff));
  EXPECT_TRUE(arrive(33, 0xffffffff));
}

TEST_F(WarpMeetingsTest, AnEndOfAThreadCompletesWhatWaitedForIt) {
  meetings_.begin_block(3);
  EXPECT_FALSE(arrive(0, 0b111));
  EXPECT_FALSE(arrive(2, 0b111));
  meetings_.retire(1, ready_);
  EXPECT_EQ(ready_count(), 2u);
}

TEST_F(WarpMeetingsTest, AMeetingOutlivesItsCompletionUntilAllHaveRead) {
  meetings_.begin_block(2);
  const auto first = meetings_.arrive(lane(0), {WarpOperation::shuffle, 0b11}, 7, ready_);
  const auto second = meetings_.arrive(lane(1), {WarpOperation::shuffle, 0b11}, 8, ready_);
  ASSERT_EQ(first.meeting, second.meeting);
  meetings_.leave(*second.meeting);
  // Lane 1 runs ahead into the next meeting; lane 0 has not read yet.
  const auto next = meetings_.arrive(lane(1), {WarpOperation::shuffle, 0b11}, 9, ready_);
  EXPECT_NE(next.meeting, first.meeting);
  EXPECT_EQ(first.meeting->value[1], 8u);
}

TEST_F(WarpMeetingsTest, ConvergingLanesAreReleasedTogetherBySite) {
  meetings_.begin_block(32);
  const auto first = meetings_.arrive(lane(3), {WarpOperation::converge, ~0u, 1, true}, 0, ready_);
  meetings_.arrive(lane(4), {WarpOperation::converge, ~0u, 2, true}, 0, ready_);
  meetings_.arrive(lane(7), {WarpOperation::converge, ~0u, 1, true}, 0, ready_);
  EXPECT_FALSE(arrive(9, 0b11 << 9));
  meetings_.release_converging(ready_);
  EXPECT_EQ(first.meeting->arrived, 1u << 3 | 1u << 7);
  EXPECT_EQ(ready_count(), 3u);
  EXPECT_EQ(meetings_.waiting_lanes(), 1u);
}

// As on GPUs: lanes 16 to 31 that name lanes 0 to 15 meet each other.
TEST_F(WarpMeetingsTest, LanesThatTheirMaskLeavesOutMeetThoseThatComeAlong) {
  meetings_.begin_block(32);
  const auto outside = meetings_.arrive(lane(5), {WarpOperation::shuffle, 0b11}, 50, ready_);
  EXPECT_FALSE(arrive(0, 0b11));
  EXPECT_FALSE(arrive(6, 0b11));
  EXPECT_TRUE(arrive(1, 0b11));
  EXPECT_EQ(ready_count(), 1u);
  meetings_.release_converging(ready_);
  EXPECT_EQ(outside.meeting->arrived, 1u << 5 | 1u << 6);
  EXPECT_EQ(ready_count(), 2u);
}

}  // namespace kgrade_emulated::meetings_test
