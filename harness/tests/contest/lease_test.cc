// Where the tensors of a lease are, what surrounds them, and how they are lent.
#include "contest/lease.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "contest/contestant_runner.h"
#include "contest/tensor_values.h"
#include "lease_fixture.h"

namespace kgrade {
namespace lease_test {

using LeaseTest = test::LeaseFixture;

TEST_F(LeaseTest, SlotsHoldOffsetsAndBitsInParameterOrder) {
  const CallSlots call = lease_->slots();
  ASSERT_EQ(call.slots.size(), 6u);
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
  EXPECT_TRUE(call.slots[5].tensor);
}

TEST_F(LeaseTest, UntouchedBuffersShowNoDamage) {
  refresh({1, 0}, 1);
  const Lease::Corruption corruption = inspect();
  EXPECT_EQ(corruption.guard_bytes, 0u);
  EXPECT_EQ(corruption.guard_tensor, "");
  EXPECT_EQ(corruption.input_elements, 0u);
  EXPECT_EQ(corruption.input_tensor, "");
}

TEST_F(LeaseTest, OneByteOnEitherSideOfATensorIsFound) {
  for (const LeaseTerms terms : {LeaseTerms{}, LeaseTerms{true, true}}) {
    lease_ = make(terms);
    for (std::size_t tensor = 0; tensor < 3; ++tensor) {
      for (std::uint32_t side = 0; side < 4; ++side) {
        refresh({1, 0}, 4 * static_cast<std::uint32_t>(tensor) + side);
        const Lease::Loaned loaned = lease_->tensors()[tensor];
        const std::uint64_t at[] = {0, loaned.begin - 1, end_of(loaned), loaned.buffer->bytes() - 1};
        flip(*loaned.buffer, at[side]);
        const Lease::Corruption corruption = inspect();
        EXPECT_EQ(corruption.guard_bytes, 1u) << at[side];
        EXPECT_EQ(corruption.guard_tensor, loaned.tensor->name);
        EXPECT_EQ(corruption.input_elements, 0u);
      }
    }
  }
}

TEST_F(LeaseTest, DamageIsAddedUpAndNamesItsFirstTensor) {
  refresh({1, 0}, 1);
  const auto tensors = lease_->tensors();
  flip(*tensors[1].buffer, 0);
  flip(*tensors[2].buffer, 0);
  flip(*tensors[2].buffer, 1);
  write(tensors[0], {2, 2, 2});  // the inputs are below 1
  flip(*tensors[2].buffer, tensors[2].begin);
  const Lease::Corruption corruption = inspect();
  EXPECT_EQ(corruption.guard_bytes, 3u);
  EXPECT_EQ(corruption.guard_tensor, "output");
  EXPECT_EQ(corruption.input_elements, 4u);
  EXPECT_EQ(corruption.input_tensor, "input");
}

TEST_F(LeaseTest, TheContentsOfAnOutputAreNoDamage) {
  refresh({1, 0}, 1);
  write(lease_->tensors()[1], std::vector<float>(1010, 1));
  EXPECT_EQ(inspect().guard_bytes, 0u);
  EXPECT_EQ(inspect().input_elements, 0u);
}

TEST_F(LeaseTest, TensorsThatMoveLieElsewhereInEveryCallWithGuardZonesAround) {
  lease_ = make({true, false});
  std::vector<std::set<std::uint64_t>> places(3);
  for (std::uint32_t call = 1; call <= 50; ++call) {
    refresh({1, 0}, call);
    const auto tensors = lease_->tensors();
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(tensors[i].begin % address_step, 0u);
      ASSERT_GE(tensors[i].begin, guard_bytes);
      ASSERT_LE(end_of(tensors[i]) + guard_bytes, tensors[i].buffer->bytes());
      ASSERT_LE(tensors[i].begin, guard_bytes + device_->room_to_move());
      places[i].insert(tensors[i].begin);
    }
    EXPECT_EQ(inspect().guard_bytes, 0u);
    EXPECT_EQ(inspect().input_elements, 0u);
  }
  // Fifty draws of 256 places each.
  for (const auto& of_tensor : places) EXPECT_GT(of_tensor.size(), 30u);
  EXPECT_NE(places[0], places[1]);
}

TEST_F(LeaseTest, PlacesAreSecretAndTheCallsToldThem) {
  lease_ = make({true, false});
  const auto places = [this](std::uint64_t key, std::uint32_t call) {
    lease_->prepare({1, 0}, key, call);
    std::vector<std::uint64_t> begins;
    for (const Lease::Loaned& loaned : lease_->tensors()) begins.push_back(loaned.begin);
    const CallSlots slots = lease_->slots();
    EXPECT_EQ(begins, (std::vector{slots.slots[0].value, slots.slots[4].value, slots.slots[5].value}));
    return begins;
  };
  const auto first = places(poison_key, 1);
  EXPECT_NE(places(poison_key, 2), first);
  EXPECT_NE(places(poison_key + 1, 1), first) << "only the key tells where";
  EXPECT_EQ(places(poison_key, 1), first);
}

TEST_F(LeaseTest, PoisonMayGoAheadOfTheInputs) {
  refresh({1, 0}, 1);
  write(lease_->tensors()[1], std::vector<float>(1010, 0));
  lease_->prepare({1, 1}, poison_key, 2);
  EXPECT_EQ(read(1), std::vector<float>(1010, 0)) << "nothing is done yet";
  lease_->poison();
  for (const float value : read(1)) ASSERT_FALSE(std::abs(value) < 3e19f);
  // Existing contents stay.
  write(lease_->tensors()[1], std::vector<float>(10, 0));
  lease_->reveal();
  EXPECT_EQ(lease_->unwritten_elements(0), 1000u);
  EXPECT_EQ(inspect().guard_bytes, 0u);
  EXPECT_EQ(inspect().input_elements, 0u);
}

TEST_F(LeaseTest, AnInspectionComparesTheOutputsTooWhereItIsTold) {
  const auto expected = std::move(lease_);
  write(expected->outputs()[0], std::vector<float>(1010, 1));
  lease_ = make({true, true});
  refresh({1, 0}, 1);
  write(lease_->outputs()[0], std::vector<float>(1010, 1));
  write(lease_->outputs()[0], {4});
  flip(*lease_->tensors()[0].buffer, 0);
  lease_->begin_inspection(expected.get());
  const Lease::Findings findings = lease_->end_inspection();
  EXPECT_EQ(findings.corruption.guard_bytes, 1u);
  ASSERT_EQ(findings.errors.size(), 1u);
  EXPECT_EQ(findings.errors[0].compared, 1010u);
  EXPECT_EQ(findings.errors[0].sum_squared_difference, 9);
  lease_->begin_inspection();
  EXPECT_TRUE(lease_->end_inspection().errors.empty());
}

TEST_F(LeaseTest, ContentsDoNotDependOnThePlace) {
  refresh({1, 0}, 1);
  const auto input = read(0);
  const auto weights = read(2);
  lease_ = make({true, true});
  for (std::uint32_t call = 1; call < 5; ++call) {
    refresh({1, 0}, call);
    EXPECT_EQ(read(0), input);
    EXPECT_EQ(read(2), weights);
  }
}

TEST_F(LeaseTest, TensorsThatDoNotMoveStay) {
  for (std::uint32_t call = 1; call < 5; ++call) {
    refresh({1, 0}, call);
    for (const Lease::Loaned& loaned : lease_->tensors()) EXPECT_EQ(loaned.begin, guard_bytes);
  }
}

TEST_F(LeaseTest, WithoutCapturesAnOutputIsWhatItsTensorHolds) {
  const Lease::Loaned output = lease_->outputs().at(0);
  EXPECT_EQ(output.buffer, lease_->tensors()[1].buffer);
  EXPECT_EQ(output.begin, lease_->tensors()[1].begin);
  EXPECT_EQ(lease_->outputs().size(), 1u);
}

TEST_F(LeaseTest, CapturedOutputsCountAndNotWhatTheTensorHoldsLater) {
  const auto expected = std::move(lease_);
  write(expected->outputs()[0], std::vector<float>(1010, 1));
  lease_ = make({true, true});
  refresh({1, 0}, 2);
  const Lease::Loaned captured = lease_->outputs().at(0);
  const Lease::Loaned tensor = lease_->tensors()[1];
  EXPECT_EQ(captured.tensor->name, "output");
  EXPECT_NE(captured.buffer, tensor.buffer);
  write(captured, std::vector<float>(1010, 1));
  write(tensor, std::vector<float>(1010, 7));
  auto outputs = compare_outputs(*lease_, *expected);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].tensor, "output");
  EXPECT_EQ(outputs[0].shape, (std::vector<std::int64_t>{10, 101}));
  EXPECT_EQ(outputs[0].errors.compared, 1010u);
  EXPECT_EQ(outputs[0].errors.sum_squared_difference, 0);
  write(captured, {3});
  outputs = compare_outputs(*lease_, *expected);
  EXPECT_EQ(outputs[0].errors.sum_squared_difference, 4);
}

