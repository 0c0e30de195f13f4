// Outputs of codes that stand for an input, on every device.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/element_errors.h"
#include "device/registry.h"

namespace kgrade::quantised_test {

using Bytes = std::vector<unsigned char>;

std::vector<DeviceChoice::Kind> devices_here() {
  std::vector<DeviceChoice::Kind> kinds = {DeviceChoice::Kind::emulated};
  if (!probe_cuda().devices.empty()) kinds.push_back(DeviceChoice::Kind::cuda);
  return kinds;
}

constexpr SmallFloat e2m1 = SmallFloat::e2m1;

class QuantisedOutputs : public testing::TestWithParam<DeviceChoice::Kind> {
 protected:
  void SetUp() override {
    auto opened = open_device({GetParam(), 0}, "unused");
    ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
    device_ = std::move(*opened);
  }

  template <class T>
  SharedBuffer* holding(const std::vector<T>& values) {
    auto allocated = device_->allocate(256 + values.size() * sizeof(T));
    EXPECT_TRUE(allocated.ok());
    device_->write(**allocated, 256, values.data(), values.size() * sizeof(T));
    buffers_.push_back(std::move(*allocated));
    return buffers_.back().get();
  }

  // Two rows of four values, in blocks of two.
  OutputPair pair(const Bytes& actual, const Bytes& scales, const Bytes& expected,
                  const Bytes& expected_scales) {
    OutputPair pair{holding(actual), 256, holding(expected), 256, actual.size(), Dtype::uint8};
    pair.values = holding(values_);
    pair.values_begin = 256;
    pair.scales = holding(scales);
    pair.expected_scales = holding(expected_scales);
    pair.scales_begin = pair.expected_scales_begin = 256;
    pair.quantised = {nullptr, Dtype::float32, nullptr, nullptr, e2m1, SmallFloat::e8m0, 2, false, 4, 1};
    pair.magnitudes.rms = 2;
    return pair;
  }

  std::unique_ptr<Device> device_;
  std::vector<std::unique_ptr<SharedBuffer>> buffers_;
  const std::vector<float> values_ = {1, -6, 0.5, 3, 2, 4, -1.25F, 1.5};
  const Bytes codes_ = {0xF2, 0x51, 0x64, 0x3A};  // the third of the second row is -1
  const Bytes scales_ = {127, 127, 127, 127};
};

TEST_P(QuantisedOutputs, AreNotOffWhereTheyStandForTheSameNumbers) {
  const ElementErrors same = device_->compare(pair(codes_, scales_, codes_, scales_));
  EXPECT_EQ(same.sum_squared_difference, 0);
  EXPECT_EQ(same.compared, 8u);
  EXPECT_EQ(same.sum_squared_expected, 1 + 36 + 0.25 + 9 + 4 + 16 + 1.5625 + 2.25);
  // 2 and 4 as 4 / 2 and 6 / 2 of another scale: 4 is out of its reach, and is 3.
  const ElementErrors other =
      device_->compare(pair({0xF2, 0x51, 0x76, 0x3A}, {127, 127, 126, 127}, codes_, scales_));
  EXPECT_EQ(other.sum_squared_difference, 1);
  EXPECT_EQ(other.max_abs_difference, 1);
  EXPECT_EQ(other.max_scaled_difference, 0.5) << "in units of all values, not of its own";
  EXPECT_EQ(other.worst_index, 2u) << "the byte";
}

// -1.25 lies midway between -1 and -1.5.
TEST_P(QuantisedOutputs, TiesMayBeBrokenEitherWayAndOthersNot) {
  EXPECT_EQ(device_->compare(pair({0xF2, 0x51, 0x64, 0x3B}, scales_, codes_, scales_)).sum_squared_difference,
            0);
  EXPECT_EQ(device_->compare(pair({0xF2, 0x51, 0x64, 0x3C}, scales_, codes_, scales_)).sum_squared_difference,
            0.75 * 0.75 - 0.25 * 0.25);
  EXPECT_LT(device_->compare(pair(codes_, scales_, {0xF2, 0x51, 0x64, 0x3C}, scales_)).sum_squared_difference,
            0)
      << "closer than what was expected";
  EXPECT_EQ(device_->count_wrong(pair({0x2F, 0x51, 0x64, 0x3A}, scales_, codes_, scales_), 0.05), 1u);
  EXPECT_EQ(device_->count_wrong(pair({0xF2, 0x51, 0x64, 0x3B}, scales_, codes_, scales_), 0.05), 0u);
}

TEST_P(QuantisedOutputs, AScaleThatIsNoNumberIsWrong) {
  const ElementErrors errors = device_->compare(pair(codes_, {127, 255, 127, 127}, codes_, scales_));
  EXPECT_EQ(errors.nonfinite_mismatches, 2u);
  EXPECT_EQ(errors.first_nonfinite_mismatch, 1u);
}

// The formula of cuBLAS's documentation, which counts tiles of 128 x 4 scales.
TEST(ScalesInTiles, LieWhereCublasHasThem) {
  Quantised quantised;
  quantised.block = 16;
  quantised.columns = 16 * 6;
  quantised.is_swizzled = true;
  const auto place = [&](std::uint64_t row, std::uint64_t block) {
    return device::place_of_scale(quantised, row * quantised.columns + 16 * block + 15);
  };
  EXPECT_EQ(place(0, 3), 3u);
  EXPECT_EQ(place(32, 0), 4u);
  EXPECT_EQ(place(1, 0), 16u);
  EXPECT_EQ(place(127, 3), 511u);
  EXPECT_EQ(place(0, 4), 512u);
  EXPECT_EQ(place(128, 0), 1024u);
}

INSTANTIATE_TEST_SUITE_P(Devices, QuantisedOutputs, testing::ValuesIn(devices_here()));

}  // namespace kgrade::quantised_test
