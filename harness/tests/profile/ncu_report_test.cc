#include "profile/ncu_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/source_places.h"
#include "profile/ncu_source.h"
#include "tests/profile/recorded.h"

namespace kgrade::ncu_report_test {

using test::recorded;
using test::recorded_kernel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(NcuReport, EveryMetricThatIsAskedForIsInTheRecordedPage) {
  const std::string page = recorded("ncu_raw.csv");
  for (const std::string& metric : ncu_metrics(true)) EXPECT_THAT(page, HasSubstr("\"" + metric + "\""));
}

TEST(NcuReport, ReadsLaunchesWithTheirGrids) {
  const NcuReport report = parse_raw_page(recorded("ncu_raw.csv"));
  ASSERT_THAT(report.launches, SizeIs(8));
  EXPECT_EQ(report.nulls, 0u);
  const KernelProfile& transpose = report.launches[2];
  EXPECT_EQ(transpose.name, "conflicting_transpose");
  EXPECT_EQ(transpose.mangled, "_Z21conflicting_transposePKfPfi");
  EXPECT_THAT(transpose.grid, ElementsAre(64, 64, 1));
  EXPECT_THAT(transpose.block, ElementsAre(32, 32, 1));
  EXPECT_EQ(report.launches[5].name, "divergent<32>");
}

TEST(NcuReport, NumbersWithCommasBecomeFactsInBaseUnits) {
  const KernelProfile copy = recorded_kernel("strided_copy");
  EXPECT_DOUBLE_EQ(*copy.fact("duration_us"), 409.504);
  EXPECT_DOUBLE_EQ(*copy.fact("dram_read_b"), 1073754368);
  EXPECT_DOUBLE_EQ(*copy.fact("load_sectors_per_request"), 32);
  EXPECT_DOUBLE_EQ(*copy.fact("load_bytes_per_sector"), 4);
  EXPECT_DOUBLE_EQ(*copy.fact("store_sectors_per_request"), 4);
  EXPECT_DOUBLE_EQ(*copy.fact("registers"), 18);
}

TEST(NcuReport, ConflictsSpillsAndTensorCoresShow) {
  EXPECT_NEAR(*recorded_kernel("conflicting_transpose").fact("shared_conflict_pct"), 94, 1);
  EXPECT_THAT(recorded_kernel("conflicting_transpose").occupancy_limits, testing::ElementsAre("warps"));
  EXPECT_DOUBLE_EQ(*recorded_kernel("spilling").fact("local_sectors"), 30141336 + 25791924);
  EXPECT_DOUBLE_EQ(*recorded_kernel("tensor_product").fact("tensor_pipe_pct"), 4.32);
  EXPECT_DOUBLE_EQ(*recorded_kernel("product_fp32").fact("fp32_flops"), 2.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*recorded_kernel("divergent<32>").fact("threads_per_instruction"), 15.97);
}

TEST(NcuReport, ACounterThatIsNotANumberIsNull) {
  const NcuReport report = parse_raw_page(
      "\"ID\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"sm__warps_active.avg.pct_of_"
      "peak_sustained_active\"\n\"\",\"\",\"ns\",\"byte\",\"%\"\n\"0\",\"_Z1fv\",\"1,000\",\"nan\",\"n/"
      "a\"\n");
  ASSERT_THAT(report.launches, SizeIs(1));
  EXPECT_EQ(report.nulls, 2u);
  const Counters& facts = report.launches[0].facts;
  EXPECT_DOUBLE_EQ(facts.at("duration_us").value(), 1);
  ASSERT_EQ(facts.count("dram_read_b"), 1u);
  EXPECT_FALSE(facts.at("dram_read_b"));
  EXPECT_FALSE(facts.at("occupancy_pct"));
  EXPECT_EQ(facts.count("registers"), 0u) << "absent is not null";
}

TEST(NcuReport, OtherTextHasNoLaunches) {
  EXPECT_THAT(parse_raw_page("").launches, IsEmpty());
  EXPECT_THAT(parse_raw_page("==PROF== Disconnected\n\"a\",\"b\n").launches, IsEmpty());
}

TEST(NcuReport, CellsMayHoldQuotesAndLines) {
  EXPECT_THAT(parse_csv("==WARNING== of ncu\n\"a \"\"b\"\"\",\"c,\nd\"\r\ne,\n"),
              ElementsAre(ElementsAre("a \"b\"", "c,\nd"), ElementsAre("e", "")));
}

TEST(NcuReport, SaysWhatToDoWithoutRights) {
  const auto complaint = complaint_of(
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
      "Counters");
  ASSERT_TRUE(complaint);
  EXPECT_THAT(complaint->remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_FALSE(complaint_of("==PROF== Connected to process 1556\n==WARNING== No kernels were profiled.\n"));
  EXPECT_THAT(complaint_of("==ERROR== Failed to prepare kernel for profiling\n")->message,
              HasSubstr("Failed to prepare kernel"));
}

class NcuSource : public testing::Test {
 protected:
  NcuSource() {
    launches_ = parse_raw_page(recorded("ncu_raw.csv")).launches;
    add_places(recorded("ncu_source.csv"), {"/src/kernels.cu", "kernels.cu", "/build"}, quoted_, launches_);
  }
  // "loads 14": the line with most of it.
  static std::vector<std::string> worst(const KernelProfile& kernel) {
    std::vector<std::string> all;
    for (const WorstPlace& place : kernel.worst) {
      EXPECT_EQ(place.place.file, "kernels.cu");
      all.push_back(place.what + " " + std::to_string(place.place.line));
    }
    return all;
  }

  QuotedSource quoted_;
  std::vector<KernelProfile> launches_;
};

TEST_F(NcuSource, FindsTheLineOfTheWorst) {
  EXPECT_THAT(worst(launches_[1]), ElementsAre("loads 14", "stall 14"));
  EXPECT_THAT(worst(launches_[2]), ElementsAre("shared 21", "stall 21"));
  EXPECT_THAT(worst(launches_[4]), IsEmpty()) << "its section is left out of the recording";
  EXPECT_THAT(worst(launches_[6]), testing::Contains("stall 62"));
  EXPECT_DOUBLE_EQ(launches_[2].worst[0].share, 1);
}

TEST_F(NcuSource, LinesOfOthersHeadersAreNotShown) {
  for (const std::string& place : worst(launches_[3])) EXPECT_NE(place, "loads 91");
}

}  // namespace kgrade::ncu_report_test
