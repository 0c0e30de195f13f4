// What is found on one case, with oracles that are functions on the host.
#include "soundness/case_soundness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/text.h"
#include "tests/soundness/fake_runner.h"

namespace kgrade::test {
namespace case_soundness_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* scaled_text = R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n, m], init: "normal(0, 1)"}
  - {name: y, type: "[VAR]", pointer: true, const: true, shape: [n, m], init: "normal(0, 1)"}
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n, m]}
  - {name: second, type: "[VAR]", pointer: true, const: false, shape: [n, m]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: m, type: int, pointer: false, const: false}
  - {name: gain, type: float, pointer: false, const: false}
dtypes: [float32]
cases:
  - {name: small, role: test, n: 6, m: 5, gain: 1.5}
  - {name: other, role: bench, n: 3, m: 7, gain: 0.5}
---
text
)yaml";

Problem problem_of(const std::string& content) {
  auto problem = parse_problem(content, "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

Problem problem_with(const std::string& from = "", const std::string& to = "") {
  std::string edited = scaled_text;
  if (!from.empty()) edited.replace(edited.find(from), from.size(), to);
  return problem_of(edited);
}

Values map(const Values& a, const Values& b, const std::function<double(double, double)>& f) {
  Values result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = static_cast<float>(f(static_cast<double>(a[i]), static_cast<double>(b[i])));
  return result;
}

float gain_of(const Case& bound) { return static_cast<float>(bound.reals.at("gain")); }

// Sound: every output depends on everything.
std::vector<Values> sound(const std::vector<Values>& in, const Case& bound) {
  const double gain = static_cast<double>(gain_of(bound));
  return {map(in[0], in[1], [&](double x, double y) { return gain * x * y; }),
          map(in[0], in[1], [&](double x, double y) { return gain * x + 2 * y; })};
}

std::vector<LintFinding> findings_of(FakeRunner& runner, const Problem& problem) {
  LintFindings findings(problem);
  SoundnessSession session{runner, problem, findings};
  for (const CaseSpec& spec : problem.cases) {
    const auto goes_on = check_case_soundness(session, *resolve_case(problem, spec));
    EXPECT_TRUE(goes_on.ok());
    if (!goes_on || !*goes_on) return findings.all();
  }
  conclude(session);
  return findings.all();
}

std::vector<std::string> rules_of(const Function& function, const Problem& problem = problem_with()) {
  FakeRunner runner(problem, function);
  std::vector<std::string> rules;
  for (const LintFinding& finding : findings_of(runner, problem)) {
    EXPECT_FALSE(finding.what.remedy.empty()) << finding.rule;
    EXPECT_EQ(finding.what.location.file, "sample.md") << finding.rule;
    rules.push_back(finding.rule);
  }
  return rules;
}

TEST(CaseSoundness, NothingIsFoundWhereEverythingCounts) { EXPECT_THAT(rules_of(sound), IsEmpty()); }

TEST(CaseSoundness, AnIgnoredInputIsToldOnceWithAllItsCases) {
  const Problem problem = problem_with();
  FakeRunner runner(problem, [](const auto& in, const Case& bound) {
    return std::vector<Values>{map(in[0], in[0], [&](double x, double) { return gain_of(bound) * x * x; }),
                               map(in[0], in[0], [](double x, double) { return x * x * x; })};
  });
  const auto findings = findings_of(runner, problem);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "input-ignored");
  EXPECT_THAT(findings[0].what.message, HasSubstr("case 'small': 'y' changes no output"));
  EXPECT_THAT(findings[0].what.message, HasSubstr("; also other"));
  EXPECT_EQ(findings[0].what.location.line, 15);
}

TEST(CaseSoundness, AConstantOutputIsOneFinding) {
  EXPECT_THAT(rules_of([](const auto& in, const Case& bound) {
                auto outputs = sound(in, bound);
                outputs[1].assign(outputs[1].size(), 0.25F);
                return outputs;
              }),
              ElementsAre("constant-output"));
}

TEST(CaseSoundness, OutputsThatHoldTheSameAlias) {
  EXPECT_THAT(rules_of([](const auto& in, const Case& bound) {
                auto outputs = sound(in, bound);
                outputs[1] = outputs[0];
                return outputs;
              }),
              ElementsAre("aliasing-output"));
  EXPECT_THAT(rules_of([](const auto& in, const Case& bound) {
                auto outputs = sound(in, bound);
                outputs[1] = in[1];
                return outputs;
              }),
              ElementsAre("aliasing-output"));
}

TEST(CaseSoundness, ADegenerateCaseIsANoteWhereOthersAskForMore) {
  const Problem problem;
  Case bound;
  bound.name = "window-of-one";
  LintFindings findings(problem);
  findings.add("aliasing-output", "y", bound, "'y' holds what the input 'x' holds", "");
  findings.add("zeros-pass", "y", bound, "'y' is accepted when it holds zeros", "");
  EXPECT_TRUE(findings.take_degenerate(1).empty());
  EXPECT_THAT(
      findings.take_degenerate(2),
      ElementsAre("case 'window-of-one': 'y' holds what the input 'x' holds; the other cases ask for more"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.all()[0].rule, "zeros-pass");
}

TEST(CaseSoundness, ElementsThatAreTooLittleToSeeInALongSumAreANote) {
  const Problem problem;
  Case bound;
  LintFindings findings(problem);
  for (const char* name : {"long", "longer"}) {
    bound.name = name;
    findings.add("element-ignored", "x", bound, "no single element of 'x' changes an output", "");
  }
  EXPECT_TRUE(findings.take_degenerate(2).empty()) << "on every case, so nothing else asks for more";
  EXPECT_THAT(findings.take_degenerate(3),
              ElementsAre(HasSubstr("also longer; the other cases ask for more")));
  EXPECT_TRUE(findings.empty());
}

// One of y is worth about a tenth of the sum, and three tenths are forgiven.
TEST(CaseSoundness, ASumInWhichNoElementCountsSaysHowManyDo) {
  const Problem problem = problem_with("dtypes:", "thresholds: {fp32: 0.3, tf32: 0.4, bf16: 0.5}\ndtypes:");
  FakeRunner runner(problem, [](const auto& in, const Case& bound) {
    auto outputs = sound(in, bound);
    float sum = 0;
    for (const float y : in[1]) sum += std::fabs(y);
    for (Values& output : outputs) {
      for (std::size_t i = 0; i < output.size(); ++i)
        output[i] = in[0][i] * sum * (&output == &outputs[0] ? 1.F : 2.F);
    }
    return outputs;
  });
  const auto findings = findings_of(runner, problem);
  const auto found = std::find_if(findings.begin(), findings.end(), [](const LintFinding& finding) {
    return finding.rule == "element-ignored";
  });
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->what.message, HasSubstr("no single element of 'y'"));
  EXPECT_THAT(found->what.message, HasSubstr("elements in a row"));
}

TEST(CaseSoundness, LooseThresholdsLetWrongAnswersThrough) {
  const auto rules =
      rules_of(sound, problem_with("dtypes:", "thresholds: {fp32: 3, tf32: 4, bf16: 5}\ndtypes:"));
  for (const char* rule : {"zeros-pass", "mean-passes", "shuffle-passes", "other-seed-passes", "stale-passes",
                           "sample-passes", "axis-constant", "input-ignored"}) {
    EXPECT_THAT(rules, Contains(rule));
  }
}

TEST(CaseSoundness, AnAxisAlongWhichNothingVariesIsFound) {
  const auto rules = rules_of([](const auto& in, const Case& bound) {
    auto outputs = sound(in, bound);
    const auto m = static_cast<std::size_t>(bound.integers.at("m"));
    for (std::size_t i = 0; i < outputs[0].size(); ++i) outputs[0][i] = outputs[0][i / m * m];
    return outputs;
  });
  EXPECT_THAT(rules, ElementsAre("axis-constant"));
}

TEST(CaseSoundness, AMeanOfManyTermsIsKnownFromASample) {
  const Problem problem = problem_with("m: 5, gain", "m: 3000, gain");
  const Function means = [](const auto& in, const Case& bound) {
    const auto m = static_cast<std::size_t>(bound.integers.at("m"));
    auto outputs = sound(in, bound);
    for (std::size_t i = 0; i < outputs[0].size(); i += m) {
      double sum = 0;
      for (std::size_t k = i; k < i + m; ++k) sum += 5 + static_cast<double>(in[0][k]);
      for (std::size_t k = i; k < i + m; ++k)
        outputs[0][k] = static_cast<float>(sum / static_cast<double>(m) * static_cast<double>(in[1][k]));
    }
    return outputs;
  };
  EXPECT_THAT(rules_of(means, problem), IsEmpty()) << "a sample is off by more than single precision";
  const Problem loose = [&] {
    Problem copy = problem;
    copy.precision = "bf16";
    return copy;
  }();
  const auto rules = rules_of(means, loose);
  EXPECT_THAT(rules, Contains("sample-passes"));
  EXPECT_THAT(rules, Not(Contains("mean-passes")));
}

TEST(CaseSoundness, SingleElementsThatARareWindowReadsAreFound) {
  // One element of y counts, and it is none of the places that are tried first.
  const auto rare = [](const auto& in, const Case& bound) {
    auto outputs = sound(in, bound);
    for (std::size_t i = 0; i < outputs[0].size(); ++i) {
      const double x = static_cast<double>(in[0][i]);
      outputs[0][i] = static_cast<float>(x * static_cast<double>(in[1][4]));
      outputs[1][i] = static_cast<float>(x * x * static_cast<double>(gain_of(bound)));
    }
    return outputs;
  };
  EXPECT_THAT(rules_of(rare), Not(Contains("input-ignored")));
}

TEST(CaseSoundness, RealParametersMustChangeSomething) {
  const Problem problem = problem_with();
  FakeRunner runner(problem, [](const auto& in, const Case& bound) {
    Case fixed = bound;
    fixed.reals["gain"] = 1;
    return sound(in, fixed);
  });
  const auto findings = findings_of(runner, problem);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "unused-parameter");
  EXPECT_THAT(findings[0].what.message, HasSubstr("'gain'"));
}

