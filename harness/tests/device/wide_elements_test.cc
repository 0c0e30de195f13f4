// Tensors of integers and booleans on every device: the emulated one, and the first GPU if there is one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/input_blocks.h"
#include "device/registry.h"
#include "tests/device/every_device.h"

namespace kgrade::wide_elements_test {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// Tensors that are compared: actual and expected ones.
class WideElements : public EveryDevice {
 protected:
  void SetUp() override {
    EveryDevice::SetUp();
    actual_ = buffer(65536);
    expected_ = buffer(65536);
    values_ = buffer(65536);
  }

  template <class T>
  OutputPair pair_of(Dtype dtype, const std::vector<T>& actual, const std::vector<T>& expected) {
    write(*actual_, 256, actual);
    write(*expected_, 256, expected);
    return {actual_.get(), 256, expected_.get(), 256, actual.size(), dtype};
  }

  std::unique_ptr<SharedBuffer> actual_;
  std::unique_ptr<SharedBuffer> expected_;
  std::unique_ptr<SharedBuffer> values_;
};

class IntegerElements : public WideElements {
 protected:
  template <class T>
  std::uint64_t wrong(Dtype dtype, const std::vector<T>& actual, const std::vector<T>& expected) {
    return device_->count_wrong(pair_of(dtype, actual, expected), 1e9);
  }
};

TEST_P(IntegerElements, AreWrongWhereverTheyDiffer) {
  EXPECT_EQ(wrong<std::int64_t>(Dtype::int64, {1, -2, 3}, {1, 2, 4}), 2u);
  EXPECT_EQ(wrong<std::int32_t>(Dtype::int32, {1, -2, 3}, {1, -2, 3}), 0u);
  EXPECT_EQ(wrong<std::uint8_t>(Dtype::uint8, {255, 0}, {254, 0}), 1u);
  EXPECT_EQ(wrong<std::int16_t>(Dtype::int16, {-1, 0}, {1, 0}), 1u);
  // Whatever a byte that is neither 0 nor 1 would count as.
  EXPECT_EQ(wrong<std::uint8_t>(Dtype::boolean, {1, 2, 0}, {1, 1, 0}), 1u);
}

TEST_P(IntegerElements, CountAsNumbersByTheRuleOfASet) {
  const RuleCount count =
      device_->count_by_rule(pair_of<std::int32_t>(Dtype::int32, {7, -2, 100}, {5, -2, 101}), {1, 0});
  EXPECT_EQ(count.failed, 1u);
  EXPECT_EQ(count.largest_error, 2);
}

// float has the same value for both, and double too.
TEST_P(IntegerElements, DifferAlsoWhereNoFloatShowsIt) {
  const ElementErrors errors =
      device_->compare(pair_of<std::int64_t>(Dtype::int64, {5, largest - 1}, {5, largest}));
  EXPECT_EQ(errors.max_abs_difference, 1);
  EXPECT_EQ(errors.worst_index, 1u);
  EXPECT_EQ(errors.compared, 2u);
  EXPECT_EQ(wrong<std::uint32_t>(Dtype::uint32, {(1u << 24) + 1}, {1u << 24}), 1u);
}

TEST_P(IntegerElements, OfTheSameValueAreTied) {
  // Two lines along the middle axis of [2, 3, 2].
  write<float>(*values_, 256, {7, 1, 7, 2, 0, 2, 4, 4, 5, 5, 5, 6});
  // Indices of the largest: of columns {7, 7, 0}, {1, 2, 2}, {4, 5, 5}, {4, 5, 6}.
  OutputPair pair = pair_of<std::int64_t>(Dtype::int64, {1, 2, 2, 1}, {0, 1, 1, 2});
  EXPECT_EQ(device_->count_wrong(pair, 0), 4u);
  pair.values = values_.get();
  pair.values_begin = 256;
  pair.tied = {nullptr, Dtype::float32, 3, 2, 1};
  EXPECT_EQ(device_->count_wrong(pair, 0), 1u);
  const ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.worst_index, 3u);
  EXPECT_EQ(errors.max_abs_difference, 1);
}

