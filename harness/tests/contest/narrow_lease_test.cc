// Leases of a case with float16 elements: a contestant's, and the oracle's, which widens them.
#include <gtest/gtest.h>

#include <map>

#include "contest/tensor_values.h"
#include "lease_fixture.h"

namespace kgrade::test {
namespace narrow_lease_test {

class NarrowLease : public LeaseFixture {
 protected:
  NarrowLease() {
    problem_.parameters[1] = scalar_parameter("factor", "[VAR]");
    case_.dtype = Dtype::float16;
    case_.reals["factor"] = 0.1;
    lease_ = make({true, true});
    LeaseTerms wide;
    wide.moves = true;
    wide.widens = true;
    oracles_ = make(wide);
    oracles_->prepare({5, 2}, poison_key, 1);
    oracles_->reveal();
    refresh({5, 2}, 2);
  }

  std::vector<std::uint16_t> halves(std::size_t tensor) {
    const Lease::Loaned loaned = lease_->tensors().at(tensor);
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(loaned.tensor->elements));
    device_->read(*loaned.buffer, loaned.begin, bits.data(), bits.size() * 2);
    return bits;
  }

  std::unique_ptr<Lease> oracles_;
};

TEST_F(NarrowLease, TheOracleReadsTheSameNumbers) {
  for (const std::size_t tensor : {0, 2}) {
    const std::vector<std::uint16_t> ours = halves(tensor);
    const std::vector<float> theirs = read(oracles_->tensors().at(tensor));
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(decode(Dtype::float16, ours[i]), theirs[i]) << i;
    }
  }
}

TEST_F(NarrowLease, AFewElementsChangeForBothAlike) {
  oracles_->prepare({5, 2, 1}, poison_key, 3);
  oracles_->reveal();
  const std::vector<std::uint16_t> before = halves(0);
  refresh({5, 2, 1}, 4);
  const std::vector<std::uint16_t> after = halves(0);
  const std::vector<float> theirs = read(oracles_->tensors().at(0));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    changed += before[i] != after[i];
    ASSERT_EQ(decode(Dtype::float16, after[i]), theirs[i]) << i;
  }
  EXPECT_GE(changed, 1u);
  EXPECT_LE(changed, max_input_changes);
}

TEST_F(NarrowLease, OutputsAreFilledWithValuesOfTheirTypes) {
  for (const Dtype dtype : {Dtype::float16, Dtype::float8_e4m3fn, Dtype::float8_e8m0fnu, Dtype::int32}) {
    case_.tensors[1].own_dtype = dtype;
    lease_ = make({true, true});
    refresh({5, 2}, 2);
    const std::vector<float> filled = lease_->fill_outputs().front();
    const Values held = read_values(*device_, lease_->tensors().at(1));
    EXPECT_EQ(std::vector<float>(held.begin(), held.end()), filled) << to_string(dtype);
  }
}

TEST_F(NarrowLease, ACopyOfWhatTheOracleReadsIsWhatWouldBeDrawn) {
  std::map<std::size_t, std::vector<std::uint16_t>> drawn;
  for (const std::size_t tensor : {0, 2}) drawn[tensor] = halves(tensor);
  lease_->prepare({5, 2}, poison_key, 5, nullptr, oracles_.get());
  lease_->reveal();
  for (const auto& [tensor, values] : drawn) EXPECT_EQ(halves(tensor), values);
  EXPECT_EQ(inspect().input_elements, 0u);
}

// The oracle is ours, and its inputs are lent for reading.
TEST_F(NarrowLease, NobodyLooksAtTheOraclesInputsButAtWhatIsAroundThem) {
  const Lease::Loaned read = oracles_->tensors().at(0);
  flip(*read.buffer, read.begin);
  flip(*read.buffer, read.begin - 1);
  oracles_->begin_inspection();
  const Lease::Corruption found = oracles_->end_inspection().corruption;
  EXPECT_EQ(found.input_elements, 0u);
  EXPECT_EQ(found.guard_bytes, 1u);
}

TEST_F(NarrowLease, ScalarsOfTheElementTypeAreRoundedForBothAlike) {
  EXPECT_EQ(lease_->slots().slots.at(1).value, encode(Dtype::float16, 0.1f));
  EXPECT_EQ(oracles_->slots().slots.at(1).value, bits_of(rounded_to(Dtype::float16, 0.1f)));
}

TEST_F(NarrowLease, BuffersAreAsLargeAsTheirElements) {
  EXPECT_EQ(Lease::bytes_needed(case_, true) - Lease::bytes_needed(case_, false), 2110u * 2);
  EXPECT_EQ(lease_->tensors().at(0).begin % address_step, 0u);
  // The byte after the last element belongs to the guard zone.
  const Lease::Loaned output = lease_->tensors().at(1);
  EXPECT_EQ(inspect().guard_bytes, 0u);
  flip(*output.buffer, output.begin + 1010 * 2 - 1);
  EXPECT_EQ(inspect().guard_bytes, 0u);
  flip(*output.buffer, output.begin + 1010 * 2);
  EXPECT_EQ(inspect().guard_bytes, 1u);
}

TEST_F(NarrowLease, OutputsAreHeldAgainstWhatIsNotRounded) {
  const Lease::Loaned expected = oracles_->outputs().at(0);
  write(expected, std::vector<float>(1010, 1 + 1.0f / 4096));
  const Lease::Loaned actual = lease_->outputs().at(0);
  const std::vector<std::uint16_t> ones(1010, encode(Dtype::float16, 1));
  device_->write(*actual.buffer, actual.begin, ones.data(), ones.size() * 2);
  lease_->begin_inspection(oracles_.get());
  const ElementErrors errors = lease_->end_inspection().errors.at(0);
  EXPECT_EQ(errors.compared, 1010u);
  EXPECT_EQ(errors.sum_squared_difference, 0);
  EXPECT_EQ(device_->count_wrong(lease_->pair_with(*oracles_, 0), 0), 0u);
}

TEST_F(NarrowLease, WhatIsNeverWrittenIsCountedByElement) { EXPECT_EQ(lease_->unwritten_elements(0), 1010u); }

}  // namespace narrow_lease_test
}  // namespace kgrade::test
