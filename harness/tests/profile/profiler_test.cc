#include "profile/profiler.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "profile/activity.h"
#include "profile/ncu_report.h"
#include "profile/own_kernels.h"
#include "tests/profile/recorded.h"

namespace kgrade::profiler_test {

using test::profile_fixtures;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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

// An H100's limits, and kernels in the order in which CUPTI gives them.
constexpr const char* file =
    "limits\t2048\t65536\t233472\t32\t1024\n"
    "kernel\t_Z4latei\t5000\t6500\t4\t1\t1\t64\t1\t1\t16\t0\t0\t0\n"
    "kernel\t_Z9plain_addPfi\t1000\t2000\t65536\t1\t1\t256\t1\t1\t128\t0\t0\t0\n"
    "kernel\t_Z9plain_addPfi\t3000\t4000\t65536\t1\t1\t256\t1\t1\t128\t0\t0\t0\n";

TEST(ProfileActivity, ReadsKernelsInTheOrderOfTheirStarts) {
  const Activity activity = parse_activity(file);
  ASSERT_THAT(activity.launches, SizeIs(3));
  EXPECT_EQ(activity.launches[0].name, "plain_add");
  EXPECT_DOUBLE_EQ(*activity.launches[0].fact("duration_us"), 1);
  EXPECT_DOUBLE_EQ(*activity.launches[0].fact("registers"), 128);
  EXPECT_THAT(activity.launches[0].grid, ElementsAre(65536, 1, 1));
}

TEST(ProfileActivity, OccupancyFollowsFromTheResources) {
  const KernelProfile kernel = parse_activity(file).launches[0];
  EXPECT_DOUBLE_EQ(*kernel.fact("theoretical_occupancy_pct"), 25) << "2 blocks of 256 threads";
  EXPECT_THAT(kernel.occupancy_limits, ElementsAre("registers"));
}

TEST(ProfileActivity, LinesOfAnythingElseAreLeftOut) {
  EXPECT_THAT(parse_activity("kernel\tx\t1\nkernel\tx\t2\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\n\n\t\nlimits\t-1\n"
                             "kernel\tx\tnan\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\n")
                  .launches,
              IsEmpty());
  EXPECT_EQ(parse_activity("error\tCUPTI cannot be loaded\n").problem, "CUPTI cannot be loaded");
}

TEST(ProfileActivity, LaunchesOfOneKernelAreAddedUp) {
  std::vector<KernelProfile> kernels = combined(parse_activity(file).launches);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_DOUBLE_EQ(*kernels[0].fact("duration_us"), 2);
  EXPECT_DOUBLE_EQ(*kernels[0].fact("registers"), 128);
  add_shares(kernels, std::nullopt);
  EXPECT_NEAR(*kernels[0].fact("time_share"), 2 / 3.5, 1e-12);
}

// Below Nsight Compute kernels run alone, with cold caches, and only the first launches are counted.
TEST(ProfileActivity, TimesComeFromTheActivityAndCountersFromNsightCompute) {
  KernelProfile counted;
  counted.name = "plain_add";
  counted.launches = 1;
  counted.grid = {65536, 1, 1};
  counted.block = {256, 1, 1};
  counted.facts = {{"duration_us", 1.7}, {"dram_read_b", 100}, {"occupancy_pct", 20}};
  std::vector<KernelProfile> kernels = {counted};
  take_activity(combined(parse_activity(file).launches), kernels);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_DOUBLE_EQ(*kernels[0].fact("duration_us"), 2);
  EXPECT_DOUBLE_EQ(*kernels[0].fact("dram_read_b"), 200);
  EXPECT_DOUBLE_EQ(*kernels[0].fact("occupancy_pct"), 20);
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_EQ(kernels[1].name, "late");
}

TEST(ShortNames, HaveNoParameters) {
  EXPECT_EQ(short_name("_Z9divergentILi32EEvPKfPfi"), "divergent<32>");
  EXPECT_EQ(short_name("void at::elementwise_kernel<128, f(int)::g>(int, F(*)(int))"),
            "at::elementwise_kernel<128, f(int)::g>");
  EXPECT_EQ(short_name("own_triton_kernel"), "own_triton_kernel");
  EXPECT_EQ(short_name(")"), ")");
}

KernelProfile kernel_of(const std::string& mangled, double us) {
  KernelProfile kernel;
  kernel.mangled = mangled;
  kernel.name = short_name(mangled);
  kernel.facts["duration_us"] = us;
  return kernel;
}

TEST(ProfileOwnKernels, AreInTheBinaryOrDefinedInTheText) {
  const TemporaryDirectory folder;
  const auto binary = folder.path() / "extension.so";
  std::ofstream(binary) << "ELF" << '\0' << "_Z6reducePf" << '\0' << "_ZN2at6native11elementwiseEv_more"
                        << '\0';
  const OwnKernels own({binary},
                       "@triton.jit\ndef fused_softmax(a, b):\n  pass\n"
                       "source = 'extern \"C\" __global__ __launch_bounds__(256) void scale(float* a) {}'\n"
                       "y = reduce_kernel(x)  # calls\n");
  std::vector<KernelProfile> kernels = {
      kernel_of("_Z6reducePf", 1),   kernel_of("fused_softmax", 2),
      kernel_of("scale", 3),         kernel_of("_ZN2at6native11elementwiseEv", 4),
      kernel_of("reduce_kernel", 5), kernel_of("ampere_sgemm_128x64_nn", 5)};
  const OwnShare share = mark_own(kernels, own);
  std::vector<bool> marks;
  for (const KernelProfile& kernel : kernels) marks.push_back(kernel.own);
  EXPECT_THAT(marks, ElementsAre(true, true, true, false, false, false));
  EXPECT_DOUBLE_EQ(*share.time_share, 0.3);
  EXPECT_THAT(share.others,
              ElementsAre("at::native::elementwise", "reduce_kernel", "ampere_sgemm_128x64_nn"));
}

// PyTorch has kernels of the same plain names, in namespaces of its own.
TEST(ProfileOwnKernels, ANameInAForeignNamespaceIsNotTheTexts) {
  const OwnKernels own({}, "__global__ void reduce(float* a) {}");
  EXPECT_TRUE(own.has(kernel_of("_Z6reducePf", 1)));
  EXPECT_TRUE(own.has(kernel_of("_ZN12_GLOBAL__N_16reduceEPf", 1)));
  EXPECT_FALSE(own.has(kernel_of("_ZN2at6native6reduceEPf", 1)));
}

}  // namespace kgrade::profiler_test
