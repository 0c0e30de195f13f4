#include "device/gate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "tests/device/every_device.h"

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

// Poison on all devices: where it is written, how inputs are revealed, and what changes of it are counted.

class PoisonOnEveryDevice : public EveryDevice {};

TEST_P(PoisonOnEveryDevice, PoisonsWholeBuffersAndNothingElse) {
  const auto first = buffer(5000);
  const auto second = buffer(4096);
  const auto bystander = buffer(4096);
  poison({bystander.get(), 0, 1024, false, {}, other_stream});
  const auto before = read<unsigned char>(*bystander, 0, bystander->bytes());
  // It makes no difference where the tensor is.
  const std::vector<Filling> fillings = {output_in(*first, 20, 300),
                                         {second.get(), 1024, 100, false, {}, other_stream}};
  device_->poison(fillings);
  for (const Filling& filling : fillings) {
    const std::uint64_t bytes = filling.buffer->bytes();
    const auto after = read<unsigned char>(*filling.buffer, 0, bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(after[i], random_byte(device::poison_block({filling.poison}, i / 16), i)) << i;
    }
  }
  EXPECT_EQ(read<unsigned char>(*bystander, 0, bystander->bytes()), before);
}

TEST_P(PoisonOnEveryDevice, PoisonsAllAroundAnInput) {
  const auto memory = buffer(8192);
  const std::uint64_t bytes = memory->bytes();
  for (const std::uint64_t begin : begins) {
    poison({memory.get(), 0, 1024, false, {}, other_stream});
    const auto before = read<unsigned char>(*memory, 0, bytes);
    const Filling filling = input_in(*memory, begin, 251, {});
    poison(filling);
    const auto after = read<unsigned char>(*memory, 0, bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const bool inside = i >= begin && i < filling.end();
      ASSERT_EQ(after[i], inside ? before[i] : random_byte(device::poison_block({poison_stream}, i / 16), i))
          << i;
    }
  }
}

// Covers a candidate that leaves an element unwritten where zero is expected: random bits are often close to
// zero.
TEST_P(PoisonOnEveryDevice, PoisonIsNeverAValueThatAnOutputCouldHold) {
  const auto memory = buffer(1 << 20);
  poison(output_in(*memory, 0, 1 << 18));
  for (const float value : read<float>(*memory, 0, 1 << 18)) ASSERT_FALSE(std::fabs(value) < 3e19f) << value;
  for (const std::uint16_t half : read<std::uint16_t>(*memory, 0, 1 << 19)) ASSERT_GE(half & 0x7fff, 0x6000);
}

TEST_P(PoisonOnEveryDevice, RevealsInputsAndLeavesAllElsePoisoned) {
  const auto input = buffer(8192);
  const auto output = buffer(8192);
  const std::vector<Filling> fillings = {input_in(*input, 4100, 251, {Kind::uniform, 0, 1}),
                                         output_in(*output, 4096, 251)};
  device_->poison(fillings);
  auto expected = read<unsigned char>(*input, 0, input->bytes());
  const auto output_before = read<unsigned char>(*output, 0, output->bytes());
  device_->reveal(fillings);
  const std::vector<float> drawn = drawn_by_host(fillings[0]);
  memcpy(expected.data() + 4100, drawn.data(), 251 * sizeof(float));
  EXPECT_EQ(read<unsigned char>(*input, 0, input->bytes()), expected);
  EXPECT_EQ(read<unsigned char>(*output, 0, output->bytes()), output_before);
}

TEST_P(PoisonOnEveryDevice, CountsEachByteThatChangedAroundATensor) {
  const auto memory = buffer(8192);
  const std::uint64_t bytes = memory->bytes();
  for (const std::uint64_t begin : begins) {
    const Filling filling = output_in(*memory, begin, 251);
    poison(filling);
    EXPECT_EQ(corruption_of(filling).guard_bytes, 0u);
    std::uint64_t changed = 0;
    for (const std::uint64_t at : {std::uint64_t{0}, begin / 2 + 1, begin - 1, filling.end(),
                                   filling.end() + 1, filling.end() + 100, bytes - 1}) {
      if (at >= bytes || (at >= begin && at < filling.end()))
        continue;  // there is nothing before the first byte
      flip(*memory, at);
      EXPECT_EQ(corruption_of(filling).guard_bytes, ++changed)
          << "byte " << at << " around a tensor at " << begin;
    }
    // The tensor itself may be written to.
    for (const std::uint64_t at : {begin, begin + 500, filling.end() - 1}) flip(*memory, at);
    EXPECT_EQ(corruption_of(filling).guard_bytes, changed);
    EXPECT_EQ(corruption_of(filling).input_elements, 0u);
  }
}

TEST_P(PoisonOnEveryDevice, CountsManyBytesOfOtherPoison) {
  const auto memory = buffer(8192);
  const Filling filling = output_in(*memory, 4096, 100);
  poison({memory.get(), 4096, 100, false, {}, other_stream});
  const auto others = read<unsigned char>(*memory, 0, memory->bytes());
  poison(filling);
  const auto ours = read<unsigned char>(*memory, 0, memory->bytes());
  const std::vector<unsigned char> pasted(others.begin() + 100, others.begin() + 164);
  std::uint64_t changed = 0;
  for (std::size_t i = 100; i < 164; ++i) changed += ours[i] != others[i];
  EXPECT_GT(changed, 50u);
  write(*memory, 100, pasted);
  EXPECT_EQ(corruption_of(filling).guard_bytes, changed);
}

TEST_P(PoisonOnEveryDevice, CountsWordsThatWereNeverWritten) {
  const auto memory = buffer(4096);
  const Filling filling = output_in(*memory, 256, 250);
  poison(filling);
  EXPECT_EQ(device_->count_unwritten(filling), 250u);
  write(*memory, 260, std::vector<float>(10, 1.5f));
  EXPECT_EQ(device_->count_unwritten(filling), 240u);
  flip(*memory, filling.end() - 1);  // a word counts as written as soon as one of its bytes is
  EXPECT_EQ(device_->count_unwritten(filling), 239u);
  flip(*memory, 255);
  flip(*memory, filling.end());
  EXPECT_EQ(device_->count_unwritten(filling), 239u) << "what is outside of the tensor does not count";
}

TEST_P(PoisonOnEveryDevice, CountsUnwrittenWordsOfATensorThatBeginsWithinABlock) {
  const auto memory = buffer(4096);
  const Filling filling = output_in(*memory, 260, 3);
  poison(filling);
  EXPECT_EQ(device_->count_unwritten(filling), 3u);
  write(*memory, 264, std::vector<float>{0});
  EXPECT_EQ(device_->count_unwritten(filling), 2u);
}

INSTANTIATE_TEST_SUITE_P(Devices, PoisonOnEveryDevice, testing::ValuesIn(devices_here()),
                         [](const auto& test) {
                           return test.param.kind == DeviceChoice::Kind::cuda ? "cuda" : "emulated";
                         });

}  // namespace kgrade::gate_test
