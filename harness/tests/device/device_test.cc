// What all devices must do alike, compared with plain arithmetic on the host: run on the emulated device, and
// on the first GPU if there is one.
#include "device/device.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "device/element_errors.h"
#include "tests/device/every_device.h"

namespace kgrade::device_test {

// Bits count, of what is no number too.
TEST_P(EveryDevice, CopiesInputsThatAreNoDrawsAndSeesWhatChanges) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1.5f, -0.0f, inf, -inf, std::nanf("5"), 1e-42f, 3.4e38f};
  const auto source = buffer(128);
  const auto memory = buffer(8192);
  write(*source, 0, values);
  for (const std::uint64_t begin : {0, 4096, 4100}) {
    Filling filling = input_in(*memory, begin, values.size(), {Kind::uniform, 0, 1});
    filling.source = source.get();
    poison(filling);
    reveal(filling);
    const auto copied = read<std::uint32_t>(*memory, begin, values.size());
    EXPECT_EQ(copied, read<std::uint32_t>(*source, 0, values.size()));
    EXPECT_EQ(corruption_of(filling).input_elements + corruption_of(filling).guard_bytes, 0u);
    flip(*memory, begin + 1);
    flip(*memory, filling.end() - 1);
    EXPECT_EQ(corruption_of(filling).input_elements, 2u);
    EXPECT_EQ(corruption_of(filling).guard_bytes, 0u);
    // Another draw has other sources.
    reveal(filling);
    const float other = 2;
    device_->write(*source, 4, &other, sizeof other);
    EXPECT_EQ(corruption_of(filling).input_elements, 1u);
    // From another place on, which 16 bytes at once cannot be read from.
    write(*source, 68, values);
    filling.source_begin = 68;
    reveal(filling);
    EXPECT_EQ(read<std::uint32_t>(*memory, begin, values.size()), copied);
    write(*source, 0, values);
  }
}

TEST_P(EveryDevice, RoundsBuffersUpAndSharesThem) {
  const auto memory = buffer(5000);
  EXPECT_GE(memory->bytes(), 5000u);
  EXPECT_GE(memory->descriptor(), 0);
}

TEST_P(EveryDevice, WhatIsWrittenIsWhatIsReadAndNothingElse) {
  const auto memory = buffer(4096);
  poison(output_in(*memory, 0, 1024));
  auto expected = read<unsigned char>(*memory, 0, 4096);
  write<unsigned char>(*memory, 21, {1, 2, 3});
  for (unsigned char i = 0; i < 3; ++i) expected[21u + i] = static_cast<unsigned char>(i + 1);
  EXPECT_EQ(read<unsigned char>(*memory, 0, 4096), expected);
}

