#include "device/gate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace kgrade::gate_test {

// The page as a worker has it.
class MappedGate {
 public:
  explicit MappedGate(const Gate& gate)
      : page_(::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate.descriptor(), 0)) {}
  ~MappedGate() { ::munmap(page_, gate_bytes); }
  MappedGate(const MappedGate&) = delete;
  MappedGate& operator=(const MappedGate&) = delete;

  bool mapped() const { return page_ != MAP_FAILED; }
  GateWord& word() const { return *static_cast<GateWord*>(page_); }
  volatile std::uint32_t& number() const { return word().number; }

 private:
  void* page_;
};

TEST(Gate, CallsWaitForNumbersOfTheirOwn) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  EXPECT_EQ(gate->next(), 1u) << "0 is for calls that do not wait";
  EXPECT_EQ(gate->next(), 2u);
  EXPECT_EQ(gate->next(), 3u);
}

TEST(Gate, ThePageStandsWhereTheRefereeHasOpenedItTo) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  EXPECT_EQ(worker.number(), 0u);
  const std::uint32_t first = gate->next();
  EXPECT_EQ(worker.number(), 0u) << "a call that is begun is not let through";
  gate->open(first);
  EXPECT_EQ(worker.number(), 1u);
  gate->open(gate->next());
  EXPECT_EQ(worker.number(), 2u);
}

TEST(Gate, OneWhoOpensItHimselfChangesNoNumberOfTheReferees) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  worker.number() = 1000;
  EXPECT_EQ(gate->next(), 1u);
  gate->open(1);
  EXPECT_EQ(worker.number(), 1u);
}

TEST(Gate, AThreadThatWaitsGoesOnWhenItsNumberIsReached) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  std::atomic<bool> is_through = false;
  std::thread waiting([&] {
    wait_at_gate(worker.word(), 2);
    is_through = true;
  });
  gate->open(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_through) << "the one before it";
  gate->open(2);
  waiting.join();
  EXPECT_TRUE(is_through);
}

TEST(Gate, AThreadNeedNotWaitForWhatWasThereBefore) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  gate->open(7);
  wait_at_gate(worker.word(), 7);
  wait_at_gate(worker.word(), 6);
  gate->open(3);  // numbers have started again
  wait_at_gate(worker.word(), 0xffff'fff0);
}

// Shrinking a file makes every process fault that has mapped it.
TEST(Gate, AWorkerCannotChangeTheSizeOfThePage) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  EXPECT_NE(::ftruncate(gate->descriptor(), 0), 0);
  EXPECT_NE(::ftruncate(gate->descriptor(), 2 * gate_bytes), 0);
  gate->open(7);
  EXPECT_EQ(MappedGate(*gate).number(), 7u);
}

}  // namespace kgrade::gate_test
