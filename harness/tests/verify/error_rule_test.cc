// The rule for errors on honest and on wrong answers, in float against double: what docs/verdicts.md states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "device/element_errors.h"
#include "verify/expected_scales.h"
#include "verify/judgement.h"

namespace kgrade::error_rule_test {

using Numbers = std::vector<double>;

Numbers normal(std::size_t count, double deviation, unsigned int seed = 1) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> draw(0, static_cast<float>(deviation));
  Numbers numbers(count);
  std::generate(numbers.begin(), numbers.end(), [&] { return static_cast<double>(draw(generator)); });
  return numbers;
}

template <class Function>
Numbers each(const Numbers& numbers, const Function& function) {
  Numbers results(numbers.size());
  std::transform(numbers.begin(), numbers.end(), results.begin(), function);
  return results;
}

// As the oracle leaves them: rounded to float once.
Numbers rounded_once(const Numbers& exact) {
  return each(exact, [](double value) { return static_cast<double>(static_cast<float>(value)); });
}

Judgement judged_by(const Magnitudes& magnitudes, const Numbers& actual, const Numbers& expected,
                    double terms = 1, Precision required = Precision::fp32, Dtype dtype = Dtype::float32) {
  ElementErrors errors;
  for (std::size_t i = 0; i < actual.size(); ++i)
    device::accumulate(errors, actual[i], expected[i], i, dtype, magnitudes);
  return judge(errors, error_bounds({}, terms, Dtype::float32), required);
}

// Common values are known to be the same for other inputs.
Judgement judged(const Numbers& actual, const Numbers& exact, double terms = 1,
                 Precision required = Precision::fp32, Dtype dtype = Dtype::float32) {
  const Numbers expected = rounded_once(exact);
  ExpectedScales scales;
  for (int call = 0; call < 2; ++call) scales.add({expected});
  return judged_by(scales.magnitudes().front(), actual, expected, terms, required, dtype);
}

constexpr std::size_t many = 1 << 16;

float in_float(float (*function)(float), double value) { return function(static_cast<float>(value)); }

TEST(ErrorRule, HonestFormulasInFloatAreAcceptedAtEveryScale) {
  struct Formula {
    const char* name;
    std::function<double(double)> exact;
    float (*plain)(float);
  };
  const Formula formulas[] = {
      {"gelu", [](double x) { return x * std::erfc(-x * std::sqrt(0.5)) / 2; },
       [](float x) { return 0.5F * x * (1 + std::erf(x * 0.70710678F)); }},
      {"softplus", [](double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); },
       [](float x) { return std::log(1 + std::exp(x)); }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); },
       [](float x) { return 1 / (1 + std::exp(-x)); }},
      {"elu", [](double x) { return x > 0 ? x : std::expm1(x); },
       [](float x) { return x > 0 ? x : std::exp(x) - 1; }},
      {"tanh", [](double x) { return std::tanh(x); },
       [](float x) { return (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1); }},
      {"swish", [](double x) { return x / (1 + std::exp(-x)); },
       [](float x) { return x / (1 + std::exp(-x)); }},
      {"exp", [](double x) { return std::exp(x); }, [](float x) { return std::exp(x); }}};
  for (const Formula& formula : formulas) {
    for (const double deviation : {0.01, 1.0, 3.0, 10.0}) {
      const Numbers inputs =
          each(normal(many, deviation), [](double x) { return std::clamp(x, -40.0, 40.0); });
      const Judgement judgement = judged(each(inputs, [&](double x) { return in_float(formula.plain, x); }),
                                         each(inputs, formula.exact));
      EXPECT_EQ(judgement.verdict, Verdict::accepted)
          << formula.name << " " << deviation << ": " << judgement.relative_error << " "
          << to_string(judgement.decided_by);
    }
  }
}

// Sums of so many products, one after the other in float.
Judgement judged_sums(std::size_t terms, bool positive, std::size_t rows = 24) {
  Numbers actual, exact;
  std::mt19937 generator(7);
  std::normal_distribution<float> normals;
  std::uniform_real_distribution<float> uniforms;
  for (std::size_t row = 0; row < rows; ++row) {
    float sum = 0;
    double right = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      const float a = positive ? uniforms(generator) : normals(generator);
      const float b = positive ? uniforms(generator) : normals(generator);
      sum += a * b;
      right += static_cast<double>(a) * static_cast<double>(b);
    }
    actual.push_back(sum);
    exact.push_back(right);
  }
  return judged(actual, exact, static_cast<double>(terms));
}

