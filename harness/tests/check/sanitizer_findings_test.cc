// Reports in the format of compute-sanitizer 2025.3 (CUDA 13.0).
#include "check/sanitizer_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/finding.h"

namespace kgrade {
namespace sanitizer_findings_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FakePlaces : public PlaceFinder {
 public:
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override {
    std::vector<std::optional<SourcePlace>> places;
    for (const std::uint64_t pc : pcs) {
      places.push_back(pc == 0x2200 ? std::optional(SourcePlace{"mine/x.cu", 22, "solution"}) : std::nullopt);
    }
    return places;
  }
};

class SanitizerFindings : public testing::Test {
 protected:
  SanitizerFindings() {
    case_.tensors = {{"input", 0, false, {64}, 64, {}}, {"output", 1, true, {32}, 32, {}}};
  }
  std::vector<Finding> read(const std::string& report, int calls = 2) {
    return findings_of_report(report, case_, calls, own_, &places_, source_);
  }

  Case case_;
  OwnSources own_{"/project/mine/x.cu", "mine/x.cu", "/build-folder"};
  FakePlaces places_;
  QuotedSource source_;
};

TEST_F(SanitizerFindings, AnInvalidAccessHasPlaceThreadAndDistance) {
  const auto findings = read(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at void scale<(int)3>(const float *, float *, int)+0xc0 in /project/mine/x.cu:7\n"
      "=========     by thread (64,1,0) in block (2,0,0)\n"
      "=========     Access to 0x7f83f8800100 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f83f8800000 of size 256 bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========         Host Frame: solution [0x8dcb] in contestant.so\n"
      "========= \n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, "out_of_bounds");
  EXPECT_EQ(findings[0].message,
            "reads 4 bytes, just past the end of an allocation as large as `input` (256 bytes)");
  EXPECT_EQ(findings[0].kernel, "scale<(int)3>");
  ASSERT_TRUE(findings[0].place);
  EXPECT_EQ(findings[0].place->file, "mine/x.cu");
  EXPECT_EQ(findings[0].place->line, 7);
  EXPECT_THAT(findings[0].thread->thread, ElementsAre(64, 1, 0));
  EXPECT_THAT(findings[0].thread->block, ElementsAre(2, 0, 0));
}

std::string invalid(const std::string& headline, const std::string& reason, const std::string& more = "") {
  return "========= " + headline + "\n=========     at k(float *)+0x10 in /project/mine/x.cu:7\n" +
         "=========     by thread (0,0,0) in block (0,0,0)\n=========     Access to 0x500 is " + reason +
         "\n" + more + "========= \n";
}

TEST_F(SanitizerFindings, TellsKindsOfInvalidAccessesApart) {
  const auto shared = read(invalid("Invalid __shared__ write of size 4 bytes", "out of bounds"));
  EXPECT_EQ(shared.at(0).kind, "out_of_bounds");
  EXPECT_EQ(shared.at(0).message, "writes 4 bytes outside of shared memory");
  EXPECT_EQ(read(invalid("Invalid __global__ read of size 16 bytes", "misaligned")).at(0).kind,
            "misaligned_access");
  const auto null =
      read(invalid("Invalid __global__ read of size 4 bytes", "out of bounds",
                   "=========     and is 140,254,000,000,000 bytes before the nearest allocation at "
                   "0x7f83f8800000 of size 256 bytes\n"));
  EXPECT_EQ(null.at(0).kind, "invalid_address");
  const auto before =
      read(invalid("Invalid __global__ write of size 4 bytes", "out of bounds",
                   "=========     and is 4 bytes before the nearest allocation at 0x7f83f8800000 "
                   "of size 100 bytes\n"));
  EXPECT_EQ(before.at(0).message, "writes 4 bytes, 4 bytes before the start of an allocation (100 bytes)");
}

TEST_F(SanitizerFindings, ARaceHasTwoPlaces) {
  const auto findings = read(
      "========= Error: Race reported between Write access at k(float *)+0xa0 in /project/mine/x.cu:17\n"
      "=========     and Read access at k(float *)+0xb0 in /project/mine/x.cu:18 [256 hazards]\n"
      "========= \n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, "race");
  EXPECT_EQ(findings[0].place->line, 18);
  EXPECT_EQ(findings[0].other_place->line, 17);
  EXPECT_EQ(findings[0].occurrences, 256u);
  EXPECT_EQ(findings[0].message,
            "reads shared memory that another thread wrote at x.cu:17 with no barrier between");
}

TEST_F(SanitizerFindings, UnwrittenMemoryAndBarriers) {
  const auto findings = read(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at k(float *)+0x80 in /project/mine/x.cu:21\n"
      "=========     by thread (1,0,0) in block (0,0,0)\n"
      "=========     Address 0x7f39fa800204\n"
      "========= \n"
      "========= Barrier error detected. Divergent thread(s) in warp.\n"
      "=========     at k(float *)+0x70 in /project/mine/x.cu:28\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "========= \n"
      "========= Barrier error detected. Invalid arguments.\n"
      "=========     at k(float *)+0x70 in /project/mine/x.cu:30\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n");
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].kind, "uninitialized_read");
  EXPECT_EQ(findings[0].message, "reads 4 bytes of device memory that was never written");
  EXPECT_EQ(findings[1].kind, "divergent_barrier");
  EXPECT_THAT(findings[1].message, HasSubstr("Divergent thread(s) in warp."));
  EXPECT_EQ(findings[2].kind, "warp_mask");
  EXPECT_EQ(findings[2].place->line, 30);
}

std::string leak(const std::string& address, const std::string& frame) {
  return "========= Leaked 1,000 bytes at " + address +
         "\n=========     Saved host backtrace up to driver entry point at allocation time\n" +
         "=========         Host Frame: cudaMalloc [0x4e076] in contestant.so\n" +
         "=========         Host Frame: solution [" + frame + "] in contestant.so\n========= \n";
}

TEST_F(SanitizerFindings, WhatEveryCallLeavesIsALeak) {
  const auto findings = read(leak("0x100", "0x2200") + leak("0x200", "0x2200"));
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].kind, "leak");
  EXPECT_EQ(findings[0].place->line, 22);
  EXPECT_EQ(findings[0].message, "1,000 bytes stay allocated after every call");
}

