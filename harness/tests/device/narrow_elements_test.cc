// Tensors of 16-bit elements on every device: the emulated one, and the first GPU if there is one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/element_errors.h"
#include "device/registry.h"
#include "tests/device/draws.h"

namespace kgrade::narrow_elements_test {

using Kind = Distribution::Kind;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

struct Setting {
  DeviceChoice::Kind device;
  Dtype dtype;
};

std::vector<Setting> settings_here() {
  std::vector<Setting> settings;
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    settings.push_back({DeviceChoice::Kind::emulated, dtype});
    if (!probe_cuda().devices.empty()) settings.push_back({DeviceChoice::Kind::cuda, dtype});
  }
  return settings;
}

class NarrowElements : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    auto opened = open_device({GetParam().device, 0}, "unused");
    ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
    device_ = std::move(*opened);
  }

  static Dtype dtype() { return GetParam().dtype; }

  std::unique_ptr<SharedBuffer> buffer(std::uint64_t bytes) {
    auto allocated = device_->allocate(bytes);
    EXPECT_TRUE(allocated.ok());
    return std::move(*allocated);
  }

  template <class T>
  std::vector<T> read(SharedBuffer& from, std::uint64_t begin, std::size_t count) {
    std::vector<T> values(count);
    device_->read(from, begin, values.data(), count * sizeof(T));
    return values;
  }

  void write(SharedBuffer& to, std::uint64_t begin, const std::vector<float>& values, Dtype as) {
    std::vector<unsigned char> bytes(values.size() * element_bytes(as));
    for (std::size_t i = 0; i < values.size(); ++i) store_element(as, bytes.data(), i, values[i]);
    device_->write(to, begin, bytes.data(), bytes.size());
  }
  void write(SharedBuffer& to, std::uint64_t begin, const std::vector<float>& values) {
    write(to, begin, values, dtype());
  }

  // Changes every bit of one byte.
  void write_byte(SharedBuffer& memory, std::uint64_t at) {
    const auto changed = static_cast<unsigned char>(~read<unsigned char>(memory, at, 1)[0]);
    device_->write(memory, at, &changed, 1);
  }

  Filling output_in(SharedBuffer& memory, std::uint64_t begin, std::uint64_t elements) {
    return {&memory, begin, elements, false, {}, poison_stream, dtype()};
  }

  Filling input_in(SharedBuffer& memory, std::uint64_t begin, std::uint64_t elements, Distribution values,
                   Dtype stored_as) {
    values.dtype = dtype();
    return {&memory, begin, elements, true, {values, stream, {}}, poison_stream, stored_as};
  }

  void refresh(const Filling& filling) {
    device_->poison({&filling, 1});
    device_->reveal({&filling, 1});
  }

  BufferCorruption corruption_of(const Filling& filling) {
    return device_->inspect({&filling, 1}).corruption.at(0);
  }

  // Of what was expected and what came out.
  ElementErrors compare(const std::vector<float>& actual, const std::vector<float>& expected) {
    pair_up(actual, expected);
    return device_->compare(pair_);
  }

  void pair_up(const std::vector<float>& actual, const std::vector<float>& expected) {
    actual_ = buffer(4096);
    expected_ = buffer(4096);
    write(*actual_, 6, actual);
    write(*expected_, 1028, expected, Dtype::float32);
    pair_ = {actual_.get(), 6, expected_.get(), 1028, actual.size(), dtype()};
  }

  float last_place() const { return dtype() == Dtype::float16 ? 1.0f / 1024 : 1.0f / 128; }

  std::unique_ptr<Device> device_;
  std::unique_ptr<SharedBuffer> actual_;
  std::unique_ptr<SharedBuffer> expected_;
  OutputPair pair_;
};

// The oracle and a candidate read the same numbers, and the bits are those of the host.
TEST_P(NarrowElements, InputsAreTheHostsInBothForms) {
  const std::uint64_t elements = 10'003;
  const auto narrow = buffer(elements * 2 + 4096);
  const auto wide = buffer(elements * 4 + 4096);
  for (const Distribution& distribution : distributions) {
    const Filling ours = input_in(*narrow, 256, elements, distribution, dtype());
    const Filling oracles = input_in(*wide, 256, elements, distribution, Dtype::float32);
    refresh(ours);
    refresh(oracles);
    const auto halves = read<std::uint16_t>(*narrow, 256, elements);
    const auto floats = read<float>(*wide, 256, elements);
    for (std::uint64_t i = 0; i < elements; ++i) {
      const float value = element(ours.contents.distribution, random_block(stream, i / 4), i);
      ASSERT_EQ(halves[i], encode(dtype(), value)) << i;
      ASSERT_EQ(floats[i], value) << i;
    }
    EXPECT_EQ(corruption_of(ours).input_elements + corruption_of(ours).guard_bytes, 0u);
    EXPECT_EQ(corruption_of(oracles).input_elements + corruption_of(oracles).guard_bytes, 0u);
  }
}