// With an integer that no shape depends on, and the values it may have.
Problem problem_with_order(const std::string& require) {
  std::string edited = replace_all(scaled_text, "gain: ", "order: 2, gain: ");
  edited = replace_all(edited, "dtypes:",
                       "  - {name: order, type: int, pointer: false}\nrequire: [" + require +
                           "]\nlet: {twice: 2 * order}\nflops: twice\ndtypes:");
  return problem_of(edited);
}

TEST(CaseSoundness, ToNameAnIntegerInAConditionIsNotToUseIt) {
  EXPECT_THAT(rules_of(sound, problem_with_order("order >= 1")), ElementsAre("unused-parameter"));
  const Function power = [](const auto& in, const Case& bound) {
    auto outputs = sound(in, bound);
    for (float& value : outputs[0])
      value = static_cast<float>(
          std::pow(static_cast<double>(value), static_cast<double>(bound.integers.at("order"))));
    return outputs;
  };
  EXPECT_THAT(rules_of(power, problem_with_order("order >= 1")), IsEmpty());
  EXPECT_THAT(rules_of(sound, problem_with_order("order == 2")), IsEmpty())
      << "what cannot vary cannot be seen";
}

TEST(CaseSoundness, OtherValuesKeepTheCaseLegalAndItsShapes) {
  const Problem problem = problem_with_order("order >= 2 && order <= 3");
  EXPECT_THAT(scalars_without_shape(problem), ElementsAre("gain", "order"));
  const Case bound = *resolve_case(problem, problem.cases[0]);
  const auto others = with_other_values(problem, bound, "order", 5);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].integers.at("order"), 3);
  EXPECT_EQ(others[0].integers.at("twice"), 6);
  EXPECT_EQ(others[0].tensors[0].shape, bound.tensors[0].shape);
  EXPECT_THAT(with_other_values(problem, bound, "n", 5), IsEmpty()) << "every other value has another shape";
}

