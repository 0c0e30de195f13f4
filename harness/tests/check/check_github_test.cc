#include "check/check_github.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_check.h"

namespace kgrade {
namespace check_github_test {

using testing::HasSubstr;

std::vector<CheckRecord> with_one_for_a_gpu() {
  CheckRecord record = test::sample_check();
  CheckedCandidate candidate;
  candidate.path = "ptx.cu";
  candidate.status = CheckStatus::unsupported;
  candidate.message = "ptx.cu:4: inline assembly";
  record.candidates.push_back(candidate);
  return {record};
}

TEST(CheckGithub, ACompileErrorHasItsLineAndTheFirstFindingOfEachCandidateComesFirst) {
  CheckRecord record;
  record.problem_slug = "scale";
  const auto candidate = [&](const std::string& path, CheckStatus status, const std::string& message) {
    CheckedCandidate made;
    made.path = path;
    made.status = status;
    made.message = message;
    return made;
  };
  CheckedCandidate racy = candidate("racy.cu", CheckStatus::findings, "");
  racy.findings.resize(2);
  racy.findings[0].kind = "race";
  racy.findings[1].kind = "out_of_bounds";
  record.candidates = {racy,
                       candidate("bad.cu", CheckStatus::compile_error, "bad.cu:7:3: error: expected ';'"),
                       candidate("old.cu", CheckStatus::compile_error, "nvcc is gone")};
  const std::string text = github_annotations({record});
  EXPECT_THAT(text, HasSubstr("::error file=bad.cu,line=7,title=compile_error"));
  EXPECT_THAT(text, HasSubstr("::error file=old.cu,title=compile_error"));
  EXPECT_LT(text.find("race"), text.find("bad.cu"));
  EXPECT_LT(text.find("old.cu"), text.find("out_of_bounds"));
}

TEST(CheckGithub, AFindingIsAnErrorAtItsLine) {
  EXPECT_EQ(
      github_annotations(with_one_for_a_gpu()),
      "::error file=mine/x.cu,line=9,title=race%3A scale::reads 4 bytes of shared memory: thread (3,0,0) "
      "wrote it at x.cu:7 with no barrier between\n"
      "::error file=mine/x.cu,title=wrong_answer%3A scale::the answer is wrong in reverse order: `out` is "
      "off\n"
      "::notice file=ptx.cu,title=unsupported%3A scale::ptx.cu:4: inline assembly\n");
}

TEST(CheckGithub, TheSummarySaysWhyAndWhatIsClean) {
  const std::string text = github_summary(with_one_for_a_gpu());
  EXPECT_THAT(text, HasSubstr("### kgrade check: 1 of 3 clean, 1 unsupported on this machine\n"));
  EXPECT_THAT(text, HasSubstr("| scale | <code>mine/x&#46;cu</code> | **race** | "
                              "<code>mine/x&#46;cu&#58;9</code>: <code>reads 4 bytes"));
  EXPECT_THAT(text, HasSubstr("| scale | <code>ptx&#46;cu</code> | unsupported | "));
  EXPECT_THAT(text, HasSubstr("| scale | <code>good&#46;cu</code> | clean | |\n"));
}

TEST(CheckGithub, WhatDoesNotCompileIsAnError) {
  CheckRecord record = test::sample_check();
  record.candidates.resize(1);
  record.candidates[0].findings.clear();
  record.candidates[0].status = CheckStatus::compile_error;
  record.candidates[0].message = "no 'x'";
  EXPECT_EQ(github_annotations({record}), "::error file=mine/x.cu,title=compile_error%3A scale::no 'x'\n");
}

// What an architecture of GPUs lacks is the candidate's affair.
TEST(CheckGithub, OnAGpuNothingNeedsAnother) {
  std::vector<CheckRecord> records = with_one_for_a_gpu();
  records[0].device.kind = "cuda";
  EXPECT_THAT(github_annotations(records), HasSubstr("::error file=ptx.cu,"));
}

}  // namespace check_github_test
}  // namespace kgrade
