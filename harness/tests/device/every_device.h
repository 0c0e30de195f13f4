// For tests of what all devices must do alike: a fixture that opens the emulated device, and the first GPU if
// there is one, with buffers on it and what the host draws for them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/poison.h"
#include "device/registry.h"
#include "tests/device/draws.h"

namespace kgrade {

using Kind = Distribution::Kind;

inline constexpr RandomStream other_stream{0xfedcba9876543210, 3, 5};

inline std::vector<DeviceChoice> devices_here() {
  std::vector<DeviceChoice> choices = {{DeviceChoice::Kind::emulated, 0}};
  if (!probe_cuda().devices.empty()) choices.push_back({DeviceChoice::Kind::cuda, 0});
  return choices;
}

class EveryDevice : public testing::TestWithParam<DeviceChoice> {
 protected:
  void SetUp() override {
    auto opened = open_device(GetParam(), "unused");
    ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
    device_ = std::move(*opened);
  }

  std::unique_ptr<SharedBuffer> buffer(std::uint64_t bytes) {
    auto result = device_->allocate(bytes);
    EXPECT_TRUE(result.ok());
    return std::move(*result);
  }

  template <class T>
  std::vector<T> read(SharedBuffer& from, std::uint64_t begin, std::size_t count) {
    std::vector<T> values(count);
    device_->read(from, begin, values.data(), count * sizeof(T));
    return values;
  }

  template <class T>
  void write(SharedBuffer& to, std::uint64_t begin, const std::vector<T>& values) {
    device_->write(to, begin, values.data(), values.size() * sizeof(T));
  }

  // Changes every bit of one byte.
  void flip(SharedBuffer& memory, std::uint64_t at) {
    write<unsigned char>(memory, at, {static_cast<unsigned char>(~read<unsigned char>(memory, at, 1)[0])});
  }

  void poison(const Filling& filling) { device_->poison({&filling, 1}); }
  void reveal(const Filling& filling) { device_->reveal({&filling, 1}); }
  BufferCorruption corruption_of(const Filling& filling) {
    const Inspection inspection = device_->inspect({&filling, 1});
    EXPECT_EQ(inspection.corruption.size(), 1u);
    return inspection.corruption.at(0);
  }

  std::unique_ptr<Device> device_;
};

inline Filling output_in(SharedBuffer& memory, std::uint64_t begin, std::uint64_t elements) {
  return {&memory, begin, elements, false, {}, poison_stream};
}

inline Filling input_in(SharedBuffer& memory, std::uint64_t begin, std::uint64_t elements,
                        const Distribution& distribution) {
  return {&memory, begin, elements, true, {distribution, stream, {}}, poison_stream};
}

inline Filling constants_in(SharedBuffer& memory, std::uint64_t elements, double value) {
  return input_in(memory, 0, elements, {Kind::constant, value, 0});
}

// As the host draws it.
inline float stream_value(const Distribution& distribution, std::uint64_t index) {
  return element(distribution, random_block(stream, index / 4), index);
}

inline std::vector<float> drawn_by_host(const Filling& filling) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < filling.elements; ++i) {
    values.push_back(stream_value(filling.contents.distribution, i));
  }
  const InputChanges& changes = filling.contents.changes;
  for (unsigned int k = 0; k < changes.count; ++k) values.at(changes.position[k]) = changes.value[k];
  return values;
}

// Where a tensor may begin: at the very start, within a word, a block, or at a block's start.
inline constexpr std::uint64_t begins[] = {0, 21, 4096, 4100};

}  // namespace kgrade
