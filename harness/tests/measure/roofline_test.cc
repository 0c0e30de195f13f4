#include "measure/roofline.h"

#include <gtest/gtest.h>

#include <limits>

namespace kgrade::roofline_test {

// 4 TB/s; the others in TFLOP/s.
Ceilings known_ceilings() {
  Ceilings rates;
  rates.copy_bytes_per_second = 4e12;
  rates.fp32_flops_per_second = 60e12;
  rates.tf32_flops_per_second = 390e12;
  rates.fp16_flops_per_second = 800e12;
  rates.bf16_flops_per_second = 780e12;
  rates.fp64_flops_per_second = 65e12;
  return rates;
}

DeviceInfo device() {
  DeviceInfo info;
  info.peak_bytes_per_second = 5e12;
  info.peak_flops_per_second = 4e15;
  return info;
}

Tensor tensor(std::int64_t elements, bool output) {
  Tensor tensor;
  tensor.elements = elements;
  tensor.output = output;
  return tensor;
}

Case with_tensors(std::int64_t inputs, std::int64_t outputs) {
  Case bound;
  bound.tensors = {tensor(inputs, false), tensor(outputs, true)};
  return bound;
}

TEST(ArithmeticRate, Fp32ByTheFastestOfItsOwnUnitAndThreeProductsOfElevenBits) {
  Ceilings rates = known_ceilings();
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::fp32), 800e12 / 3);
  rates.fp16_flops_per_second = 150e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::fp32), 130e12);
  rates.tf32_flops_per_second = 150e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::fp32), 60e12);
}

TEST(ArithmeticRate, LowerClassesByTheirOwnUnits) {
  Ceilings rates = known_ceilings();
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::tf32), 800e12) << "scaled, fp16 has all bits of tf32";
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::bf16), 800e12);
  rates.fp16_flops_per_second = 700e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::bf16), 780e12);
}

TEST(ArithmeticRate, AStricterClassIsAlwaysGoodEnough) {
  Ceilings rates;
  rates.fp32_flops_per_second = 60e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::tf32), 60e12);
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::bf16), 60e12);
  rates.tf32_flops_per_second = 390e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::bf16), 390e12);
}

TEST(ArithmeticRate, WithoutAClassByWhateverIsFastest) {
  Ceilings rates = known_ceilings();
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::none), 800e12);
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::exact), 800e12) << "halves hold small integers";
  rates.fp64_flops_per_second = 900e12;
  EXPECT_DOUBLE_EQ(arithmetic_rate(rates, Precision::none), 900e12);
}

TEST(ArithmeticRate, OperandsOf16BitsByTheirOwnUnitsInAnyClass) {
  EXPECT_DOUBLE_EQ(arithmetic_rate(known_ceilings(), Precision::fp32, Dtype::float16), 800e12);
  EXPECT_DOUBLE_EQ(arithmetic_rate(known_ceilings(), Precision::fp32, Dtype::bfloat16), 780e12);
  EXPECT_DOUBLE_EQ(arithmetic_rate(known_ceilings(), Precision::fp32, Dtype::float32), 800e12 / 3);
}

TEST(RooflineFloor, ElementsOf16BitsAreTwoBytes) {
  Case bound = with_tensors(750'000'000, 250'000'000);
  const double wide = roofline_floor(bound, known_ceilings(), Precision::fp32)->memory_ms;
  const double wide_bound = hardware_bound_ms(bound, std::nullopt, device());
  bound.dtype = Dtype::float16;
  EXPECT_DOUBLE_EQ(roofline_floor(bound, known_ceilings(), Precision::fp32)->memory_ms, wide / 2);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, device()), wide_bound / 2);
}

TEST(RooflineFloor, ATensorOfATypeOfItsOwnCountsByThat) {
  Case bound = with_tensors(750'000'000, 250'000'000);
  const double all = hardware_bound_ms(bound, std::nullopt, device());
  for (Tensor& tensor : bound.tensors) tensor.own_dtype = Dtype::boolean;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, device()), all / 4);
  for (Tensor& tensor : bound.tensors) tensor.own_dtype = Dtype::int64;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, device()), all * 2);
}