TEST_P(EveryDevice, OpensItsGateWhenTheInputsAreThere) {
  const auto gate = device_->make_gate();
  if (!device_->gates_calls()) {
    EXPECT_EQ(gate, nullptr);
    return;
  }
  ASSERT_NE(gate, nullptr);
  void* const page = ::mmap(nullptr, gate_bytes, PROT_READ, MAP_SHARED, gate->descriptor(), 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto input = buffer(8192);
  const Filling filling = input_in(*input, 4096, 100, {Kind::uniform, 0, 1});
  device_->reveal({&filling, 1}, {gate.get(), 7});
  device_->inspect({});  // the device has come that far
  EXPECT_EQ(static_cast<volatile GateWord*>(page)->number, 7u);
  ::munmap(page, gate_bytes);
}

TEST_P(EveryDevice, SaysOfEachBufferWhatChangedInIt) {
  const auto input = buffer(8192);
  const auto output = buffer(8192);
  const auto untouched = buffer(8192);
  const std::vector<Filling> fillings = {input_in(*input, 4096, 100, {Kind::uniform, 0, 1}),
                                         output_in(*output, 4096, 100), output_in(*untouched, 4096, 100)};
  const auto before = std::chrono::steady_clock::now();
  device_->poison(fillings);
  device_->reveal(fillings);
  for (const std::uint64_t element : {0, 50, 99}) flip(*input, 4096 + 4 * element);
  flip(*input, 4095);
  for (const std::uint64_t at : {0, 1}) flip(*output, at);
  const Inspection inspection = device_->inspect(fillings);
  EXPECT_GE(inspection.since_reveal.count(), 0);
  EXPECT_LE(inspection.since_reveal, std::chrono::steady_clock::now() - before);
  ASSERT_EQ(inspection.corruption.size(), 3u);
  EXPECT_EQ(inspection.corruption[0].guard_bytes, 1u);
  EXPECT_EQ(inspection.corruption[0].input_elements, 3u);
  EXPECT_EQ(inspection.corruption[1].guard_bytes, 2u);
  EXPECT_EQ(inspection.corruption[1].input_elements, 0u);
  EXPECT_EQ(inspection.corruption[2].guard_bytes, 0u);
  EXPECT_EQ(inspection.corruption[2].input_elements, 0u);
}

// A call's outputs are looked at in one step, or in two.
TEST_P(EveryDevice, InspectsFillingsAndComparesOutputsTogether) {
  const auto input = buffer(8192);
  const auto output = buffer(8192);
  const auto expected = buffer(4096);
  const std::vector<Filling> fillings = {input_in(*input, 4096, 100, {Kind::uniform, 0, 1}),
                                         output_in(*output, 4096, 3)};
  device_->poison(fillings);
  device_->reveal(fillings);
  write(*output, 4096, std::vector<float>{1, 2, 3});
  write(*expected, 256, std::vector<float>{1, 2, 5});
  flip(*input, 4096);
  flip(*output, 4095);
  const std::vector<OutputPair> outputs = {{output.get(), 4096, expected.get(), 256, 3},
                                           {output.get(), 4096, expected.get(), 256, 2}};
  device_->begin_inspection(fillings, outputs);
  const Inspection inspection = device_->end_inspection();
  ASSERT_EQ(inspection.corruption.size(), 2u);
  EXPECT_EQ(inspection.corruption[0].input_elements, 1u);
  EXPECT_EQ(inspection.corruption[1].guard_bytes, 1u);
  ASSERT_EQ(inspection.errors.size(), 2u);
  EXPECT_EQ(inspection.errors[0].sum_squared_difference, 4);
  EXPECT_EQ(inspection.errors[0].worst_index, 2u);
  EXPECT_EQ(inspection.errors[1].compared, 2u);
  EXPECT_EQ(inspection.errors[1].sum_squared_difference, 0);
}

TEST_P(EveryDevice, NothingIsLeftOfTheInspectionBefore) {
  const auto memory = buffer(8192);
  const Filling filling = output_in(*memory, 4096, 100);
  poison(filling);
  flip(*memory, 0);
  EXPECT_EQ(corruption_of(filling).guard_bytes, 1u);
  flip(*memory, 0);
  EXPECT_EQ(corruption_of(filling).guard_bytes, 0u);
  EXPECT_TRUE(device_->inspect({&filling, 1}).errors.empty());
}

// Record and replay rest on this: the same bits from CPU and GPU, for every distribution.
TEST_P(EveryDevice, DrawsTheSameBitsAsTheHost) {
  const std::uint64_t elements = 100'003;
  const auto memory = buffer(elements * 4 + 64);
  for (const Distribution& distribution : distributions) {
    const Filling filling = input_in(*memory, 64, elements, distribution);
    poison(filling);
    reveal(filling);
    const std::vector<float> expected = drawn_by_host(filling);
    const auto drawn = read<float>(*memory, 64, elements);
    for (std::uint64_t i = 0; i < elements; ++i) {
      ASSERT_EQ(bits_of(drawn[i]), bits_of(expected[i]))
          << "element " << i << " of distribution " << static_cast<int>(distribution.kind);
    }
    EXPECT_EQ(corruption_of(filling).input_elements, 0u);
  }
}

TEST_P(EveryDevice, DrawsAFewOtherElementsWhereItIsToldTo) {
  const std::uint64_t elements = 1003;
  const auto memory = buffer(elements * 4);
  for (const Distribution& distribution : distributions) {
    Filling filling = input_in(*memory, 0, elements, distribution);
    InputChanges& changes = filling.contents.changes;
    changes = draw_changes(distribution, stream, elements, other_stream);
    // Including the ends of the tensor.
    ASSERT_GE(changes.count, 2u);
    changes.position[0] = 0;
    changes.position[1] = elements - 1;
    poison(filling);
    reveal(filling);
    EXPECT_EQ(read<float>(*memory, 0, elements), drawn_by_host(filling));
    EXPECT_EQ(corruption_of(filling).input_elements, 0u);
  }
}

TEST_P(EveryDevice, CountsInputElementsThatChanged) {
  const auto memory = buffer(8192);
  for (const std::uint64_t begin : {0, 4096, 4100}) {
    const Filling filling = input_in(*memory, begin, 1003, {Kind::uniform, 0, 1});
    poison(filling);
    reveal(filling);
    flip(*memory, begin + 42);  // one byte of element 10
    EXPECT_EQ(corruption_of(filling).input_elements, 1u);
    flip(*memory, begin + 41);  // another one of it
    EXPECT_EQ(corruption_of(filling).input_elements, 1u);
    flip(*memory, begin);
    flip(*memory, filling.end() - 1);
    EXPECT_EQ(corruption_of(filling).input_elements, 3u);
    EXPECT_EQ(corruption_of(filling).guard_bytes, 0u);
  }
}

// A GPU moves aligned blocks of elements at once, and others one by one.
TEST_P(EveryDevice, DrawsTheSameBitsWhereverATensorBegins) {
  const auto memory = buffer(16384);
  for (const Dtype dtype : {Dtype::int8, Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::int64}) {
    const std::uint64_t bytes = element_bytes(dtype);
    std::vector<unsigned char> aligned;
    for (const std::uint64_t begin :
         {std::uint64_t{4096}, 4096 + bytes, 4096 + 2 * bytes, 4096 + 3 * bytes}) {
      Filling filling = input_in(*memory, begin, 1001, {Kind::integers, 0, 100, dtype});
      filling.dtype = dtype;
      poison(filling);
      reveal(filling);
      const auto drawn = read<unsigned char>(*memory, begin, 1001 * bytes);
      if (aligned.empty()) aligned = drawn;
      EXPECT_EQ(drawn, aligned) << to_string(dtype) << " at " << begin;
      EXPECT_EQ(corruption_of(filling).input_elements + corruption_of(filling).guard_bytes, 0u);
      flip(*memory, begin);
      flip(*memory, begin + 500 * bytes);
      flip(*memory, filling.end() - 1);
      EXPECT_EQ(corruption_of(filling).input_elements, 3u) << to_string(dtype) << " at " << begin;
    }
  }
}

// Zero and minus zero are equal, but they are different contents.
TEST_P(EveryDevice, CountsASignThatChanged) {
  const auto memory = buffer(4096);
  const Filling filling = constants_in(*memory, 100, 0);
  poison(filling);
  reveal(filling);
  write(*memory, 40, std::vector<float>{-0.0f});
  EXPECT_EQ(corruption_of(filling).input_elements, 1u);
}

// Undoing a change restores the contents of the call before.
TEST_P(EveryDevice, AnElementThatIsSetBackToWhatItWasHasChanged) {
  const std::uint64_t elements = 1003;
  const Distribution distribution{Kind::uniform, 0, 1};
  const auto memory = buffer(elements * 4);
  Filling filling = input_in(*memory, 0, elements, distribution);
  InputChanges& changes = filling.contents.changes;
  changes = draw_changes(distribution, stream, elements, other_stream);
  ASSERT_EQ(changes.count, max_input_changes);
  poison(filling);
  reveal(filling);
  for (unsigned int k = 0; k < changes.count; ++k) {
    write(*memory, 4 * changes.position[k],
          std::vector<float>{stream_value(distribution, changes.position[k])});
    EXPECT_EQ(corruption_of(filling).input_elements, k + 1);
  }
}

TEST_P(EveryDevice, ComparesInFull) {
  const std::uint64_t elements = 1'000'001;
  const auto actual = buffer(elements * 4);
  const auto expected = buffer(elements * 4);
  const std::vector<Filling> twos = {constants_in(*actual, elements, 2),
                                     constants_in(*expected, elements, 2)};
  device_->reveal(twos);
  const OutputPair pair{actual.get(), 0, expected.get(), 0, elements};
  ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.sum_squared_difference, 0);
  EXPECT_EQ(errors.sum_squared_expected, 4.0 * 1'000'001);
  EXPECT_EQ(errors.compared, elements);
  // The very last element, and one in the middle by more.
  write(*actual, 4 * (elements - 1), std::vector<float>{2.5f});
  write(*actual, 4 * 123'456, std::vector<float>{4});
  errors = device_->compare(pair);
  EXPECT_EQ(errors.sum_squared_difference, 4.25);
  EXPECT_EQ(errors.max_abs_difference, 2);
  EXPECT_EQ(errors.worst_index, 123'456u);
  // In units of the element's size.
  EXPECT_EQ(device_->count_wrong(pair, 0.5), 1u);
  EXPECT_EQ(device_->count_wrong(pair, 0.2), 2u);
}

TEST_P(EveryDevice, ComparesFromWhereTheTensorsBegin) {
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  write(*actual, 256, std::vector<float>{9, 1, 2, 3, 9});
  write(*expected, 1028, std::vector<float>{8, 1, 2, 4, 8});
  OutputPair pair{actual.get(), 260, expected.get(), 1032, 3};
  const ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.compared, 3u);
  EXPECT_EQ(errors.sum_squared_difference, 1);
  EXPECT_EQ(errors.worst_index, 2u);
  EXPECT_EQ(device_->count_wrong(pair, 0.2), 1u);
  pair.magnitudes.rms = 10;
  EXPECT_EQ(device_->count_wrong(pair, 0.2), 0u) << "in units of what the others are";
}

TEST_P(EveryDevice, NotesTheWorstElementInUnitsOfItsSlice) {
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  // Three slices of 2 elements in 2 rows: large, small, zero.
  write(*actual, 0, std::vector<float>{1000, 2000, 1.5f, 1, 3, 0, 1008, 2000, 1, 1, 0, 0});
  write(*expected, 0, std::vector<float>{1000, 2000, 1, 1, 0, 0, 1000, 2000, 1, 1, 0, 0});
  OutputPair pair{actual.get(), 0, expected.get(), 0, 12};
  EXPECT_EQ(device_->compare(pair).max_difference_in_slice, 0) << "there are no slices";
  pair.magnitudes.rms = 1000;
  pair.magnitudes.slices = {3, 2, {1600, 1}};
  const ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.worst_index, 6u);
  EXPECT_EQ(errors.max_difference_in_slice, 0.5);
  EXPECT_EQ(errors.worst_index_in_slice, 2u);
}