// As floats all three would be the same.
TEST_P(IntegerElements, AreTiedByAllOfTheirBits) {
  write<std::int64_t>(*values_, 256, {largest, largest - 1, largest});
  OutputPair pair = pair_of<std::int64_t>(Dtype::int64, {2, 1}, {0, 0});
  pair.values = values_.get();
  pair.values_begin = 256;
  pair.tied = {nullptr, Dtype::int64, 3, 1, 2};
  EXPECT_EQ(device_->count_wrong(pair, 0), 1u);
}

TEST_P(IntegerElements, NoIndexOutsideOfTheTensorIsTied) {
  write<float>(*values_, 256, {3, 3, 3, 3});
  OutputPair pair = pair_of<std::int64_t>(Dtype::int64, {0, 1, 4, -1, largest, 3}, {0, 0, 0, 0, 0, 0});
  pair.values = values_.get();
  pair.values_begin = 256;
  pair.tied = {nullptr, Dtype::float32, 4, 1, 6};
  EXPECT_EQ(device_->count_wrong(pair, 0), 3u);
}

TEST_P(IntegerElements, AreDrawnStoredAndFoundUnchanged) {
  for (const Dtype dtype : {Dtype::int8, Dtype::uint16, Dtype::int32, Dtype::int64, Dtype::boolean}) {
    const std::int64_t low = dtype == Dtype::boolean || dtype == Dtype::uint16 ? 0 : -3;
    const Distribution values{Distribution::Kind::integers, static_cast<double>(low), 1, dtype};
    const Filling filling{actual_.get(), 512, 100, true, {values, stream, {}}, poison_stream, dtype};
    device_->poison({&filling, 1});
    device_->reveal({&filling, 1});
    std::vector<unsigned char> bytes(100 * element_bytes(dtype));
    device_->read(*actual_, 512, bytes.data(), bytes.size());
    bool has_low = false;
    bool has_high = false;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::int64_t value = load_integer(dtype, bytes.data(), i);
      ASSERT_TRUE(value >= low && value <= 1) << to_string(dtype) << " " << value;
      has_low = has_low || value == low;
      has_high = has_high || value == 1;
    }
    EXPECT_TRUE(has_low && has_high) << to_string(dtype);
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 0u);
    const auto changed = static_cast<unsigned char>(bytes[0] + 1);
    device_->write(*actual_, 512, &changed, 1);
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 1u) << to_string(dtype);
  }
}

// Larger ones than a float holds, too.
TEST_P(IntegerElements, OfAListAreThose) {
  Distribution extents{Distribution::Kind::listed, 0, 1, Dtype::uint64};
  extents.count = 3;
  extents.choices[0] = 7;
  extents.choices[1] = (1 << 24) + 1;
  extents.choices[2] = 9007199254740991;
  const Filling filling{actual_.get(), 512, 3, true, {extents, stream, {}}, poison_stream, Dtype::uint64};
  device_->poison({&filling, 1});
  device_->reveal({&filling, 1});
  std::int64_t values[3];
  device_->read(*actual_, 512, values, sizeof values);
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[1], (1 << 24) + 1);
  EXPECT_EQ(values[2], 9007199254740991);
  EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 0u);
  values[1] -= 1;  // the same float
  device_->write(*actual_, 512, values, sizeof values);
  EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 1u);
}