// Inputs that are no draws come as float32: the oracle and a candidate read the same values of the type.
TEST_P(NarrowElements, CopiesAreRoundedAlikeInBothForms) {
  const std::vector<float> values = {0, -0.0f, 0.1f, -3.14159f, 1e-42f, -1e-5f, 1e30f, 70000, inf, -inf, nan};
  const auto source = buffer(values.size() * 4);
  const auto narrow = buffer(4096);
  const auto wide = buffer(4096);
  write(*source, 0, values, Dtype::float32);
  Filling ours = input_in(*narrow, 256, values.size(), {}, dtype());
  Filling oracles = input_in(*wide, 256, values.size(), {}, Dtype::float32);
  for (Filling* const filling : {&ours, &oracles}) {
    filling->source = source.get();
    refresh(*filling);
    EXPECT_EQ(corruption_of(*filling).input_elements + corruption_of(*filling).guard_bytes, 0u);
  }
  const auto halves = read<std::uint16_t>(*narrow, 256, values.size());
  const auto floats = read<float>(*wide, 256, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(bits_of(decode(dtype(), halves[i])), bits_of(floats[i])) << values[i];
    EXPECT_EQ(std::isfinite(floats[i]), std::isfinite(values[i])) << values[i];
    EXPECT_TRUE(!std::isnormal(values[i]) || !std::isfinite(values[i]) ||
                floats[i] == nearest_normal(dtype(), values[i]))
        << values[i];
  }
  // Values that are rounded already stay what they are.
  const auto widened = buffer(4096);
  Filling copy = input_in(*widened, 256, values.size(), {}, Dtype::float32);
  copy.source = narrow.get();
  copy.source_begin = 256;
  copy.source_dtype = dtype();
  refresh(copy);
  EXPECT_EQ(read<std::uint32_t>(*widened, 256, values.size()),
            read<std::uint32_t>(*wide, 256, values.size()));
  write_byte(*narrow, 256 + 3);
  EXPECT_EQ(corruption_of(ours).input_elements, 1u);
}

TEST_P(NarrowElements, AFewElementsAreOthersWhereItIsToldTo) {
  const std::uint64_t elements = 1003;
  const auto memory = buffer(elements * 2);
  Filling filling = input_in(*memory, 0, elements, {Kind::uniform, 0, 1}, dtype());
  InputChanges& changes = filling.contents.changes;
  changes = draw_changes(filling.contents.distribution, stream, elements, {7, 5, 1});
  changes.position[0] = elements - 1;
  refresh(filling);
  const auto halves = read<std::uint16_t>(*memory, 0, elements);
  for (unsigned int k = 0; k < changes.count; ++k)
    EXPECT_EQ(halves[changes.position[k]], encode(dtype(), changes.value[k]));
  EXPECT_EQ(corruption_of(filling).input_elements, 0u);
  // Each is set back to what it was.
  for (unsigned int k = 0; k < changes.count; ++k) {
    const std::uint64_t at = changes.position[k];
    write(*memory, 2 * at, {element(filling.contents.distribution, random_block(stream, at / 4), at)});
    EXPECT_EQ(corruption_of(filling).input_elements, k + 1);
  }
}

// Odd numbers of elements, from where a word begins or in its middle.
TEST_P(NarrowElements, DamageIsSeenToTheByte) {
  const auto memory = buffer(8192);
  for (const std::uint64_t begin : {256, 258}) {
    const Filling filling = input_in(*memory, begin, 251, {Kind::uniform, 0, 1}, dtype());
    ASSERT_EQ(filling.end(), begin + 502);
    refresh(filling);
    std::uint64_t guard = 0;
    for (const std::uint64_t at : {begin - 1, filling.end(), filling.end() + 1}) {
      write_byte(*memory, at);
      EXPECT_EQ(corruption_of(filling).guard_bytes, ++guard);
    }
    EXPECT_EQ(corruption_of(filling).input_elements, 0u);
    write_byte(*memory, begin + 21);
    write_byte(*memory, begin + 20);  // the same element
    write_byte(*memory, filling.end() - 1);
    EXPECT_EQ(corruption_of(filling).input_elements, 2u);
  }
}

