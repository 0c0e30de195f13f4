#include "device/emulated/checker/access_counts.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace kgrade_emulated::access_counts_test {

using kgrade::LaunchCounts;

// One launch of one block.
class AccessCountsTest : public testing::Test {
 protected:
  // Each thread makes one access at a place of the code, at an offset by its number.
  void each(std::uint32_t threads, std::uint64_t pc,
            const std::function<std::uint64_t(std::uint32_t)>& offset, std::uint32_t bytes = 4,
            bool shared = false, bool write = false) {
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      counts_.note({1, offset(thread), bytes, shared, write, false, pc, 0, thread});
  }
  void begin(std::uint32_t threads = 32) { counts_.begin_launch("f", {1, 1, 1}, {threads, 1, 1}); }
  const LaunchCounts& end() {
    counts_.end_launch();
    EXPECT_EQ(book_->launches, 1u);
    return book_->counts[0];
  }

  std::unique_ptr<kgrade::FindingBook> book_ = std::make_unique<kgrade::FindingBook>();
  AccessCounts counts_{*book_};
};

TEST_F(AccessCountsTest, NeighboursShareSectors) {
  begin(64);
  each(64, 1, [](std::uint32_t t) { return 4 * t; });
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.requests, 2u);
  EXPECT_EQ(counts.loads.sectors, 8u);
  EXPECT_EQ(counts.loads.bytes, 256u);
  EXPECT_EQ(counts.worst_load.pc, 0u);
  EXPECT_EQ(counts.partial_requests, 0u);
}

TEST_F(AccessCountsTest, AStrideTouchesASectorAThread) {
  begin();
  each(32, 7, [](std::uint32_t t) { return 132 * t; });
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.sectors, 32u);
  EXPECT_EQ(counts.worst_load.pc, 7u);
  EXPECT_EQ(counts.worst_load.excess, 28u);
}

TEST_F(AccessCountsTest, ABroadcastIsOneSector) {
  begin();
  each(32, 1, [](std::uint32_t) { return 64; });
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.sectors, 1u);
  EXPECT_EQ(counts.loads.bytes, 4u);
  EXPECT_EQ(counts.worst_load.pc, 0u);
}

// The compiler splits a float4 into four accesses at places of their own.
TEST_F(AccessCountsTest, TheFourPartsOfAVectorAreOneRequest) {
  begin();
  for (std::uint32_t thread = 0; thread < 32; ++thread) {
    for (std::uint32_t part = 0; part < 4; ++part)
      counts_.note({1, 16 * thread + 4 * part, 4, false, false, false, 10 + part, 0, thread});
  }
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.requests, 1u);
  EXPECT_EQ(counts.loads.sectors, 16u);
  EXPECT_EQ(counts.worst_load.pc, 0u);
}

// A row for each thread, read in a loop: adjacent in time, and not a vector.
TEST_F(AccessCountsTest, ALoopOverARowIsNotAVector) {
  begin();
  for (std::uint32_t thread = 0; thread < 32; ++thread) {
    for (std::uint32_t k = 0; k < 4; ++k)
      counts_.note({1, 256 * thread + 4 * k, 4, false, false, false, 10, 0, thread});
  }
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.requests, 4u);
  EXPECT_EQ(counts.loads.sectors, 128u);
}

TEST_F(AccessCountsTest, AColumnOfSharedMemoryConflictsThirtyOneTimes) {
  begin();
  each(
      32, 1, [](std::uint32_t t) { return 128 * t; }, 4, true);
  each(
      32, 2, [](std::uint32_t t) { return 132 * t; }, 4, true);
  each(
      32, 3, [](std::uint32_t) { return 0; }, 4, true);
  each(
      32, 4, [](std::uint32_t t) { return 16 * t; }, 16, true);
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.shared_requests, 4u);
  EXPECT_EQ(counts.shared_passes, 32u + 1 + 1 + 4);
  EXPECT_EQ(counts.shared_conflicts, 31u);
  EXPECT_EQ(counts.worst_shared.pc, 1u);
}

TEST_F(AccessCountsTest, PartOfAWarpIsCounted) {
  begin();
  each(16, 1, [](std::uint32_t t) { return 4 * t; });
  each(32, 2, [](std::uint32_t t) { return 4 * t; });
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.requests, 2u);
  EXPECT_EQ(counts.partial_requests, 1u);
}

TEST_F(AccessCountsTest, LaunchesAreOfTheLatestCall) {
  for (int call = 0; call < 2; ++call) {
    counts_.begin_call();
    for (int launch = 0; launch < 3; ++launch) {
      begin();
      each(32, 1, [](std::uint32_t t) { return 4 * t; });
      counts_.end_launch();
    }
  }
  ASSERT_EQ(book_->launches, 1u);
  EXPECT_EQ(book_->counts[0].times, 3u);
  EXPECT_EQ(book_->counts[0].loads.requests, 3u);
}

TEST_F(AccessCountsTest, AHugeBlockIsMarkedAsIncomplete) {
  begin();
  for (std::uint64_t i = 0; i < (1u << 18) + 5; ++i)
    counts_.note({1, 4 * i, 4, false, false, false, 1, 0, 0});
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.incomplete, 1u);
  EXPECT_EQ(counts.global_accesses, (1u << 18) + 5u);
}

// Only one thread's accesses are adjacent, by chance.
TEST_F(AccessCountsTest, PartsOfAVectorAreThoseOfAllThreads) {
  begin();
  each(32, 1, [](std::uint32_t t) { return 128 * t; });
  each(32, 2, [](std::uint32_t t) { return 132 * t; });
  const LaunchCounts& counts = end();
  EXPECT_EQ(counts.loads.requests, 2u);
  EXPECT_EQ(counts.loads.sectors, 64u);
}

}  // namespace kgrade_emulated::access_counts_test