TEST(CaseSoundness, AReferenceThatFailsOnALegalValueIsAFinding) {
  const Problem problem = problem_with_order("order >= 1");
  FakeRunner runner(problem, sound);
  runner.refused_order = 3;
  const auto findings = findings_of(runner, problem);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "reference-fails");
  EXPECT_THAT(findings[0].what.message, HasSubstr("with order = 3, which `require` allows: "));
}

TEST(CaseSoundness, IntegersAreExactInEveryClass) {
  const Problem problem = problem_of(replace_all(scaled_text, "normal(0, 1)", "integers(-3, 3)"));
  EXPECT_THAT(rules_of(sound, problem), ElementsAre("classes-overlap"));
}

constexpr const char* totals_text = R"yaml(---
slug: totals
title: Totals
difficulty: EASY
parameters:
  - {name: x, type: int, pointer: true, const: true, shape: [n, m], init: "integers(-9, 9)"}
  - {name: out, type: int64_t, pointer: true, const: false, shape: [n, m]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: m, type: int, pointer: false, const: false}
dtypes: [float32]
precision: exact
cases:
  - {name: small, role: test, n: 6, m: 5}
  - {name: other, role: bench, n: 3, m: 7}
---
text
)yaml";

// Sums from the first element on, and `base`; doubled, so that half of an integer counts.
Function totals(std::int64_t base) {
  return [base](const std::vector<Values>& in, const Case&) {
    std::int64_t sum = base;
    Values out;
    for (const float value : in[0]) {
      sum += std::llround(2 * value);
      out.push_back(static_cast<float>(sum));
      out.integers.push_back(sum);
    }
    return std::vector<Values>{out};
  };
}

// By the norm every one of them would be as good as any other.
TEST(CaseSoundness, LargeIntegersAreJudgedOneByOne) {
  const Problem problem = problem_of(totals_text);
  EXPECT_THAT(rules_of(totals(0), problem), IsEmpty());
  EXPECT_THAT(rules_of(totals(100'000'000), problem), IsEmpty());
  EXPECT_THAT(rules_of(totals(std::int64_t{1} << 60), problem), IsEmpty()) << "all of them are one float";
}