TEST_P(EveryDevice, SumsUpWhatVariesAndTheSmallerOnesSeparately) {
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  write(*actual, 0, std::vector<float>{1, 2, 0, 100});
  write(*expected, 0, std::vector<float>{2, 2, 0, 101});
  OutputPair pair{actual.get(), 0, expected.get(), 0, 4};
  pair.magnitudes.smaller_limit = 4;
  pair.magnitudes.common_count = 1;  // zero
  const ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.compared, 4u);
  EXPECT_EQ(errors.varying.elements, 3u);
  EXPECT_EQ(errors.varying.squared_difference, 2);
  EXPECT_EQ(errors.smaller.elements, 2u);
  EXPECT_EQ(errors.smaller.squared_expected, 8);
  EXPECT_EQ(errors.smaller.squared_difference, 1);
  EXPECT_EQ(errors.lost, 1u);
  pair.magnitudes.smaller_limit = 0x1p22;
  EXPECT_EQ(device_->compare(pair).lost, 0u) << "1 may be a rounding error";
}

TEST_P(EveryDevice, SumsUpTheErrorsOfCommonValuesInTheirOwnUnits) {
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  write(*actual, 0, std::vector<float>{5, 1000, 50, 1, 0});
  write(*expected, 0, std::vector<float>{4, 1000, 0, 2, 1000});
  OutputPair pair{actual.get(), 0, expected.get(), 0, 5};
  pair.magnitudes = {.smaller_limit = 128, .rms = 100, .common_count = 3, .common = {4, 0, 2}};
  EXPECT_DOUBLE_EQ(device_->compare(pair).common, 0.01 + 0.5 + 0.01) << "in units of what the others are";
  pair.magnitudes.fixed_count = 2;  // 4 and 0
  EXPECT_DOUBLE_EQ(device_->compare(pair).common, 0.25 + 0.5 + 0.01);
  pair.magnitudes.common[2] = 1000;
  pair.magnitudes.fixed_count = 3;
  EXPECT_DOUBLE_EQ(device_->compare(pair).common, 0.25 + 0.5 + 1);
  EXPECT_EQ(device_->count_wrong(pair, 0.2), 3u);
  pair.magnitudes.smaller_limit = 0x1p22;
  EXPECT_DOUBLE_EQ(device_->compare(pair).common, 0.01 + 0.5 + 1) << "1 may be a rounding error";
}