// As compute-sanitizer 2025.3.1 writes it.
TEST_F(SanitizerFindings, ALeakHasItsLineIfTheModuleIsOnALineOfItsOwn) {
  const auto newer = [](const std::string& address) {
    return "========= Leaked 1,000 bytes at " + address +
           "\n=========     Saved host backtrace up to driver entry point at allocation time\n"
           "=========         Host Frame: cuMemAlloc_v2 [0x2100]\n"
           "=========                        in /usr/local/nvidia/lib64/libcuda.so.1\n"
           "=========         Host Frame:  [0x4cd66]\n"
           "=========                        in /proc/self/fd/56\n"
           "=========         Host Frame: solution [0x2200]\n"
           "=========                        in /proc/self/fd/56\n"
           "=========         Host Frame: main [0x2300]\n"
           "=========                        in /project/build/bin/kgrade-worker-cuda\n========= \n";
  };
  const auto findings = read(newer("0x100") + newer("0x200"));
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].kind, "leak");
  ASSERT_TRUE(findings[0].place);
  EXPECT_EQ(findings[0].place->line, 22);
}

TEST_F(SanitizerFindings, WhatOneCallKeepsIsNone) {
  EXPECT_THAT(read(leak("0x100", "0x2200")), IsEmpty());
  EXPECT_THAT(read(leak("0x100", "0x2200") + leak("0x200", "0x2300")), IsEmpty());
  // A call that fails frees nothing.
  EXPECT_THAT(read(leak("0x100", "0x2200"), 1), IsEmpty());
}

TEST_F(SanitizerFindings, ForeignCodeHasNoPlaceAndCodeWithoutLinesHasAKernel) {
  const auto foreign = read(
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at (anonymous namespace)::k(float *)+0x10 in /usr/local/cuda/include/x.cu:7\n");
  EXPECT_FALSE(foreign.at(0).place);
  EXPECT_EQ(foreign.at(0).kernel, "(anonymous namespace)::k");
  const auto bare =
      read("========= Invalid __global__ read of size 4 bytes\n=========     at k(float *)+0x10\n");
  EXPECT_EQ(bare.at(0).kernel, "k");
}

TEST_F(SanitizerFindings, ErrorsOfTheRuntimeAndOutputOfTheProgramAreNone) {
  EXPECT_THAT(
      read(
          "========= COMPUTE-SANITIZER\n"
          "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on "
          "CUDA API call to cudaDeviceSynchronize.\n"
          "=========     at k(float *)+0x10 in /project/mine/x.cu:7\n"
          "========= \n"
          "Invalid __global__ read of size 4 bytes\n"
          "========= LEAK SUMMARY: 512 bytes leaked in 2 allocations\n"),
      IsEmpty());
}

TEST(SanitizerReport, GarbageIsPassedOver) {
  EXPECT_THAT(parse_sanitizer_report(""), IsEmpty());
  EXPECT_THAT(parse_sanitizer_report("=========\n=========     at \n========= Leaked\n"), IsEmpty());
  const auto cut = parse_sanitizer_report("========= Invalid __global__ read of si");
  EXPECT_THAT(cut, SizeIs(1));
}

// The candidate chooses the names: of several places in one line, the last counts.
TEST_F(SanitizerFindings, NamesMayHoldWhatLooksLikeAPlace) {
  std::string name;
  while (name.size() < 4000) name += "+0x1 in :1";
  const std::string entry =
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at " +
      name + "f()+0xc0 in /project/mine/x.cu:7\n";
  std::string report;
  for (int i = 0; i < 100; ++i) report += entry;
  const auto findings = read(report);
  ASSERT_THAT(findings, SizeIs(100));
  ASSERT_TRUE(findings[0].place);
  EXPECT_EQ(findings[0].place->line, 7);
}

TEST_F(SanitizerFindings, ADistanceBeyondAnyNumberIsFar) {
  const auto findings = read(
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at f()+0xc0 in /project/mine/x.cu:7\n"
      "=========     Access to 0x10 is out of bounds\n"
      "=========     and is 9223372036854775808 bytes before the nearest allocation at 0x10 of size 1 "
      "bytes\n");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, "invalid_address");
}

