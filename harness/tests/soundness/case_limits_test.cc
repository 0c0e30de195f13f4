// What cases cost, and which of them lint runs.
#include "soundness/case_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "soundness/lint_run.h"

namespace kgrade::test {
namespace case_limits_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* sample_text = R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n], init: ones}
  - {name: y, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: work, type: int, pointer: false, const: false}
flops: work
dtypes: [float32]
cases:
  - {name: small, role: test, n: 100, work: 100}
  - {name: slow, role: test, n: 100, work: 100000000}
  - {name: wide, role: test, n: 4000000, work: 100}
  - {name: fast, role: bench, n: 100, work: 100}
  - {name: endless, role: bench, n: 100, work: 2000000000}
---
text
)yaml";

class Limits : public ::testing::Test {
 protected:
  std::string reason(const std::string& name, const SoundnessLimits& limits) const {
    return why_skipped(bound(name), limits);
  }
  Case bound(const std::string& name) const { return *resolve_case(problem_, *problem_.find_case(name)); }

  Problem problem_ = *parse_problem(sample_text, "sample.md");
};

TEST_F(Limits, ByDefaultTheSmallCasesAlone) {
  const SoundnessLimits usual = soundness_limits(false, true);
  EXPECT_THAT(reason("small", usual), IsEmpty());
  EXPECT_THAT(reason("slow", usual), HasSubstr("1e+08 operations"));
  EXPECT_THAT(reason("wide", usual), HasSubstr("of tensors"));
  EXPECT_THAT(reason("fast", usual), HasSubstr("--deep"));
}

TEST_F(Limits, DeepTakesWhatTheDeviceCanRun) {
  const SoundnessLimits emulated = soundness_limits(true, true);
  for (const char* name : {"small", "slow", "wide", "fast"}) EXPECT_THAT(reason(name, emulated), IsEmpty());
  EXPECT_THAT(reason("endless", emulated), HasSubstr("2e+09 operations"));
  EXPECT_THAT(reason("endless", soundness_limits(true, false)), IsEmpty());
}

TEST_F(Limits, ACaseMustFitThreeTimesIntoTheMemory) {
  const std::vector<Case> cases = {bound("small"), bound("wide")};
  LintFindings findings(problem_);
  // Two tensors of 16 MB, three times, and the zones around them.
  find_cases_beyond_memory(findings, cases, {97'000'000, "a device"});
  EXPECT_TRUE(findings.empty());
  find_cases_beyond_memory(findings, cases, {96'000'000, "a device"});
  ASSERT_EQ(findings.all().size(), 1U);
  EXPECT_EQ(findings.all()[0].rule, "beyond-memory");
  EXPECT_THAT(findings.all()[0].what.message, HasSubstr("case 'wide': needs 92 MiB"));
}

TEST_F(Limits, WhatACaseTakesOfTheHostIsKnownBefore) {
  // Two answers and two sets of inputs, 16 MB each, and the rest.
  const std::uint64_t needed = host_bytes_needed(bound("wide"), copies_of_lint);
  EXPECT_EQ(needed, 64'000'000U + (512U << 20));
  EXPECT_THAT(why_beyond_host(bound("wide"), copies_of_lint, needed), IsEmpty());
  EXPECT_EQ(why_beyond_host(bound("wide"), copies_of_lint, needed - 1),
            "it needs 573 MiB of the host's memory, and 573 MiB are free");
  EXPECT_GT(host_bytes_needed(bound("wide"), copies_of_calibrate), needed);
}

// As Linux has them in /proc and /sys.
class HostMemory : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& content) const {
    std::filesystem::create_directories((root_.path() / file).parent_path());
    std::ofstream(root_.path() / file) << content;
  }
  std::uint64_t available() const { return host_bytes_available(root_.path()); }

 private:
  TemporaryDirectory root_;
};

TEST_F(HostMemory, IsWhatTheMachineHasLeft) {
  EXPECT_EQ(available(), std::numeric_limits<std::uint64_t>::max());
  write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:    500 kB\n");
  EXPECT_EQ(available(), 500U * 1024);
}