TEST(RooflineFloor, AllTensorsOnceUnlessTheProblemSaysHowManyBytes) {
  Case bound = with_tensors(750'000'000, 250'000'000);
  const auto floor = roofline_floor(bound, known_ceilings(), Precision::fp32);
  ASSERT_TRUE(floor);
  EXPECT_DOUBLE_EQ(floor->memory_ms, 1);
  EXPECT_EQ(floor->arithmetic_ms, 0);
  EXPECT_DOUBLE_EQ(floor->ms(), 1);
  EXPECT_EQ(floor->bound_by(), BoundBy::memory);
  bound.bytes = 1'000'000'000;
  EXPECT_DOUBLE_EQ(roofline_floor(bound, known_ceilings(), Precision::fp32)->memory_ms, 0.25);
}

TEST(RooflineFloor, TheLongerOfMemoryAndArithmeticCounts) {
  Case bound = with_tensors(1'000'000'000, 0);
  bound.flops = 800'000'000'000;
  const auto fp32 = roofline_floor(bound, known_ceilings(), Precision::fp32);
  ASSERT_TRUE(fp32);
  EXPECT_DOUBLE_EQ(fp32->memory_ms, 1);
  EXPECT_DOUBLE_EQ(fp32->arithmetic_ms, 3);
  EXPECT_DOUBLE_EQ(fp32->ms(), 3);
  EXPECT_EQ(to_string(fp32->bound_by()), "arithmetic");
  bound.flops = 400'000'000'000;
  const auto tf32 = roofline_floor(bound, known_ceilings(), Precision::tf32);
  ASSERT_TRUE(tf32);
  EXPECT_DOUBLE_EQ(tf32->arithmetic_ms, 0.5);
  EXPECT_DOUBLE_EQ(tf32->ms(), 1);
  EXPECT_EQ(to_string(tf32->bound_by()), "memory");
}

TEST(RooflineFloor, NoneWithoutBytesAndOperations) {
  EXPECT_FALSE(roofline_floor(with_tensors(0, 0), known_ceilings(), Precision::fp32));
  EXPECT_FALSE(roofline_floor(with_tensors(1000, 0), Ceilings{}, Precision::fp32));
  Case bound = with_tensors(0, 0);
  bound.flops = 800'000'000;
  EXPECT_DOUBLE_EQ(roofline_floor(bound, known_ceilings(), Precision::fp32)->ms(), 3e-3);
}

TEST(Share, IsTheFloorOverTheTime) {
  EXPECT_DOUBLE_EQ(share(1, 4), 0.25);
  EXPECT_DOUBLE_EQ(share(3, 2), 1.5) << "an algorithm with fewer operations";
  EXPECT_EQ(share(1, 0), 0);
}

TEST(HardwareBound, APeakIsBelievedWhereTheMeasurementDoesNotContradictIt) {
  const Case bound = with_tensors(1'250'000'000, 0);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, device()), 1);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, known_ceilings(), device()), 1)
      << "1.15 copies are below the peak";
  Ceilings disturbed = known_ceilings();
  disturbed.copy_bytes_per_second = 1e12;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, disturbed, device()), 1);
}

TEST(HardwareBound, AMeasurementAboveThePeakLowersIt) {
  Ceilings rates = known_ceilings();
  rates.copy_bytes_per_second = 5e12;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(with_tensors(1'437'500'000, 0), rates, device()), 1);
  Case bound = with_tensors(0, 0);
  bound.flops = 4 * 4'600'000'000'000;
  rates.fp16_flops_per_second = 4e15;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, rates, device()), 1);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, known_ceilings(), device()), 1.15);
}

