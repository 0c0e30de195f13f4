#include "check/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade {
namespace finding_test {

using testing::ElementsAre;
using testing::SizeIs;

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

}  // namespace finding_test
}  // namespace kgrade