TEST(ErrorRule, SumsInOneFloatAreAcceptedHoweverLong) {
  for (const bool positive : {false, true}) {
    for (const std::size_t terms : {1024U, 65'536U, 524'288U})
      EXPECT_EQ(judged_sums(terms, positive).verdict, Verdict::accepted) << terms << positive;
  }
}

TEST(ErrorRule, ARowThatIsAMillionTimesAsLargeHidesNoOther) {
  Numbers expected = normal(64 * 1024, 1);
  for (std::size_t i = 0; i < 1024; ++i) expected[i] *= 1e6;
  Numbers zeros = expected;
  std::fill(zeros.begin() + 1024, zeros.end(), 0.0);
  const Judgement judgement = judged(zeros, expected);
  EXPECT_EQ(judgement.verdict, Verdict::wrong_answer);
  EXPECT_NE(judgement.decided_by, ErrorFigure::all);
  EXPECT_EQ(judged(each(expected, [](double x) { return x * (1 + 2e-7); }), expected).verdict,
            Verdict::accepted);
}

TEST(ErrorRule, LargeExponentialsDoNotHideTheSmallOnes) {
  const Numbers inputs = normal(many, 1);
  const Numbers expected = each(inputs, [](double x) { return std::exp(8 * x); });
  EXPECT_EQ(
      judged(each(inputs, [](double x) { return in_float([](float y) { return std::exp(8 * y); }, x); }),
             expected)
          .verdict,
      Verdict::accepted);
  EXPECT_EQ(judged(each(inputs, [](double x) { return x < 0 ? 0 : std::exp(8 * x); }), expected).verdict,
            Verdict::wrong_answer);
}

TEST(ErrorRule, AMaskDoesNotHideTheScores) {
  Numbers scores = normal(many, 1);
  for (std::size_t i = 0; i < many; i += 3) scores[i] = -1e9;
  Numbers masked = scores;
  for (double& score : masked) score = score == -1e9 ? score : 0;
  EXPECT_EQ(judged(masked, scores).verdict, Verdict::wrong_answer);
  EXPECT_EQ(judged(each(scores, [](double x) { return x * (1 + 6e-8); }), scores).verdict, Verdict::accepted);
}

// clamp(exp(8x), min=1): the floor fills half of the output.
TEST(ErrorRule, AFloorIsJudgedInItsOwnSize) {
  const Numbers inputs = normal(8192, 1);
  const Numbers expected = each(inputs, [](double x) { return std::max(std::exp(8 * x), 1.0); });
  const auto with_floor = [&](double floor) {
    return each(inputs, [&](double x) {
      return x > 0 ? in_float([](float y) { return std::exp(8 * y); }, x) : floor;
    });
  };
  EXPECT_EQ(judged(with_floor(1), expected).verdict, Verdict::accepted);
  EXPECT_EQ(judged(with_floor(1 + 1e-7), expected).verdict, Verdict::accepted);
  for (const Precision required : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    for (const double floor : {0.0, 0.9, 1.1, 2.0, 1000.0}) {
      const Judgement judgement = judged(with_floor(floor), expected, 1, required);
      EXPECT_EQ(judgement.verdict, Verdict::wrong_answer) << floor;
      EXPECT_EQ(judgement.decided_by, ErrorFigure::common) << floor;
    }
  }
  EXPECT_EQ(judged(with_floor(1.005), expected).verdict, Verdict::low_precision);
  EXPECT_EQ(judged(with_floor(1.005), expected, 1, Precision::bf16).verdict, Verdict::accepted);
}

TEST(ErrorRule, AFloorOfFewElementsIsJudgedInItsOwnSize) {
  const Numbers inputs = normal(100, 1);
  const auto clamped = [&](double floor) {
    return each(inputs, [&](double x) { return x > 0 ? std::exp(8 * x) : floor; });
  };
  EXPECT_EQ(judged(rounded_once(clamped(1)), clamped(1)).verdict, Verdict::accepted);
  EXPECT_EQ(judged(rounded_once(clamped(0)), clamped(1)).verdict, Verdict::wrong_answer);
}

