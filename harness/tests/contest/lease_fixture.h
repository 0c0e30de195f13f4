// Leases on the emulated device with two inputs, an output between them, and scalars.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "contest/lease.h"
#include "device/registry.h"
#include "sample_problem.h"

namespace kgrade::test {

class LeaseFixture : public testing::Test {
 protected:
  static constexpr std::uint64_t poison_key = 99;

  LeaseFixture() {
    problem_.slug = "scale";
    problem_.parameters = {tensor_parameter("input", true),     scalar_parameter("factor", "float"),
                           scalar_parameter("shift", "double"), scalar_parameter("n", "int"),
                           tensor_parameter("output", false),   tensor_parameter("weights", true)};
    case_.name = "small";
    case_.integers["n"] = -3;
    case_.reals = {{"factor", 1.5}, {"shift", -2.25}};
    case_.tensors = {{"input", 0, false, {1000}, 1000, {ResolvedInit::Kind::uniform, 0, 1}},
                     {"output", 4, true, {10, 101}, 1010, {}},
                     {"weights", 5, false, {100}, 100, {ResolvedInit::Kind::normal, 0, 1}}};
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, "unused");
    device_ = std::move(*device);
    lease_ = make({});
  }

  std::unique_ptr<Lease> make(LeaseTerms terms) {
    auto lease = Lease::make(*device_, problem_, case_, terms);
    EXPECT_TRUE(lease.ok());
    return std::move(*lease);
  }

  // As a call finds it.
  void refresh(const Draw& draw, std::uint32_t call) {
    lease_->prepare(draw, poison_key, call);
    lease_->reveal();
  }

  Lease::Corruption inspect() {
    lease_->begin_inspection();
    return lease_->end_inspection().corruption;
  }

  std::vector<float> read(const Lease::Loaned& loaned) {
    std::vector<float> values(static_cast<std::size_t>(loaned.tensor->elements));
    device_->read(*loaned.buffer, loaned.begin, values.data(), values.size() * sizeof(float));
    return values;
  }
  std::vector<float> read(std::size_t tensor) { return read(lease_->tensors().at(tensor)); }

  void write(const Lease::Loaned& loaned, std::vector<float> values) {
    device_->write(*loaned.buffer, loaned.begin, values.data(), values.size() * sizeof(float));
  }

  // Changes every bit of one byte.
  void flip(SharedBuffer& buffer, std::uint64_t at) {
    unsigned char byte = 0;
    device_->read(buffer, at, &byte, 1);
    byte = static_cast<unsigned char>(~byte);
    device_->write(buffer, at, &byte, 1);
  }

  static std::uint64_t end_of(const Lease::Loaned& loaned) {
    return loaned.begin + static_cast<std::uint64_t>(loaned.tensor->elements) * sizeof(float);
  }

  Problem problem_;
  Case case_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Lease> lease_;
};

}  // namespace kgrade::test