TEST(HardwareBound, AMeasurementWithoutAPeakHasAWideMargin) {
  EXPECT_DOUBLE_EQ(hardware_bound_ms(with_tensors(2'000'000'000, 0), known_ceilings(), DeviceInfo{}), 1);
  Case bound = with_tensors(0, 0);
  bound.flops = 4 * 3'200'000'000'000;
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, known_ceilings(), DeviceInfo{}), 1);
  EXPECT_EQ(hardware_bound_ms(bound, std::nullopt, DeviceInfo{}), 0);
}

// Whatever was measured, the bound never raises a suspicion that the peaks alone do not raise.
TEST(HardwareBound, CeilingsNeverMakeItLarger) {
  Case bound = with_tensors(300'000'000, 100'000'000);
  for (const std::int64_t flops : {std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{1} << 46}) {
    bound.flops = flops;
    const double nominal = hardware_bound_ms(bound, std::nullopt, device());
    for (const double factor : {1e-3, 0.5, 1.0, 1.2, 10.0}) {
      Ceilings rates = known_ceilings();
      rates.copy_bytes_per_second *= factor;
      rates.fp16_flops_per_second *= factor;
      EXPECT_LE(hardware_bound_ms(bound, rates, device()), nominal) << flops << " " << factor;
    }
  }
}

TEST(HardwareBound, OutputsMayStayInTheCacheAndInputsInAWarmOne) {
  DeviceInfo info = device();
  info.l2_bytes = 1'000'000'000;
  const Case bound = with_tensors(1'250'000'000, 500'000'000);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, info), 1.2);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(bound, std::nullopt, info, CacheState::warm), 1.2);
  const Case small = with_tensors(125'000'000, 125'000'000);
  EXPECT_DOUBLE_EQ(hardware_bound_ms(small, std::nullopt, info), 0.1);
  EXPECT_EQ(hardware_bound_ms(small, std::nullopt, info, CacheState::warm), 0);
}

TEST(ImpossibleBelow, LeavesRoomForClocksAboveTheNominal) {
  EXPECT_DOUBLE_EQ(
      clock_slack * hardware_bound_ms(with_tensors(1'250'000'000, 0), known_ceilings(), device()), 0.9);
}

// A read at the peak and a copy at its ceiling are honest.
TEST(ImpossibleBelow, IsBelowTheRooflineOfACopy) {
  const Case bound = with_tensors(1'000'000'000, 1'000'000'000);
  const auto floor = roofline_floor(bound, known_ceilings(), Precision::fp32);
  ASSERT_TRUE(floor);
  EXPECT_LT(clock_slack * hardware_bound_ms(bound, known_ceilings(), device()), floor->ms());
  EXPECT_LT(clock_slack * hardware_bound_ms(bound, known_ceilings(), DeviceInfo{}), floor->ms());
}

TEST(Plausibility, ARealDeviceIsPlausible) {
  EXPECT_FALSE(why_implausible(known_ceilings(), device()));
  EXPECT_FALSE(why_implausible(known_ceilings(), DeviceInfo{}));
}

TEST(Plausibility, NoRateMayBeMissingNegativeOrNotANumber) {
  for (const double bad : {0.0, -4e12, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN(), 1e-300, 1e300}) {
    for (double Ceilings::*rate : {&Ceilings::copy_bytes_per_second, &Ceilings::fp32_flops_per_second,
                                   &Ceilings::tf32_flops_per_second, &Ceilings::fp16_flops_per_second,
                                   &Ceilings::bf16_flops_per_second, &Ceilings::fp64_flops_per_second}) {
      Ceilings rates = known_ceilings();
      rates.*rate = bad;
      EXPECT_TRUE(why_implausible(rates, DeviceInfo{})) << bad;
    }
  }
}

TEST(Plausibility, NoRateMayBeFarAboveThePeak) {
  Ceilings rates = known_ceilings();
  rates.copy_bytes_per_second = 5.9e12;
  EXPECT_FALSE(why_implausible(rates, device()));
  rates.copy_bytes_per_second = 6.1e12;
  EXPECT_EQ(why_implausible(rates, device()),
            "a rate of 6.1e+12 per second for a copy is above the device's peak of 5e+12");
  rates = known_ceilings();
  rates.bf16_flops_per_second = 4.9e15;
  EXPECT_EQ(why_implausible(rates, device()),
            "a rate of 4.9e+15 per second for bf16 is above the device's peak of 4e+15");
}

}  // namespace kgrade::roofline_test
