#include "profile/profiler.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "profile/ncu_report.h"
#include "tests/profile/recorded.h"

namespace kgrade::profiler_test {

using test::profile_fixtures;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// fixtures/profile/fake_ncu.sh takes the place of ncu.
class ProfilerTest : public testing::Test {
 protected:
  ProfilerTest() {
    const auto programs = folder_.path() / "bin";
    std::filesystem::create_directory(programs);
    std::filesystem::create_symlink(profile_fixtures + "fake_ncu.sh", programs / "ncu");
    path_ = std::getenv("PATH");
    ::setenv("PATH", (programs.string() + ":" + path_).c_str(), 1);
    profiler_ = Profiler::find();
  }
  ~ProfilerTest() override { ::setenv("PATH", path_.c_str(), 1); }

  void run(const std::vector<std::string>& environment = {}) {
    ProcessRequest request;
    request.command =
        profiler_.command(counters_pass, folder_.path(), {"worker", "0", "--connect", "socket"});
    request.environment = environment;
    request.environment.push_back("PATH=/usr/bin:/bin");
    ASSERT_TRUE(run_process(request).ok());
  }
  NcuPages pages() {
    return split_report(
        profiler_.report(counters_pass, folder_.path(), [](const auto& command) { return command; }));
  }

  const TemporaryDirectory folder_;
  std::string path_;
  Profiler profiler_;
};

TEST_F(ProfilerTest, FindsNsightCompute) {
  EXPECT_EQ(profiler_.ncu_version(), "2025.3.1.0");
  EXPECT_THAT(profiler_.passes(), testing::ElementsAre(activity_pass, counters_pass));
}

TEST_F(ProfilerTest, TheWorkerRunsBelowItAndSaysWhenToCount) {
  run();
  EXPECT_EQ(*read_text_file(folder_.path() / "ran"), "worker 0 --connect socket --profile\n");
  const auto command = profiler_.command(counters_pass, folder_.path(), {"worker"});
  EXPECT_THAT(command, Contains("--profile-from-start"));
  EXPECT_THAT(command, Contains("--clock-control"));
}

TEST_F(ProfilerTest, InstructionsOfLongCallsAreNotCounted) {
  const auto command = [&] {
    return fmt::format("{}", fmt::join(profiler_.command(counters_pass, folder_.path(), {"worker"}), " "));
  };
  EXPECT_THAT(command(), testing::AllOf(HasSubstr("smsp__sass_"), HasSubstr("SourceCounters")));
  profiler_.count_instructions(false);
  EXPECT_THAT(command(), testing::AllOf(Not(HasSubstr("smsp__sass_")), Not(HasSubstr("SourceCounters")),
                                        HasSubstr("dram__bytes_read.sum"), HasSubstr(" worker --profile")));
}

TEST_F(ProfilerTest, ReadsTheReportInTwoPages) {
  run();
  const NcuPages read = pages();
  EXPECT_THAT(read.log, HasSubstr("Connected"));
  EXPECT_THAT(parse_raw_page(read.raw).launches, SizeIs(8));
  EXPECT_THAT(read.source, HasSubstr("conflicting_transpose"));
}

TEST_F(ProfilerTest, WithoutRightsThereIsALogAlone) {
  run({"DENY=1"});
  const NcuPages read = pages();
  EXPECT_TRUE(complaint_of(read.log));
  EXPECT_EQ(read.raw, "");
}

TEST_F(ProfilerTest, TheActivityIsRecordedInTheWorkerAlone) {
  const auto command = profiler_.command(activity_pass, folder_.path(), {"worker", "0"});
  EXPECT_EQ(command.front(), "worker");
  EXPECT_THAT(command, Contains("--activity"));
}

TEST(NcuPages, OfACutReport) {
  EXPECT_EQ(split_report("log").log, "log");
  EXPECT_EQ(split_report("log\fraw").raw, "raw");
  EXPECT_EQ(split_report("").source, "");
}

}  // namespace kgrade::profiler_test