TEST_P(IntegerElements, OfAWideRangeAreDrawnChangedAndFoundUnchanged) {
  for (const Dtype dtype : {Dtype::uint32, Dtype::int64, Dtype::uint64}) {
    Distribution wide{Distribution::Kind::wide_integers, 0, 0, dtype};
    wide.low = dtype == Dtype::int64 ? -largest : 0;
    wide.high = dtype == Dtype::uint32 ? (std::int64_t{1} << 31) - 2 : largest;
    Filling filling{actual_.get(), 512, 100, true, {wide, stream, {}}, poison_stream, dtype};
    filling.contents.changes = draw_changes(wide, stream, 100, {7, 5, 3});
    device_->poison({&filling, 1});
    device_->reveal({&filling, 1});
    std::vector<unsigned char> bytes(100 * element_bytes(dtype));
    device_->read(*actual_, 512, bytes.data(), bytes.size());
    unsigned int changed = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::int64_t value = load_integer(dtype, bytes.data(), i);
      ASSERT_TRUE(value >= wide.low && value <= wide.high) << to_string(dtype) << " " << value;
      ASSERT_EQ(value, device::wide_element(filling.contents, i));
      changed += value != wide_element(wide, stream, i);
    }
    EXPECT_EQ(changed, filling.contents.changes.count);
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 0u);
    bytes[0] = static_cast<unsigned char>(bytes[0] ^ 1);  // the same float
    device_->write(*actual_, 512, bytes.data(), 1);
    EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 1u) << to_string(dtype);
  }
}

// Both devices draw what draw/distribution.h says.
TEST_P(IntegerElements, OfAGraphAreStoredAndFoundUnchanged) {
  Distribution graph{Distribution::Kind::adjacency,      0.5, -1, Dtype::int32,
                     Distribution::Structure::symmetric, 5};
  Filling filling{actual_.get(), 512, 75, true, {graph, stream, {}}, poison_stream, Dtype::int32};
  filling.contents.changes = draw_changes(graph, stream, 75, {7, 5, 3});
  device_->poison({&filling, 1});
  device_->reveal({&filling, 1});
  std::int32_t values[75];
  device_->read(*actual_, 512, values, sizeof values);
  for (std::uint64_t i = 0; i < 75; ++i) {
    const std::uint64_t mirror = i / 25 * 25 + i % 5 * 5 + i / 5 % 5;
    EXPECT_EQ(values[i], values[mirror]);
    EXPECT_EQ(static_cast<float>(values[i]), device::float_element(filling.contents, i));
  }
  EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 0u);
  values[6] += 1;
  device_->write(*actual_, 512, values, sizeof values);
  EXPECT_EQ(device_->inspect({&filling, 1}).corruption[0].input_elements, 1u);
}

// Neither a small number nor a boolean: an element that was never written is none that could be right.
TEST_P(IntegerElements, PoisonIsNoLikelyValue) {
  for (const Dtype dtype : {Dtype::int8, Dtype::boolean, Dtype::int32, Dtype::int64}) {
    const Filling filling{actual_.get(), 256, 400, false, {}, poison_stream, dtype};
    device_->poison({&filling, 1});
    std::vector<unsigned char> bytes(400 * element_bytes(dtype));
    device_->read(*actual_, 256, bytes.data(), bytes.size());
    for (std::uint64_t i = 0; i < 400; ++i) {
      const std::int64_t value = load_integer(dtype, bytes.data(), i);
      ASSERT_TRUE(value >= 96 || value < -1000) << to_string(dtype) << " " << value;
    }
    EXPECT_EQ(device_->count_unwritten(filling), 400u);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, IntegerElements, testing::ValuesIn(devices_here()));

// Tensors of doubles, and inputs whose rows hang together, on every device: the emulated one, and the first
// GPU if there is one.

class DoubleElements : public WideElements {
 protected:
  OutputPair pair_of(const std::vector<double>& actual, const std::vector<double>& expected) {
    return WideElements::pair_of(Dtype::float64, actual, expected);
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
  const std::vector<double> numbers = {1, 1 + 1e-12, 1};
  device_->write(*values_, 256, numbers.data(), numbers.size() * sizeof(double));
  const std::int64_t chosen[] = {2, 1};
  const std::int64_t wanted[] = {0, 0};
  device_->write(*actual_, 256, chosen, sizeof chosen);
  device_->write(*expected_, 256, wanted, sizeof wanted);
  OutputPair pair{actual_.get(), 256, expected_.get(), 256, 2, Dtype::int64};
  pair.values = values_.get();
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

}  // namespace kgrade::wide_elements_test