TEST(CaseSoundness, IntegersThatDoNotCountAreFoundAllTheSame) {
  const Problem problem = problem_of(totals_text);
  EXPECT_THAT(
      rules_of([](const auto& in, const Case&) { return std::vector<Values>{Values(in[0].size(), 7)}; },
               problem),
      Contains("constant-output"));
  EXPECT_THAT(rules_of([](const auto& in, const Case&) { return std::vector<Values>{in[0]}; }, problem),
              Contains("aliasing-output"));
  const auto rows = [](const auto& in, const Case& bound) {
    const auto m = static_cast<std::size_t>(bound.integers.at("m"));
    auto outputs = totals(1 << 20)(in, bound);
    for (std::size_t i = 0; i < outputs[0].size(); ++i) {
      outputs[0][i] = outputs[0][i / m * m + m - 1];
      outputs[0].integers[i] = outputs[0].integers[i / m * m + m - 1];
    }
    return outputs;
  };
  EXPECT_THAT(rules_of(rows, problem), Contains("axis-constant"));
}

TEST(CaseSoundness, AReferenceOfIntegersHasToBeTheOracle) {
  const Problem problem = problem_of(totals_text);
  FakeRunner runner(problem, [](const auto& in, const Case& bound) {
    auto outputs = totals(1000)(in, bound);
    outputs[0].integers.clear();
    return outputs;
  });
  runner.reference_error = 1e-3F;  // which makes 1001 of 1000
  const auto findings = findings_of(runner, problem);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "reference-imprecise");
  EXPECT_THAT(findings[0].what.message, HasSubstr("'out' is compared exactly"));
}

// The reference, and the oracle in every second call, choose the last of equal elements.
TEST(CaseSoundness, TiedIndicesAreNoErrors) {
  std::string text = replace_all(totals_text, "int64_t", "int");
  text =
      replace_all(text, "const: false, shape: [n, m]", "const: false, shape: [n], compare: \"ties(x, 1)\"");
  text = replace_all(text, "integers(-9, 9)", "integers(-2, 2)");
  text = replace_all(text, "n: 6, m: 5", "n: 40, m: 30");
  const Problem problem = problem_of(replace_all(text, "n: 3, m: 7", "n: 50, m: 20"));
  int calls = 0;
  const Function indices = [&](const auto& in, const Case& bound) {
    const auto m = static_cast<std::size_t>(bound.integers.at("m"));
    const bool takes_last = ++calls % 2 == 0;
    Values out;
    for (std::size_t row = 0; row < in[0].size(); row += m) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < m; ++k) {
        if (in[0][row + k] > in[0][row + best] || (takes_last && in[0][row + k] == in[0][row + best]))
          best = k;
      }
      out.push_back(static_cast<float>(best));
    }
    return std::vector<Values>{out};
  };
  FakeRunner runner(problem, indices);
  runner.reference_error = 0;
  std::vector<std::string> rules;
  for (const LintFinding& finding : findings_of(runner, problem)) rules.push_back(finding.rule);
  EXPECT_THAT(rules, Not(Contains("reference-unsteady")));
  EXPECT_THAT(rules, Not(Contains("reference-imprecise")));
  EXPECT_THAT(rules, Not(Contains("zeros-pass")));
}

TEST(CaseSoundness, AnOracleThatChangesItsMindEndsTheLook) {
  int calls = 0;
  EXPECT_THAT(rules_of([&](const auto& in, const Case& bound) {
                auto outputs = sound(in, bound);
                outputs[0].back() += static_cast<float>(++calls);
                return outputs;
              }),
              ElementsAre("reference-unsteady"));
}

TEST(CaseSoundness, AReferenceThatIsFarOffIsFound) {
  const Problem problem = problem_with();
  FakeRunner runner(problem, sound);
  runner.reference_error = 1e-4F;
  const auto findings = findings_of(runner, problem);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "reference-imprecise");
  EXPECT_THAT(findings[0].what.message,
              HasSubstr("the error is 1.0e-04 over the whole output, and fp32 allows 1.0e-05"));
}

TEST(CaseSoundness, AFailingCallIsAFindingAndTheEnd) {
  const Problem problem = problem_with();
  for (int call = 1; call < 40; call += 4) {
    FakeRunner runner(problem, sound);
    runner.failing_call = call;
    const auto findings = findings_of(runner, problem);
    ASSERT_EQ(findings.size(), 1U) << call;
    EXPECT_EQ(findings[0].rule, "reference-fails") << call;
  }
}

}  // namespace case_soundness_test
}  // namespace kgrade::test