TEST_P(NarrowElements, PoisonIsNoNumberThatAnOutputCouldHold) {
  const auto memory = buffer(1 << 20);
  const Filling filling = output_in(*memory, 0, 1 << 19);
  device_->poison({&filling, 1});
  const auto halves = read<std::uint16_t>(*memory, 0, 1 << 19);
  for (const std::uint16_t bits : halves) {
    const float value = decode(dtype(), bits);
    ASSERT_FALSE(std::fabs(value) < 3e19f) << value;
  }
  EXPECT_NE(halves[0], halves[2]);
}

TEST_P(NarrowElements, CountsElementsThatWereNeverWritten) {
  const auto memory = buffer(4096);
  const Filling filling = output_in(*memory, 258, 251);
  device_->poison({&filling, 1});
  EXPECT_EQ(device_->count_unwritten(filling), 251u);
  write(*memory, 258, std::vector<float>(3, 1.5f));
  EXPECT_EQ(device_->count_unwritten(filling), 248u);
  write_byte(*memory, filling.end() - 1);
  EXPECT_EQ(device_->count_unwritten(filling), 247u);
}

TEST_P(NarrowElements, TheNearestNumberHasNoErrorAndAnyOtherWhatRoundingLeaves) {
  const float place = last_place();
  // The expected value is a quarter of a unit above 1: 1 is the nearest, and all below 1 + unit / 2 rounds to
  // it.
  ElementErrors errors = compare({1, 1}, {1 + place / 4, 1});
  EXPECT_EQ(errors.sum_squared_difference, 0);
  EXPECT_EQ(errors.compared, 2u);
  errors = compare({1, 1 + place}, {1, 1 + place / 4});
  EXPECT_EQ(errors.max_abs_difference, double{place} / 4) << "rounds up from half a place";
  EXPECT_EQ(errors.worst_index, 1u);
  errors = compare({1 - place / 2}, {1 + place / 4});
  EXPECT_EQ(errors.max_abs_difference, double{place} / 2) << "places are half as large below 1";
  errors = compare({-3, 0}, {1, 0});
  EXPECT_EQ(errors.max_abs_difference, 4 - double{place}) << "beyond 2 places are twice as large";
}

TEST_P(NarrowElements, CountsWhatIsFurtherOffThanItMayBe) {
  pair_up({1, 2, 3, 0}, {1, 2.25f, 4, 1e-3f});
  pair_.magnitudes.rms = 1;
  EXPECT_EQ(device_->count_wrong(pair_, 0.2), 1u);
  EXPECT_EQ(device_->count_wrong(pair_, 0.1), 2u);
}

TEST_P(NarrowElements, TheRuleOfASetComparesWithTheRoundedOutput) {
  const float place = last_place();
  const float beyond = dtype() == Dtype::float16 ? 70000 : std::numeric_limits<float>::max();
  pair_up({1, 1 + place, inf}, {1 + place / 4, 1 + place / 4, beyond});
  const RuleCount count = device_->count_by_rule(pair_, {0, 0});
  EXPECT_EQ(count.failed, 1u);
  EXPECT_EQ(count.largest_error, double{place});
  EXPECT_EQ(device_->count_by_rule(pair_, {double{place}, 0}).failed, 0u);
}

TEST_P(NarrowElements, TellsNonFiniteValuesApart) {
  // At the end, a value that is finite as float32 and rounds to infinity.
  const float beyond = dtype() == Dtype::float16 ? 70000 : std::numeric_limits<float>::max();
  pair_up({nan, inf, nan, inf, 1, inf, nan, -inf, inf, 1},
          {1, 1, inf, -inf, nan, inf, nan, -inf, beyond, beyond});
  const ElementErrors errors = device_->compare(pair_);
  EXPECT_EQ(errors.nonfinite_mismatches, 6u);
  EXPECT_EQ(errors.first_nonfinite_mismatch, 0u);
  EXPECT_EQ(device_->count_wrong(pair_, 1e30), 6u);
}

INSTANTIATE_TEST_SUITE_P(Here, NarrowElements, testing::ValuesIn(settings_here()), [](const auto& test) {
  const bool emulated = test.param.device == DeviceChoice::Kind::emulated;
  return std::string(emulated ? "emulated_" : "cuda_") + std::string(to_string(test.param.dtype));
});

// Outputs of codes that stand for an input, on every device.

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

}  // namespace kgrade::narrow_elements_test
