// Cases as they are written on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/case.h"

namespace kgrade {
namespace written_case_test {

using testing::HasSubstr;

Problem problem() {
  auto parsed = parse_problem(
      "---\nslug: copy\ntitle: Copy\ndifficulty: EASY\nparameters:\n"
      "  - {name: in, type: \"[VAR]\", pointer: true, const: true, shape: [n, m], init: ones}\n"
      "  - {name: out, type: \"[VAR]\", pointer: true, const: false, shape: [n, m]}\n"
      "  - {name: n, type: size_t, pointer: false}\n  - {name: m, type: int, pointer: false}\n"
      "  - {name: eps, type: float, pointer: false}\n  - {name: flag, type: bool, pointer: false}\n"
      "dtypes: [float32]\nrequire:\n  - n % m == 0\ndefaults: {eps: 0.5}\ncases:\n"
      "  - {name: plain, role: test, n: 30, m: 5, flag: false}\n"
      "  - {name: tiny, role: sample, n: 12, m: 3, flag: true}\n---\nText.\n",
      "copy.md");
  EXPECT_TRUE(parsed.ok()) << to_string(parsed.errors());
  return parsed.ok() ? *parsed : Problem{};
}

std::string refusal(const std::string& text) {
  const auto spec = parse_written_case(text, problem());
  return spec ? "none" : to_string(spec.errors());
}

TEST(WrittenCase, TakesWhatItDoesNotNameFromDefaultsAndTheSample) {
  const auto spec = parse_written_case("n=1000, m=10", problem());
  ASSERT_TRUE(spec.ok()) << to_string(spec.errors());
  EXPECT_EQ(spec->name, "n=1000,m=10");
  EXPECT_EQ(spec->role, CaseRole::test);
  EXPECT_EQ(spec->integers.at("n"), 1000);
  EXPECT_EQ(spec->integers.at("m"), 10);
  EXPECT_EQ(spec->integers.at("flag"), 1);
  EXPECT_EQ(spec->reals.at("eps"), 0.5);
  EXPECT_EQ(parse_written_case("eps=2.5", problem())->reals.at("eps"), 2.5);
}

TEST(WrittenCase, RequireHoldsForItToo) {
  const auto spec = parse_written_case("n=1000,m=7", problem());
  ASSERT_TRUE(spec.ok());
  const auto bound = resolve_case(problem(), *spec);
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(bound.error().message,
              HasSubstr("case 'n=1000,m=7': `n % m == 0` does not hold (n = 1000, m = 7)"));
}

TEST(WrittenCase, SaysWhatIsWrongInTheText) {
  EXPECT_THAT(refusal("n=1000,"), HasSubstr("--case 'n=1000,': '' is not NAME=VALUE"));
  EXPECT_THAT(refusal("n=1000,m"), HasSubstr("'m' is not NAME=VALUE"));
  EXPECT_THAT(refusal("n=1000,k=2"), HasSubstr("the problem has no scalar parameter 'k'"));
  EXPECT_THAT(refusal("in=2"), HasSubstr("the problem has no scalar parameter 'in'"));
  EXPECT_THAT(refusal("n=1,n=2"), HasSubstr("'n' has two values"));
  EXPECT_THAT(refusal("n=many"), HasSubstr("'n'"));
  EXPECT_THAT(refusal("m=3000000000"), HasSubstr("outside of the type int"));
  EXPECT_THAT(refusal("n=" + std::string(300, '1')), HasSubstr("more than 200 characters"));
}

}  // namespace written_case_test
}  // namespace kgrade
