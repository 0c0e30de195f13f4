// The orders in which threads and blocks run (device/thread_order.h), and what they find.
#include "device/thread_order.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "device/emulated/runtime/block_runner.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "tests/device/emulated/loaded_source.h"

namespace kgrade::test::thread_order_test {

using kgrade_emulated::set_thread_order;
using testing::Each;
using testing::ElementsAreArray;
using testing::Ne;

std::vector<int> counting(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int> backwards(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  return numbers;
}

// Blocks one after another: their order is then the order of their work.
class ThreadOrders : public testing::Test {
 protected:
  void SetUp() override { kgrade_emulated::set_host_threads(1); }
  void TearDown() override {
    kgrade_emulated::set_host_threads(0);
    set_thread_order(ThreadOrder::forward);
  }

  static std::vector<int> noted(const LoadedSource& source, const char* what, int x, int y, int z) {
    std::vector<int> order(static_cast<std::size_t>(x * y * z), -1);
    source.function<void(int*, int, int, int)>(what)(order.data(), x, y, z);
    return order;
  }
};

TEST_F(ThreadOrders, AreForwardOrReverseOrAPermutation) {
  for (const char* file : {"orders.cu", "independent_order.cu"}) {
    const LoadedSource source(file);
    const auto threads = [&] { return noted(source, "thread_order", 5, 3, 4); };
    set_thread_order(ThreadOrder::forward);
    EXPECT_EQ(threads(), counting(60)) << file;
    set_thread_order(ThreadOrder::reverse);
    EXPECT_EQ(threads(), backwards(60)) << file;
    set_thread_order(ThreadOrder::shuffled, 7);
    const auto first = threads();
    EXPECT_THAT(first, testing::UnorderedElementsAreArray(counting(60))) << file;
    EXPECT_NE(first, counting(60)) << file;
    EXPECT_NE(threads(), first) << file << ": the next launch has an order of its own";
    set_thread_order(ThreadOrder::shuffled, 7);
    EXPECT_EQ(threads(), first) << file << ": the same seed, the same order";
    set_thread_order(ThreadOrder::shuffled, 8);
    EXPECT_NE(threads(), first) << file;
  }
}

TEST_F(ThreadOrders, HoldAfterABarrierAndAWarpOperation) {
  const LoadedSource source("orders.cu");
  const auto run = [&] {
    std::vector<int> order(96, -1);
    source.function<void(int*, int)>("thread_order_at_barrier")(order.data(), 32);
    return std::vector<std::vector<int>>{{order.begin(), order.begin() + 32},
                                         {order.begin() + 32, order.begin() + 64},
                                         {order.begin() + 64, order.end()}};
  };
  set_thread_order(ThreadOrder::forward);
  EXPECT_THAT(run(), Each(counting(32)));
  set_thread_order(ThreadOrder::reverse);
  EXPECT_THAT(run(), Each(backwards(32)));
  set_thread_order(ThreadOrder::shuffled, 3);
  const auto shuffled = run();
  EXPECT_THAT(shuffled, Each(shuffled[0]));
}

TEST_F(ThreadOrders, HoldForBlocksToo) {
  const LoadedSource source("orders.cu");
  const auto blocks = [&] { return noted(source, "block_order", 5, 3, 4); };
  set_thread_order(ThreadOrder::forward);
  EXPECT_EQ(blocks(), counting(60));
  set_thread_order(ThreadOrder::reverse);
  EXPECT_EQ(blocks(), backwards(60));
  set_thread_order(ThreadOrder::shuffled, 7);
  EXPECT_THAT(blocks(), testing::AllOf(testing::UnorderedElementsAreArray(counting(60)), Ne(counting(60))));
}

TEST_F(ThreadOrders, ReverseFindsTheRaceThatForwardHides) {
  const LoadedSource source("orders.cu");
  const std::vector<int> in(64, 5);
  std::vector<int> right(64, 5);
  right[0] = 0;
  const auto shifted = [&](ThreadOrder order, int barrier) {
    set_thread_order(order, 1);
    std::vector<int> out(64, -1);
    source.function<void(const int*, int*, int)>("shift_right")(in.data(), out.data(), barrier);
    return out;
  };
  EXPECT_EQ(shifted(ThreadOrder::forward, 0), right);
  EXPECT_NE(shifted(ThreadOrder::reverse, 0), right);
  EXPECT_NE(shifted(ThreadOrder::shuffled, 0), right);
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
    EXPECT_EQ(shifted(order, 1), right) << to_string(order);
  }
}

TEST_F(ThreadOrders, ReverseFindsTheRaceBetweenBlocks) {
  const LoadedSource source("orders.cu");
  const std::vector<int> in(64, 5);
  std::vector<int> right(64, 5);
  right[0] = 0;
  const auto shifted = [&](ThreadOrder order) {
    set_thread_order(order, 1);
    std::vector<int> work(64, -1), out(64, -1);
    source.function<void(const int*, int*, int*, int)>("shift_blocks_right")(in.data(), work.data(),
                                                                             out.data(), 64);
    return out;
  };
  EXPECT_EQ(shifted(ThreadOrder::forward), right);
  EXPECT_NE(shifted(ThreadOrder::reverse), right);
  EXPECT_NE(shifted(ThreadOrder::shuffled), right);
}

TEST(BlockOrder, IsAPermutationOfAnyCount) {
  for (const std::uint64_t count : {1u, 2u, 3u, 12u, 97u, 1024u, 30030u}) {
    for (std::uint64_t key = 0; key < 20; ++key) {
      const kgrade_emulated::BlockOrder order({ThreadOrder::shuffled, key}, count);
      std::vector<bool> seen(count, false);
      for (std::uint64_t i = 0; i < count; ++i) seen.at(order[i]) = true;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0) << count << " by key " << key;
    }
  }
}

TEST(BlockOrder, TakesTheLargestGrid) {
  const std::uint64_t count = 2147483647ull * 65535 * 65535;
  const kgrade_emulated::BlockOrder order({ThreadOrder::shuffled, 5}, count);
  EXPECT_LT(order[0], count);
  EXPECT_LT(order[count - 1], count);
  EXPECT_EQ(kgrade_emulated::BlockOrder({ThreadOrder::reverse, 0}, count)[0], count - 1);
}

}  // namespace kgrade::test::thread_order_test