TEST(ErrorRule, AFloorOf16BitOutputsIsJudgedInItsOwnSize) {
  const Numbers inputs = normal(8192, 0.5);
  const auto clamped = [&](double floor) {
    return each(inputs, [&](double x) { return x > 0 ? std::exp(4 * x) + 0.1 : floor; });
  };
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    const auto stored = [&](const Numbers& numbers) {
      return each(numbers, [&](double x) { return rounded_to(dtype, x); });
    };
    const auto verdict = [&](double floor) {
      return judged(stored(clamped(floor)), clamped(0.1), 1, Precision::fp32, dtype).verdict;
    };
    EXPECT_EQ(verdict(0.1), Verdict::accepted);
    EXPECT_EQ(verdict(0), Verdict::wrong_answer);
  }
}

// Transforms leave rounding errors at elements that are 0: 10^-6 of the usual elements at most.
TEST(ErrorRule, NoiseOfATransformAtZerosIsAccepted) {
  Numbers expected = normal(many, 1);
  for (std::size_t i = 0; i < many / 2; ++i) expected[i] = 0;
  const auto off_by = [&](double size) {
    const Numbers noise = normal(many, size, 2);
    Numbers actual = expected;
    for (std::size_t i = 0; i < many; ++i) actual[i] += noise[i];
    return judged(actual, expected);
  };
  EXPECT_EQ(off_by(1e-6).verdict, Verdict::accepted);
  EXPECT_NE(off_by(1e-4).verdict, Verdict::accepted);
}

TEST(ErrorRule, ZerosBelowAMaskAreInUnitsOfTheScores) {
  Numbers scores = normal(many, 1);
  for (std::size_t i = 0; i < many; i += 4) {
    scores[i] = -1e9;
    scores[i + 1] = 0;
  }
  Numbers actual = scores;
  for (std::size_t i = 0; i < many; i += 4) actual[i] = -1e9 + 64;  // the next float
  EXPECT_EQ(judged(actual, scores).verdict, Verdict::accepted);
  for (std::size_t i = 0; i < many; i += 4) actual[i + 1] = 1e-4;
  const Judgement judgement = judged(actual, scores);
  EXPECT_NE(judgement.verdict, Verdict::accepted);
  EXPECT_EQ(judgement.decided_by, ErrorFigure::common);
}

// Near the floor, errors of the products decide whether an element is on it. They are large beside it.
TEST(ErrorRule, ProductsNearASmallFloorAreAccepted) {
  struct Class {
    Precision precision;
    double error;
  };
  for (const Class& each_class :
       {Class{Precision::fp32, 1e-6}, {Precision::tf32, 3e-4}, {Precision::bf16, 3e-3}}) {
    for (const std::size_t count : {std::size_t{256}, many}) {
      for (const double floor : {0.0, 1e-9, 1e-4, 0.01, 0.5}) {
        for (unsigned int seed = 1; seed < 20; ++seed) {
          const Numbers products = normal(count, 1, seed);
          const Numbers noise = normal(count, each_class.error, seed + 1000);
          Numbers actual, expected;
          for (std::size_t i = 0; i < count; ++i) {
            expected.push_back(std::max(products[i], floor));
            actual.push_back(std::max(products[i] + noise[i], floor));
          }
          const Judgement judgement = judged(actual, expected, 1, each_class.precision);
          EXPECT_EQ(judgement.verdict, Verdict::accepted)
              << count << " " << floor << " " << to_string(each_class.precision) << " "
              << judgement.relative_error << " " << to_string(judgement.decided_by);
        }
      }
    }
  }
}

TEST(ErrorRule, FormulasInFloatAreAcceptedAfterAClamp) {
  const Numbers inputs = each(normal(many, 8), [](double x) { return std::max(x, -6.0); });
  const auto verdict = [&](const auto& exact, float (*plain)(float)) {
    return judged(each(inputs, [&](double x) { return in_float(plain, x); }), each(inputs, exact)).verdict;
  };
  EXPECT_EQ(verdict([](double x) { return std::log1p(std::exp(x)); },
                    [](float x) { return std::log(1 + std::exp(x)); }),
            Verdict::accepted);
  EXPECT_EQ(verdict([](double x) { return x * std::erfc(-x * std::sqrt(0.5)) / 2; },
                    [](float x) { return 0.5F * x * (1 + std::erf(x * 0.70710678F)); }),
            Verdict::accepted);
}