TEST_F(LeaseTest, NothingIsCapturedOfTheCallBefore) {
  lease_ = make({true, true});
  refresh({1, 0}, 1);
  write(lease_->outputs()[0], std::vector<float>(1010, 1));
  refresh({1, 1}, 2);
  for (const float value : read(lease_->outputs()[0])) ASSERT_FALSE(std::abs(value) < 3e19f);
}

TEST_F(LeaseTest, UnwrittenElementsAreThoseOfTheTensor) {
  for (const LeaseTerms terms : {LeaseTerms{}, LeaseTerms{true, true}}) {
    lease_ = make(terms);
    refresh({1, 0}, 1);
    EXPECT_EQ(lease_->unwritten_elements(0), 1010u);
    write(lease_->tensors()[1], std::vector<float>(10, 0));
    EXPECT_EQ(lease_->unwritten_elements(0), 1000u);
  }
}

// The request to a worker when a lease is lent to it.
std::vector<Request> requests_of(Lease& lease, bool inputs_writable) {
  auto [ours, theirs] = Connection::make_pair();
  std::vector<Request> requests;
  std::thread answering([&requests, connection = std::move(theirs)]() mutable {
    while (const auto next = connection.next_request()) {
      requests.push_back(next->first);
      Reply reply;
      reply.sequence = next->first.sequence;
      connection.send(reply);
    }
  });
  const auto worker = WorkerProcess::over(std::move(ours));
  EXPECT_TRUE(lease.lend_to(*worker, inputs_writable, std::chrono::milliseconds(60'000)).ok());
  worker->dismiss({});
  answering.join();
  return requests;
}

TEST_F(LeaseTest, OnlyOutputsAreLentForWriting) {
  const auto requests = requests_of(*lease_, false);
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[0].type, RequestType::give_back) << "what was lent before goes first";
  const std::uint32_t parameters[] = {0, 4, 5};
  for (std::size_t i = 0; i < 3; ++i) {
    const Request& request = requests[i + 1];
    const bool output = case_.tensors[i].output;
    EXPECT_EQ(request.type, RequestType::lend);
    EXPECT_EQ(request.loan.parameter, parameters[i]);
    EXPECT_EQ(request.loan.writable, output ? 1u : 0u);
    EXPECT_EQ(request.loan.holds_data, output ? 0u : 1u);
    EXPECT_EQ(request.loan.captures, 0u);
    EXPECT_EQ(request.loan.bytes, lease_->tensors()[i].buffer->bytes());
    EXPECT_EQ(request.loan.begin, guard_bytes);
    EXPECT_EQ(request.loan.length, 4 * static_cast<std::uint64_t>(case_.tensors[i].elements));
  }
}

TEST_F(LeaseTest, InputsCanBeLentForWritingToo) {
  for (const Request& request : requests_of(*lease_, true)) {
    if (request.type == RequestType::lend) {
      EXPECT_EQ(request.loan.writable, 1u);
    }
  }
}

TEST_F(LeaseTest, ACaptureIsLentBesideItsOutput) {
  lease_ = make({true, true});
  const auto requests = requests_of(*lease_, false);
  ASSERT_EQ(requests.size(), 5u);
  EXPECT_EQ(requests[2].loan.parameter, 4u);
  EXPECT_EQ(requests[2].loan.captures, 0u);
  const Loan& capture = requests[3].loan;
  EXPECT_EQ(capture.parameter, 4u);
  EXPECT_EQ(capture.captures, 1u);
  EXPECT_EQ(capture.writable, 1u);
  EXPECT_EQ(capture.holds_data, 0u);
  EXPECT_EQ(capture.begin, 0u);
  EXPECT_EQ(capture.length, 4040u);
  EXPECT_EQ(capture.bytes, lease_->outputs()[0].buffer->bytes());
}

// Leases of a case with float16 elements: a contestant's, and the oracle's, which widens them.
class NarrowLease : public test::LeaseFixture {
 protected:
  NarrowLease() {
    problem_.parameters[1] = test::scalar_parameter("factor", "[VAR]");
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

}  // namespace lease_test
}  // namespace kgrade
