// Tensors of doubles, and inputs whose rows hang together, on every device: the emulated one, and the first
// GPU if there is one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/input_blocks.h"
#include "device/registry.h"
#include "tests/device/draws.h"

namespace kgrade::double_elements_test {

std::vector<DeviceChoice::Kind> devices_here() {
  std::vector<DeviceChoice::Kind> kinds = {DeviceChoice::Kind::emulated};
  if (!probe_cuda().devices.empty()) kinds.push_back(DeviceChoice::Kind::cuda);
  return kinds;
}

class DoubleElements : public testing::TestWithParam<DeviceChoice::Kind> {
 protected:
  void SetUp() override {
    auto opened = open_device({GetParam(), 0}, "unused");
    ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
    device_ = std::move(*opened);
    actual_ = buffer();
    expected_ = buffer();
  }

  std::unique_ptr<SharedBuffer> buffer() {
    auto allocated = device_->allocate(65536);
    EXPECT_TRUE(allocated.ok());
    return std::move(*allocated);
  }

  OutputPair pair_of(const std::vector<double>& actual, const std::vector<double>& expected) {
    device_->write(*actual_, 256, actual.data(), actual.size() * sizeof(double));
    device_->write(*expected_, 256, expected.data(), expected.size() * sizeof(double));
    return {actual_.get(), 256, expected_.get(), 256, actual.size(), Dtype::float64};
  }

  // Drawn, and found unchanged.
  std::vector<unsigned char> draw(const Filling& filling) {
    device_->poison({&filling, 1});
    device_->reveal({&filling, 1});
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 0u);
    std::vector<unsigned char> bytes(filling.elements * element_bytes(filling.dtype));
    device_->read(*actual_, filling.begin, bytes.data(), bytes.size());
    return bytes;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<SharedBuffer> actual_;
  std::unique_ptr<SharedBuffer> expected_;
};

TEST_P(DoubleElements, AreComparedInDoublePrecision) {
  const ElementErrors errors = device_->compare(pair_of({1, 2 + 1e-12, -3}, {1, 2, -3}));
  EXPECT_NEAR(errors.max_abs_difference, 1e-12, 1e-15);
  EXPECT_EQ(errors.worst_index, 1u);
  EXPECT_EQ(errors.compared, 3u);
  EXPECT_EQ(errors.sum_squared_expected, 14);
  EXPECT_EQ(device_->count_wrong(pair_of({1, 2 + 1e-12}, {1, 2}), 0), 1u);
  EXPECT_EQ(device_->count_wrong(pair_of({1, 2 + 1e-12}, {1, 2}), 1e-11), 0u);
}

TEST_P(DoubleElements, BeyondFloatsAreFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(device_->compare(pair_of({1e300}, {1e300})).max_abs_difference, 0);
  EXPECT_EQ(device_->compare(pair_of({1e300, infinity, NAN}, {infinity, infinity, NAN})).nonfinite_mismatches,
            1u);
  EXPECT_EQ(device_->count_wrong(pair_of({1e-300, NAN}, {0, 0}), 0), 2u);
}

TEST_P(DoubleElements, OfIndicesThatTieAreTheSameDouble) {
  std::unique_ptr<SharedBuffer> values = buffer();
  const std::vector<double> numbers = {1, 1 + 1e-12, 1};
  device_->write(*values, 256, numbers.data(), numbers.size() * sizeof(double));
  const std::int64_t chosen[] = {2, 1};
  const std::int64_t wanted[] = {0, 0};
  device_->write(*actual_, 256, chosen, sizeof chosen);
  device_->write(*expected_, 256, wanted, sizeof wanted);
  OutputPair pair{actual_.get(), 256, expected_.get(), 256, 2, Dtype::int64};
  pair.values = values.get();
  pair.values_begin = 256;
  pair.tied = {nullptr, Dtype::float64, 3, 1, 2};
  EXPECT_EQ(device_->count_wrong(pair, 0), 1u);
}

TEST_P(DoubleElements, AreDrawnChangedAndFoundUnchanged) {
  for (Distribution distribution : distributions) {
    distribution.dtype = Dtype::float64;
    Filling filling{actual_.get(), 512, 101, true, {distribution, stream, {}}, poison_stream, Dtype::float64};
    filling.contents.changes = draw_changes(distribution, stream, 101, {7, 5, 3});
    std::vector<unsigned char> bytes = draw(filling);
    for (std::uint64_t i = 0; i < 101; ++i)
      ASSERT_EQ(load_integer(Dtype::int64, bytes.data(), i), device::wide_element(filling.contents, i));
    bytes[0] = static_cast<unsigned char>(bytes[0] ^ 1);  // the same float
    device_->write(*actual_, 512, bytes.data(), 1);
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 1u);
  }
}

TEST_P(DoubleElements, PoisonIsNoLikelyValue) {
  const Filling filling{actual_.get(), 256, 400, false, {}, poison_stream, Dtype::float64};
  device_->poison({&filling, 1});
  std::vector<double> values(400);
  device_->read(*actual_, 256, values.data(), values.size() * sizeof(double));
  for (const double value : values) ASSERT_TRUE(std::isnan(value) || std::fabs(value) > 1e100) << value;
  EXPECT_EQ(device_->count_unwritten(filling), 400u);
}

INSTANTIATE_TEST_SUITE_P(Devices, DoubleElements, testing::ValuesIn(devices_here()));

}  // namespace kgrade::double_elements_test
