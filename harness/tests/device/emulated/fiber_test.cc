#include "device/emulated/runtime/fiber.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/emulated/checker/process_map.h"
#include "device/emulated/runtime/meetings.h"

namespace kgrade_emulated::fiber_test {

// Two stacks that hand over to each other, each with values that a call must preserve.
struct PingPong {
  StackContext main;
  StackContext other;
  std::vector<double> seen;
  std::uintptr_t misalignment = 1;
};

PingPong* shared_state = nullptr;

void other_stack() {
  PingPong& state = *shared_state;
  on_first_turn(state.main);
  alignas(16) volatile char aligned[16] = {};
  state.misalignment = reinterpret_cast<std::uintptr_t>(&aligned[0]) % 16;
  double sum = 0.5;
  for (int turn = 1;; ++turn) {
    sum += std::sqrt(static_cast<double>(turn * turn));
    state.seen.push_back(sum);
    switch_stack(state.other, state.main);
  }
}

TEST(FiberSwitch, KeepsTheVariablesOfBothStacks) {
  PingPong state;
  shared_state = &state;
  GuardedStack stack(0);
  prepare_context(state.other, stack.bottom(), stack.bytes(), &other_stack);
  adopt_running_stack(state.main);
  double product = 1.5;
  for (int turn = 1; turn <= 4; ++turn) {
    switch_stack(state.main, state.other);
    product *= turn;
  }
  EXPECT_EQ(product, 36.0);
  EXPECT_EQ(state.seen, (std::vector<double>{1.5, 3.5, 6.5, 10.5}));
  EXPECT_EQ(state.misalignment, 0u);
}

TEST(FiberQueue, GivesBackInTheOrderOfArrival) {
  Fiber a(0, &other_stack), b(1, &other_stack), c(2, &other_stack);
  FiberQueue first, second;
  first.push(a);
  second.push(b);
  second.push(c);
  first.take_all(second);
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(first.pop(), &a);
  EXPECT_EQ(first.pop(), &b);
  first.push(a);
  EXPECT_EQ(first.pop(), &c);
  EXPECT_EQ(first.pop(), &a);
  EXPECT_EQ(first.pop(), nullptr);
}

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

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(ReadablePages, HoldWhatIsThere) {
  ReadablePages pages;
  const int local = 1;
  EXPECT_TRUE(pages.holds(number(&local)));
  EXPECT_TRUE(pages.holds(number(&local)));
}

TEST(ReadablePages, HoldNothingThatWouldFault) {
  ReadablePages pages;
  void* const closed = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(closed, MAP_FAILED);
  EXPECT_FALSE(pages.holds(number(closed)));
  ::munmap(closed, 4096);
  EXPECT_FALSE(pages.holds(number(closed)));
  EXPECT_FALSE(pages.holds(0));
  EXPECT_FALSE(pages.holds(8));
}

}  // namespace kgrade_emulated::fiber_test