TEST_F(HostMemory, IsNoMoreThanAnyControlGroupAllows) {
  write("proc/meminfo", "MemAvailable: 500 kB\n");
  write("proc/self/cgroup", "12:cpu:/\n0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "7\n");
  EXPECT_EQ(available(), 500U * 1024);
  write("sys/fs/cgroup/outer/memory.max", "300000\n");
  write("sys/fs/cgroup/outer/memory.current", "200000\n");
  EXPECT_EQ(available(), 100000U);
  write("sys/fs/cgroup/outer/memory.stat", "anon 50000\nfile 150000\n");
  EXPECT_EQ(available(), 250000U) << "pages of files can be given back";
}

// What lint says of `without` and `harmless`, and of inputs without families.
Problem problem_with(const std::string& keys, const std::string& init = "normal(0, 1)") {
  auto problem = parse_problem(R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n, m], init: ")yaml" +
                                   init +
                                   R"yaml("}
  - {name: ones, type: "[VAR]", pointer: true, const: true, shape: [m], init: ones}
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: m, type: int, pointer: false, const: false}
dtypes: [float32, float16]
terms: m
cases:
  - {name: small, role: test, n: 40, m: 50}
  - {name: long, role: test, n: 40, m: 5000}
)yaml" + keys + R"yaml(---
text
)yaml",
                               "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

std::vector<LintFinding> findings_of(const std::string& keys, const std::string& init = "normal(0, 1)") {
  const Problem problem = problem_with(keys, init);
  LintFindings findings(problem);
  find_entries_without_effect(findings, problem);
  return findings.all();
}

std::vector<std::string> notes_of(const std::string& keys, const std::string& init = "normal(0, 1)") {
  const Problem problem = problem_with(keys, init);
  std::vector<Case> cases;
  for (const CaseSpec& spec : problem.cases) cases.push_back(*resolve_case(problem, spec));
  return notes_on_families(problem, cases);
}

TEST(LeftOut, AnEntryThatLeavesOutSomethingIsRight) {
  EXPECT_THAT(findings_of("without: {x: {shifted: why, sparse: why}}\nharmless: {first-half: why}\n"),
              IsEmpty());
  EXPECT_THAT(findings_of("without: {x: {all: why}}\n"), IsEmpty());
  // Both cases have rows of many terms, but hidden ones may not.
  EXPECT_THAT(findings_of("domain: {x: \"-9..9\"}\nwithout: {x: {one_value: why}}\n"), IsEmpty());
}

TEST(LeftOut, AFamilyThatTheInputNeverHasIsFoundWithItsPlace) {
  const auto findings = findings_of("without:\n  x:\n    shifted: why\n    cycle: why\n");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "family-not-drawn");
  EXPECT_EQ(findings[0].what.message, "'without' of 'x' names 'cycle', which this input never has");
  EXPECT_THAT(findings[0].what.remedy, HasSubstr("its families are: sparse, zero_rows, nonnegative"));
  EXPECT_EQ(findings[0].what.location.line, 19);
  EXPECT_EQ(findings[0].what.location.column, 5);
}

TEST(LeftOut, AnInputWithoutFamiliesNeedsNoEntry) {
  const auto findings = findings_of("without: {ones: {all: why}}\n");
  ASSERT_EQ(findings.size(), 1U) << "not one for each family";
  EXPECT_EQ(findings[0].what.message, "'without' of 'ones' leaves out nothing: 'ones' has no families");
}

TEST(LeftOut, AShortCutThatIsNeverTriedIsFoundWithItsPlace) {
  const auto findings = findings_of("harmless:\n  first-hal: why\n  integers-without-a-bit: why\n");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "short-cut-unknown");
  EXPECT_THAT(findings[0].what.message, HasSubstr("'first-hal', which is no short cut"));
  EXPECT_EQ(findings[0].what.location.line, 17);
  EXPECT_THAT(findings[1].what.message, HasSubstr("'integers-without-a-bit', which lint never tries here"));
  EXPECT_EQ(findings[1].what.location.line, 18);
  EXPECT_THAT(findings_of("precision: tf32\nharmless: {operands-in-tf32: why}\n"), testing::SizeIs(1));
}

TEST(LeftOut, AnInputWithoutFamiliesIsNoted) {
  EXPECT_THAT(notes_of(""), IsEmpty());
  EXPECT_THAT(
      notes_of("", "uniform(0.5, 1)"),
      ElementsAre(AllOf(HasSubstr("'x' has no families of inputs, so"), HasSubstr("state `domain`"))));
  EXPECT_THAT(notes_of("without: {x: {all: why}}\n"), ElementsAre(HasSubstr("`without` leaves them out")));
  EXPECT_THAT(notes_of("domain: {x: \"0.5..1\"}\n", "uniform(0.5, 1)"),
              ElementsAre(HasSubstr("'x' has no families of inputs in long, so")));
}

}  // namespace case_limits_test
}  // namespace kgrade::test
