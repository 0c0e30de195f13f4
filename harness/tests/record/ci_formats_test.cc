#include "record/ci_formats.h"

#include <gmock/gmock.h>

namespace kgrade::ci_formats_test {

using testing::HasSubstr;
using testing::Not;

Record record(const std::string& slug, const std::string& path, Verdict verdict,
              const std::string& message = "") {
  Record e;
  e.candidates.resize(1);
  e.started_at = "2026-01-02T03:04:05Z";
  e.problem_slug = slug;
  e.device.name = "NVIDIA H200";
  e.candidate().path = path;
  e.candidate().verdict = verdict;
  e.candidate().message = message;
  e.total_seconds = 1.25;
  return e;
}

TEST(Junit, HasASuiteAProblemAndACaseACandidate) {
  Record half = record("add", "h.cu", Verdict::accepted);
  half.dtype = Dtype::float16;
  EXPECT_EQ(junit_xml({record("scale", "a.cu", Verdict::accepted),
                       record("scale", "b.cu", Verdict::wrong_answer, "case 'tiny': 3 < 4"), half}),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite id="0" package="kgrade" name="scale on NVIDIA H200" timestamp="2026-01-02T03:04:05" hostname="localhost" tests="2" failures="1" errors="0" skipped="0" time="2.500">
    <properties/>
    <testcase name="a.cu" classname="scale" time="1.250"/>
    <testcase name="b.cu" classname="scale" time="1.250">
      <failure type="wrong_answer" message="case &#39;tiny&#39;: 3 &lt; 4">wrong_answer: case &#39;tiny&#39;: 3 &lt; 4</failure>
    </testcase>
    <system-out/>
    <system-err/>
  </testsuite>
  <testsuite id="1" package="kgrade" name="add float16 on NVIDIA H200" timestamp="2026-01-02T03:04:05" hostname="localhost" tests="1" failures="0" errors="0" skipped="0" time="1.250">
    <properties/>
    <testcase name="h.cu" classname="add" time="1.250"/>
    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>
)");
}

TEST(Junit, WhatHasNoVerdictIsAnError) {
  const Ungraded lost{"scale", Dtype::float32,    "NVIDIA H200",
                      "b.cu",  "the lane <died>", "2026-01-02T03:04:06Z"};
  const Ungraded alone{"add", Dtype::float32, "", "c.cu", "no \"worker\"", "2026-01-02T03:04:07Z"};
  const std::string xml = junit_xml({record("scale", "a.cu", Verdict::accepted)}, {lost, alone});
  EXPECT_THAT(xml, HasSubstr("name=\"scale on NVIDIA H200\" timestamp=\"2026-01-02T03:04:05\" "
                             "hostname=\"localhost\" tests=\"2\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(xml,
              HasSubstr("<error type=\"not_graded\" message=\"the lane &lt;died&gt;\">not_graded: the lane "
                        "&lt;died&gt;</error>"));
  EXPECT_THAT(xml, HasSubstr("name=\"add on an unknown device\" timestamp=\"2026-01-02T03:04:07\""));
}

// The emulated device cannot run it, which says nothing of the candidate.
Record for_gpu(const std::string& path) {
  Record one = record("scale", path, Verdict::unsupported, "g.cu:4: inline assembly is for GPUs alone");
  one.device = {};
  one.device.kind = "emulated";
  return one;
}

TEST(Junit, WhatNeedsAGpuIsSkipped) {
  const std::string xml = junit_xml({for_gpu("g.cu")});
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr(">\n      <skipped message=\"g.cu:4: inline assembly is for GPUs alone\"/>\n"));
}

TEST(Github, FailuresComeFirst) {
  const std::string text =
      github_annotations({for_gpu("g.cu"), record("scale", "b.cu", Verdict::wrong_answer, "wrong")});
  EXPECT_LT(text.find("::error file=b.cu"), text.find("::notice file=g.cu"));
  EXPECT_THAT(text, testing::StartsWith("::error"));
}

TEST(Github, WhatNeedsAGpuIsANoticeAndNoFailure) {
  const std::vector<Record> records = {record("scale", "a.cu", Verdict::accepted), for_gpu("g.cu"),
                                       record("scale", "b.cu", Verdict::wrong_answer, "wrong")};
  EXPECT_EQ(github_annotations(records),
            "::error file=b.cu,title=wrong_answer%3A scale::wrong\n"
            "::notice file=g.cu,title=unsupported%3A scale::g.cu:4: inline assembly is for GPUs alone\n");
  EXPECT_EQ(
      github_summary(records),
      "### kgrade: 1 of 3 accepted, 1 unsupported on this machine\n\n"
      "| problem | candidate | verdict | class and speed | |\n| --- | --- | --- | --- | --- |\n"
      "| scale | <code>b&#46;cu</code> | **wrong_answer** |  | <code>wrong</code> |\n"
      "| scale | <code>g&#46;cu</code> | unsupported |  | <code>g&#46;cu&#58;4&#58; inline assembly is for "
      "GPUs alone</code> |\n"
      "| scale | <code>a&#46;cu</code> | accepted | fp32 |  |\n");
  Record on_gpu = for_gpu("g.cu");
  on_gpu.device.kind = "cuda";
  EXPECT_THAT(github_annotations({on_gpu}), testing::StartsWith("::error"));
}

TEST(Junit, HoldsNoCharacterThatXmlDoesNot) {
  const std::string xml = junit_xml(
      {record("scale", "a\x01\n\xff.cu", Verdict::cheating, "\x1b[31m\xEF\xBF\xBE ]]> &amp; \"\n")});
  for (const char c : {'\x01', '\x1b', '\xff'}) EXPECT_EQ(xml.find(c), std::string::npos);
  EXPECT_THAT(xml, HasSubstr("name=\"a\\x01&#10;\\xff.cu\""));
  EXPECT_THAT(xml, HasSubstr("\\x1b[31m? ]]&gt; &amp;amp; &quot;"));
}

TEST(Github, ACompileErrorIsAtItsLine) {
  EXPECT_EQ(
      github_annotations({record("scale", "a.cu", Verdict::accepted),
                          record("scale", "dir/b.cu", Verdict::compile_error, "dir/b.cu:12:3: error: no 'x'"),
                          record("scale", "dir/b.cu", Verdict::compile_error, "dir/b.cu(7): error: no \"x\""),
                          record("scale", "dir/b.cu", Verdict::compile_error, "other.h:12:3: error: no 'x'"),
                          record("scale", "c.cu", Verdict::wrong_answer, "c.cu:9: is not a compiler's")}),
      "::error file=dir/b.cu,line=12,title=compile_error%3A scale::dir/b.cu:12:3: error: no 'x'\n"
      "::error file=dir/b.cu,line=7,title=compile_error%3A scale::dir/b.cu(7): error: no \"x\"\n"
      "::error file=dir/b.cu,title=compile_error%3A scale::other.h:12:3: error: no 'x'\n"
      "::error file=c.cu,title=wrong_answer%3A scale::c.cu:9: is not a compiler's\n");
}

TEST(Github, NothingThatIsQuotedBecomesACommand) {
  EXPECT_EQ(
      github_annotations({record("scale", "a,b:c%.cu", Verdict::cheating, "100 %\r\n::set-env name=x::y\n")}),
      "::error file=a%2Cb%3Ac%25.cu,title=cheating%3A scale::100 %25\\x0d%0A::set-env name=x::y%0A\n");
}

TEST(Github, ALineThatIsNoneIsNotGiven) {
  for (const char* message :
       {"a.cu:0:1: error", "a.cu:-3: error", "a.cu:99999999999999: error", "a.cu:3", "a.cu(3: e", "a.cu"}) {
    EXPECT_THAT(github_annotations({record("scale", "a.cu", Verdict::compile_error, message)}),
                Not(HasSubstr("line=")))
        << message;
  }
}

TEST(Github, TheSummaryHasWhatWasRefusedFirst) {
  Record fast = record("scale", "a.cu", Verdict::accepted);
  fast.candidate().scores = {{"reference", {2, std::nullopt, 1}}, {"baseline", {0.5, std::nullopt, 1}}};
  EXPECT_EQ(github_summary({fast, record("scale", "b.cu", Verdict::unstable, "| <b>")}),
            "### kgrade: 1 of 2 accepted\n\n"
            "| problem | candidate | verdict | class and speed | |\n| --- | --- | --- | --- | --- |\n"
            "| scale | <code>b&#46;cu</code> | **unstable** |  | <code>&#124; &#60;b&#62;</code> |\n"
            "| scale | <code>a&#46;cu</code> | accepted | fp32, 0.500x the fastest baseline |  |\n");
}

TEST(Github, WhatHasNoVerdictIsSaidFirst) {
  const std::vector<Ungraded> lost = {
      {"scale", Dtype::float16, "", "b.cu", "killed\n::error::x", "2026-01-02T03:04:06Z"}};
  const std::vector<Record> records = {record("scale", "a.cu", Verdict::unstable, "slow")};
  EXPECT_THAT(github_annotations(records, lost),
              testing::StartsWith(
                  "::error file=b.cu,title=not graded%3A scale::killed%0A::error::x\n::error file=a"));
  EXPECT_EQ(github_summary(records, lost),
            "### kgrade: 0 of 2 accepted, 1 not graded\n\n"
            "| problem | candidate | verdict | class and speed | |\n| --- | --- | --- | --- | --- |\n"
            "| scale float16 | <code>b&#46;cu</code> | **not graded** |  | <code>killed "
            "&#58;&#58;error&#58;&#58;x</code> |\n"
            "| scale | <code>a&#46;cu</code> | **unstable** |  | <code>slow</code> |\n");
}

TEST(Github, ASummaryHasRoomForALot) {
  const std::vector<Record> many(
      20'000, record("scale", std::string(5000, '.'), Verdict::unstable, std::string(5000, '|')));
  const std::string text = github_summary(many);
  EXPECT_LT(text.size(), std::size_t{1} << 20u);
  EXPECT_THAT(text, HasSubstr("more are left out."));
}

TEST(Github, QuotedTextStopsCommandsUntilItsEnd) {
  EXPECT_EQ(github_quoted("::warning::x", "k1"), "::stop-commands::k1\n::warning::x\n::k1::\n");
  EXPECT_EQ(github_quoted("x\n", "k1"), "::stop-commands::k1\nx\n::k1::\n");
}

}  // namespace kgrade::ci_formats_test