TEST_P(EveryDevice, SamplesElementsFromAllOverATensor) {
  const std::uint64_t elements = 1'000'001;
  const auto large = buffer(elements * 4);
  std::vector<float> numbers(elements);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  write(*large, 0, numbers);
  const std::vector<double> sample = device_->sample(*large, 0, elements, Dtype::float32);
  ASSERT_EQ(sample.size(), device::most_sampled);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_LT(sample.front(), 16);
  EXPECT_GT(sample.back(), 999'980);
  EXPECT_EQ(device_->sample(*large, 8, 3, Dtype::float32), (std::vector<double>{2, 3, 4}));
}

TEST_P(EveryDevice, TellsNonFiniteValuesApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> ours = {nan, inf, nan, inf, 1, inf, nan, -inf};
  const std::vector<float> theirs = {1, 1, inf, -inf, nan, inf, nan, -inf};
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  write(*actual, 0, ours);
  write(*expected, 0, theirs);
  const OutputPair pair{actual.get(), 0, expected.get(), 0, ours.size()};
  const ElementErrors errors = device_->compare(pair);
  EXPECT_EQ(errors.nonfinite_mismatches, 5u);
  EXPECT_EQ(errors.first_nonfinite_mismatch, 0u);
  EXPECT_EQ(device_->count_wrong(pair, 1e30), 5u);
}

TEST_P(EveryDevice, JudgesElementsByTheRuleOfASetAsTorchDoes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto actual = buffer(4096);
  const auto expected = buffer(4096);
  const auto judged = [&](const std::vector<float>& ours, const std::vector<float>& theirs,
                          const SetRule& rule) {
    write(*actual, 260, ours);
    write(*expected, 520, theirs);
    return device_->count_by_rule({actual.get(), 260, expected.get(), 520, ours.size()}, rule);
  };
  const RuleCount finite = judged({100, 103, -100, -97, 0.5f, 0}, {100, 100, -100, -100, 0, 0}, {1, 0.0125});
  EXPECT_EQ(finite.elements, 6u);
  EXPECT_EQ(finite.failed, 2u) << "up to 2.25 where 100 is expected, up to 1 where 0 is";
  EXPECT_EQ(finite.largest_error, 3);
  EXPECT_EQ(judged({2}, {1}, {0.5, 0.5}).failed, 0u) << "the bound itself is within";
  EXPECT_EQ(judged({1}, {2}, {0, 0.5}).failed, 0u) << "of the expected value";
  EXPECT_EQ(judged({2}, {1}, {0, 0.5}).failed, 1u);
  SetRule either = {1, 0.0125};
  EXPECT_EQ(judged({102, 2}, {100, 0.5f}, either).failed, 1u) << "the limits are 2.25 and 1.00625";
  either.either = true;
  EXPECT_EQ(judged({102, 2}, {100, 0.5f}, either).failed, 2u) << "the limits are 1.25 and 1";
  EXPECT_EQ(judged({101.25f, 1.5f}, {100, 0.5f}, either).failed, 0u);
  const RuleCount equal = judged({inf, -inf}, {inf, -inf}, {0, 0});
  EXPECT_EQ(equal.failed, 0u);
  EXPECT_EQ(equal.largest_error, 0);
  const RuleCount other = judged({inf, 1, nan, 1, nan}, {1, inf, 1, nan, nan}, {1e30, 1e30});
  EXPECT_EQ(other.failed, 5u);
  EXPECT_EQ(other.largest_error, inf);
}

TEST_P(EveryDevice, FindsTheLargestErrorAllOverATensor) {
  const std::uint64_t elements = 1'000'001;
  const auto actual = buffer(elements * 4);
  const auto expected = buffer(elements * 4);
  device_->reveal(
      std::vector<Filling>{constants_in(*actual, elements, 2), constants_in(*expected, elements, 2)});
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{777'777}, elements - 1}) {
    write(*actual, 4 * at, std::vector<float>{2.5f});
    const RuleCount count = device_->count_by_rule({actual.get(), 0, expected.get(), 0, elements}, {0.25, 0});
    EXPECT_EQ(count.failed, 1u);
    EXPECT_EQ(count.largest_error, 0.5);
    write(*actual, 4 * at, std::vector<float>{2});
  }
}

TEST_P(EveryDevice, IsHealthyAndStaysSo) {
  for (int i = 0; i < 2; ++i) {
    const auto error = device_->prove_healthy();
    EXPECT_FALSE(error) << to_string(*error);
  }
}

TEST_P(EveryDevice, HasRoomForTensorsToMove) { EXPECT_GE(device_->room_to_move(), 64u << 10); }

TEST_P(EveryDevice, RefusesWhatDoesNotFit) {
  const auto result = device_->allocate(std::uint64_t{1} << 50);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().remedy, "");
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryDevice, testing::ValuesIn(devices_here()), [](const auto& test) {
  return test.param.kind == DeviceChoice::Kind::cuda ? "cuda" : "emulated";
});

TEST(DeviceChoice, ParsesWhatTheCommandLineOffers) {
  EXPECT_EQ(parse_device_choice("auto")->kind, DeviceChoice::Kind::automatic);
  EXPECT_EQ(parse_device_choice("emulated")->kind, DeviceChoice::Kind::emulated);
  EXPECT_EQ(parse_device_choice("cuda")->ordinal, 0);
  EXPECT_EQ(parse_device_choice("cuda:3")->ordinal, 3);
  for (const char* bad : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999"}) {
    EXPECT_FALSE(parse_device_choice(bad).ok()) << bad;
  }
}

}  // namespace kgrade::device_test