// Each sum occurs four times, as after an upsampling. The sums of few elements are common then. They have the
// rounding errors of all sums, however small they are.
TEST(ErrorRule, SumsThatOccurSeveralTimesAreAccepted) {
  for (unsigned int seed = 1; seed < 100; ++seed) {
    const Numbers sums = normal(60, 1, seed);
    const Numbers noise = normal(60, 2e-6, seed + 1000);
    Numbers actual, expected;
    for (std::size_t i = 0; i < 4 * sums.size(); ++i) {
      expected.push_back(sums[i / 4]);
      actual.push_back(sums[i / 4] + noise[i / 4]);
    }
    const Magnitudes magnitudes = magnitudes_of(expected);
    ASSERT_EQ(magnitudes.common_count, most_common_values);
    EXPECT_EQ(judged_by(magnitudes, actual, expected).verdict, Verdict::accepted) << seed;
  }
}

TEST(ErrorRule, SmallIntegersAreAccepted) {
  const Numbers integers = each(normal(many, 4), [](double x) { return std::round(x); });
  EXPECT_EQ(judged(integers, integers).verdict, Verdict::accepted);
  EXPECT_EQ(judged(each(integers, [](double x) { return x == 1 ? 1.001 : x; }), integers).verdict,
            Verdict::low_precision);
}

TEST(ErrorRule, ATailThatIsLeftOutIsWrong) {
  const Numbers inputs = normal(many, 1);
  const auto gelu = [](double x) { return x * std::erfc(-x * std::sqrt(0.5)) / 2; };
  const Numbers expected = each(inputs, gelu);
  EXPECT_NE(judged(each(inputs, [&](double x) { return x < -2 ? 0 : gelu(x); }), expected).verdict,
            Verdict::accepted);
  EXPECT_EQ(judged(each(inputs, [](double x) { return std::max(x, 0.0); }), expected).verdict,
            Verdict::wrong_answer);
}

TEST(ErrorRule, RoundedOperandsKeepTheirClassInLongSums) {
  constexpr std::size_t terms = 4096;
  Numbers actual, exact;
  const auto rounded = [](float value) { return float_of((bits_of(value) + 0x1000U) & 0xFFFFE000U); };
  std::mt19937 generator(3);
  std::normal_distribution<float> draw;
  for (int row = 0; row < 64; ++row) {
    double sum = 0;
    double right = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      const float a = draw(generator);
      const float b = draw(generator);
      sum += static_cast<double>(rounded(a)) * static_cast<double>(rounded(b));
      right += static_cast<double>(a) * static_cast<double>(b);
    }
    actual.push_back(sum);
    exact.push_back(right);
  }
  for (const double length : {4096.0, 524'288.0}) {
    const Judgement judgement = judged(actual, exact, length);
    EXPECT_EQ(judgement.verdict, Verdict::low_precision) << judgement.relative_error;
    EXPECT_EQ(judgement.precision, Precision::tf32);
  }
}

// Elements of large rows that happen to be small have the rounding errors of large ones.
TEST(ErrorRule, ProductsWithRowsOfOtherSizesAreAccepted) {
  constexpr std::size_t terms = 256;
  for (const double scale : {16.0, 256.0, 1024.0}) {
    Numbers actual, exact;
    std::mt19937 generator(5);
    std::normal_distribution<float> draw;
    std::vector<float> matrix(terms * 64);
    for (float& element : matrix) element = draw(generator);
    for (int row = 0; row < 256; ++row) {
      const float size = row % 5 == 0 ? static_cast<float>(scale) : 1.0F;
      std::vector<float> factors(terms);
      for (float& factor : factors) factor = size * draw(generator);
      for (std::size_t column = 0; column < 64; ++column) {
        float sum = 0;
        double right = 0;
        for (std::size_t i = 0; i < terms; ++i) {
          const float other = matrix[i * 64 + column];
          sum += factors[i] * other;
          right += static_cast<double>(factors[i]) * static_cast<double>(other);
        }
        actual.push_back(sum);
        exact.push_back(right);
      }
    }
    const Judgement judgement = judged(actual, exact, terms);
    EXPECT_EQ(judgement.verdict, Verdict::accepted)
        << scale << ": " << judgement.relative_error << " " << judgement.max_scaled_error
        << to_string(judgement.decided_by);
  }
}

// Rounding is spread over all elements.
TEST(ErrorRule, AFewElementsThatAreOffAreNoMatterOfPrecision) {
  const Numbers expected = normal(many, 1);
  Numbers actual = expected;
  actual[17] += 1e-3;
  const Judgement judgement = judged(actual, expected);
  EXPECT_EQ(judgement.verdict, Verdict::wrong_answer);
  EXPECT_EQ(judgement.decided_by, ErrorFigure::element);
}

}  // namespace kgrade::error_rule_test