Finding finding_at(const std::string& kind, int line, int other_line = 0) {
  Finding finding;
  finding.kind = kind;
  if (line > 0) finding.place = FindingPlace{"x.cu", line, "", ""};
  if (other_line > 0) finding.other_place = FindingPlace{"x.cu", other_line, "", ""};
  return finding;
}

TEST(FindingList, EqualOnesAreOneWithAllTheirPasses) {
  FindingList list;
  list.add(finding_at("race", 5, 4), "tiny", "reverse");
  list.add(finding_at("race", 5, 4), "tiny", "shuffled");
  list.add(finding_at("race", 5, 4), "plain", "reverse");
  const auto findings = list.findings();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].first_case, "tiny");
  EXPECT_EQ(findings[0].occurrences, 3u);
  EXPECT_THAT(findings[0].passes, ElementsAre("reverse", "shuffled"));
}

TEST(FindingList, ARaceIsTheSameWhicheverAccessComesFirst) {
  FindingList list;
  list.add(finding_at("race", 5, 4), "tiny", "forward");
  list.add(finding_at("race", 4, 5), "tiny", "reverse");
  list.add(finding_at("race", 5, 6), "tiny", "reverse");
  EXPECT_THAT(list.findings(), SizeIs(2));
}

TEST(FindingList, OtherKindsAndLinesAreOtherFindings) {
  FindingList list;
  list.add(finding_at("leak", 5), "tiny", "forward");
  list.add(finding_at("leak", 6), "tiny", "forward");
  list.add(finding_at("out_of_bounds", 5), "tiny", "forward");
  EXPECT_THAT(list.findings(), SizeIs(3));
}

TEST(FindingList, WithoutAPlaceTheKernelTellsThemApart) {
  FindingList list;
  Finding finding = finding_at("out_of_bounds", 0);
  finding.kernel = "first";
  list.add(finding, "tiny", "forward");
  list.add(finding, "tiny", "reverse");
  finding.kernel = "second";
  list.add(finding, "tiny", "forward");
  EXPECT_THAT(list.findings(), SizeIs(2));
}

TEST(FindingList, ThoseWithAPlaceComeFirst) {
  FindingList list;
  list.add(finding_at("wrong_answer", 0), "tiny", "forward");
  list.add(finding_at("race", 5, 4), "tiny", "reverse");
  EXPECT_EQ(list.findings()[0].kind, "race");
}

TEST(FindingList, CausesComeBeforeTheRacesThatFollowFromThem) {
  FindingList list;
  list.add(finding_at("race", 5, 4), "tiny", "forward");
  list.add(finding_at("out_of_bounds", 0), "tiny", "forward");
  list.add(finding_at("uninitialized_read", 6), "tiny", "forward");
  list.add(finding_at("out_of_bounds", 7), "tiny", "reverse");
  list.add(finding_at("divergent_barrier", 8), "tiny", "reverse");
  std::vector<std::string> kinds;
  for (const Finding& finding : list.findings()) kinds.push_back(finding.kind);
  EXPECT_THAT(kinds, ElementsAre("out_of_bounds", "divergent_barrier", "race", "uninitialized_read",
                                 "out_of_bounds"));
}

TEST(FindingList, EvidenceExplainsWhatFollowsFromIt) {
  EXPECT_TRUE(explains({finding_at("out_of_bounds", 5)}, Verdict::runtime_error));
  EXPECT_TRUE(explains({finding_at("out_of_bounds", 5)}, Verdict::out_of_bounds));
  EXPECT_TRUE(explains({finding_at("divergent_barrier", 5)}, Verdict::time_limit));
  EXPECT_FALSE(explains({finding_at("leak", 5)}, Verdict::runtime_error));
  EXPECT_FALSE(explains({finding_at("race", 5)}, Verdict::wrong_answer));
  EXPECT_FALSE(explains({}, Verdict::runtime_error));
}

}  // namespace sanitizer_findings_test
}  // namespace kgrade
