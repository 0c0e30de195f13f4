#include "contest/lease.h"

#include <gtest/gtest.h>

#include <cstring>

#include "data/seed.h"
#include "device/element_operations.h"
#include "device/registry.h"

namespace kgrade {
namespace {

Parameter tensor(const std::string& name, bool is_const) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = "[VAR]";
  parameter.pointer = true;
  parameter.is_const = is_const;
  return parameter;
}

Parameter scalar(const std::string& name, const std::string& type) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = type;
  return parameter;
}

class LeaseTest : public testing::Test {
 protected:
  LeaseTest() {
    problem_.slug = "scale";
    problem_.parameters = {tensor("input", true), scalar("factor", "float"), scalar("shift", "double"),
                           scalar("n", "int"), tensor("output", false)};
    case_.name = "small";
    case_.integers["n"] = -3;
    case_.reals = {{"factor", 1.5}, {"shift", -2.25}};
    case_.tensors = {{"input", 0, false, {1000}, 1000, {ResolvedInit::Kind::uniform, 0, 1}},
                     {"output", 4, true, {10, 101}, 1010, {}}};
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, "unused");
    device_ = std::move(*device);
    auto lease = Lease::make(*device_, problem_, case_, 4);
    lease_ = std::move(*lease);
  }

  std::vector<float> read(std::size_t tensor, std::size_t count) {
    const Lease::Loaned loaned = lease_->tensors()[tensor];
    std::vector<float> values(count);
    device_->read(*loaned.buffer, loaned.begin, values.data(), count * 4);
    return values;
  }

  Problem problem_;
  Case case_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Lease> lease_;
};

TEST_F(LeaseTest, SlotsHoldOffsetsAndBitsInParameterOrder) {
  const CallSlots call = lease_->slots();
  ASSERT_EQ(call.slots.size(), 5u);
  EXPECT_TRUE(call.slots[0].tensor);
  EXPECT_EQ(call.slots[0].value, guard_bytes);
  float factor;
  std::memcpy(&factor, &call.slots[1].value, sizeof factor);
  EXPECT_EQ(factor, 1.5f);
  double shift;
  std::memcpy(&shift, &call.slots[2].value, sizeof shift);
  EXPECT_EQ(shift, -2.25);
  EXPECT_EQ(static_cast<std::int64_t>(call.slots[3].value), -3);
  EXPECT_TRUE(call.slots[4].tensor);
}

TEST_F(LeaseTest, EveryDrawGivesOtherInputsAndTheSameDrawTheSame) {
  lease_->refresh({1, 0}, 99, 1);
  const auto first = read(0, 1000);
  lease_->refresh({1, 1}, 99, 2);
  EXPECT_NE(read(0, 1000), first);
  lease_->refresh({1, 0}, 99, 3);
  EXPECT_EQ(read(0, 1000), first);
}

TEST_F(LeaseTest, EveryCallGivesOtherPoison) {
  lease_->refresh({1, 0}, 99, 1);
  const auto first = read(1, 1010);
  EXPECT_EQ(lease_->unwritten_elements(lease_->outputs()[0]), 1010u);
  lease_->refresh({1, 0}, 99, 2);
  const auto second = read(1, 1010);
  EXPECT_NE(std::memcmp(first.data(), second.data(), 1010 * 4), 0);
}

TEST_F(LeaseTest, UntouchedBuffersShowNoDamage) {
  lease_->refresh({1, 0}, 99, 1);
  const Lease::Damage damage = lease_->inspect();
  EXPECT_EQ(damage.guard_bytes, 0u);
  EXPECT_EQ(damage.input_elements, 0u);
}

TEST_F(LeaseTest, OneByteOnEitherSideOfATensorIsFound) {
  const Lease::Loaned output = lease_->outputs()[0];
  for (const std::uint64_t at : {output.begin - 1, output.begin + 1010 * 4}) {
    lease_->refresh({1, 0}, 99, 1);
    unsigned char before = 0;
    device_->read(*output.buffer, at, &before, 1);
    // Another stream's byte, one that differs.
    RandomStream stream{1, 0, 0};
    while (random_byte(device::poison_block(stream, at / 16), at) == before) stream.key += 1;
    device_->fill_random_bytes(*output.buffer, at, at + 1, stream);
    const Lease::Damage damage = lease_->inspect();
    EXPECT_EQ(damage.guard_bytes, 1u) << at;
    EXPECT_EQ(damage.guard_tensor, "output");
  }
}

TEST_F(LeaseTest, AChangedInputIsFound) {
  lease_->refresh({1, 0}, 99, 1);
  const Lease::Loaned input = lease_->tensors()[0];
  device_->fill_input(*input.buffer, input.begin + 400, 1, {Distribution::Kind::constant, 2, 0}, {});
  const Lease::Damage damage = lease_->inspect();
  EXPECT_EQ(damage.input_elements, 1u);
  EXPECT_EQ(damage.input_tensor, "input");
}

}  // namespace
}  // namespace kgrade
