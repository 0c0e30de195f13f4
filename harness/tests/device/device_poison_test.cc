// Poison on all devices: where it is written, how inputs are revealed, and what changes of it are counted.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/device/every_device.h"

namespace kgrade::device_poison_test {

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

}  // namespace kgrade::device_poison_test
