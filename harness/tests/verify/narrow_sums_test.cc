// What the default thresholds of 16-bit types are based on: sums of products as kernels compute them, over
// thousands of draws. Sums in float32 that are rounded once pass easily; sums in 16 bits do not.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device/element_errors.h"
#include "draw/distribution.h"
#include "verify/expected_scales.h"
#include "verify/judgement.h"

namespace kgrade::narrow_sums_test {

using Kind = Distribution::Kind;

constexpr int outputs = 128;

// One sum in each kind of arithmetic.
struct Sums {
  double exact = 0;
  float single = 0;
  float narrow = 0;    // rounded to the type after every step
  float products = 0;  // in float32, of products that were rounded to the type
};

Sums sum_of(Dtype dtype, const Distribution& input, int terms, std::uint32_t output, std::uint32_t draw) {
  const double bound = 1 / std::sqrt(static_cast<double>(terms));
  const Distribution weight{Kind::uniform, -bound, bound, dtype};
  Sums sums;
  for (int i = 0; i < terms; ++i) {
    const PhiloxBlock values = random_block({1, output, draw}, static_cast<std::uint64_t>(i));
    const float a = sample(input, values.word[0]);
    const float b = sample(weight, values.word[1]);
    sums.exact += double{a} * double{b};
    sums.single += a * b;
    sums.narrow = rounded_to(dtype, sums.narrow + a * b);
    sums.products += rounded_to(dtype, a * b);
  }
  return sums;
}

struct Judged : Judgement {
  double error_of_all = 0;
};

struct Errors {
  Judged single;
  Judged narrow;
  Judged products;
};

Judged judged(const ElementErrors& errors, Dtype dtype) {
  return {judge(errors, default_thresholds(dtype), Precision::fp32), relative_errors(errors).all};
}

// Of one output tensor.
Errors errors_of(Dtype dtype, const Distribution& input, int terms, std::uint32_t draw) {
  std::vector<Sums> sums;
  std::vector<double> expected;
  for (std::uint32_t i = 0; i < outputs; ++i) {
    sums.push_back(sum_of(dtype, input, terms, i, draw));
    expected.push_back(static_cast<double>(static_cast<float>(sums.back().exact)));
  }
  const Magnitudes magnitudes = magnitudes_of(expected);
  ElementErrors single;
  ElementErrors narrow;
  ElementErrors products;
  for (std::uint32_t i = 0; i < outputs; ++i) {
    const auto add = [&](ElementErrors& errors, float value) {
      device::accumulate(errors, value, expected[i], i, dtype, magnitudes);
    };
    add(single, rounded_to(dtype, sums[i].single));
    add(narrow, sums[i].narrow);
    add(products, rounded_to(dtype, sums[i].products));
  }
  return {judged(single, dtype), judged(narrow, dtype), judged(products, dtype)};
}

class NarrowSums : public testing::TestWithParam<Dtype> {
 protected:
  static std::vector<Distribution> inputs() {
    return {{Kind::uniform, 0, 1, GetParam()}, {Kind::normal, 0, 1, GetParam()}};
  }
};

TEST_P(NarrowSums, InFloat32AreAcceptedWithRoomToSpare) {
  constexpr double room = 20;
  for (const auto& [terms, draws] : {std::pair{2, 1000u}, {9, 500u}, {64, 100u}, {576, 20u}, {4608, 2u}}) {
    for (const Distribution& input : inputs()) {
      for (std::uint32_t draw = 0; draw < draws; ++draw) {
        const Judged judgement = errors_of(GetParam(), input, terms, draw).single;
        ASSERT_EQ(judgement.verdict, Verdict::accepted) << terms;
        ASSERT_LT(judgement.relative_error * room, default_thresholds(GetParam()).fp32) << terms;
        ASSERT_LT(judgement.max_scaled_error * room, element_factor * default_thresholds(GetParam()).fp32);
      }
    }
  }
}

// The figures of default_thresholds().
TEST_P(NarrowSums, In16BitsAreOfLowPrecision) {
  const double places = GetParam() == Dtype::float16 ? 1 : 8;
  struct Figures {
    int terms;
    unsigned int draws;
    double least;
    double most;
  };
  const Figures all[] = {
      {2, 500, 2e-5, 1.5e-4}, {9, 300, 1e-4, 6e-4}, {64, 50, 5e-4, 2e-3}, {576, 10, 2e-3, 6e-3}};
  for (const Figures& figures : all) {
    for (const Distribution& input : inputs()) {
      for (std::uint32_t draw = 0; draw < figures.draws; ++draw) {
        const Judged judgement = errors_of(GetParam(), input, figures.terms, draw).narrow;
        ASSERT_EQ(judgement.verdict, Verdict::low_precision) << figures.terms;
        ASSERT_GT(judgement.error_of_all, places * figures.least) << figures.terms;
        ASSERT_LT(judgement.error_of_all, places * figures.most) << figures.terms;
      }
    }
  }
}

// Rounding only the products is detected as well.
TEST_P(NarrowSums, OfRoundedProductsAreOfLowPrecision) {
  for (const int terms : {2, 64}) {
    for (std::uint32_t draw = 0; draw < 100; ++draw) {
      const Judged judgement = errors_of(GetParam(), inputs().front(), terms, draw).products;
      ASSERT_EQ(judgement.verdict, Verdict::low_precision) << terms;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EachType, NarrowSums, testing::Values(Dtype::float16, Dtype::bfloat16),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace kgrade::narrow_sums_test
