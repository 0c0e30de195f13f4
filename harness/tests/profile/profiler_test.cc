#include "profile/profiler.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/source_places.h"
#include "profile/activity.h"
#include "profile/advice.h"
#include "profile/kernel_profile.h"
#include "profile/ncu_report.h"

namespace kgrade::profiler_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// What Nsight Compute 2025.3.1 printed on an H100 for harness/tests/fixtures/profile/kernels.cu, without the
// columns that nothing here reads.
const std::string profile_fixtures = std::string(KGRADE_SOURCE_DIR) + "/harness/tests/fixtures/profile/";

std::string recorded(const std::string& name) {
  const auto text = read_text_file(profile_fixtures + name);
  EXPECT_TRUE(text.ok()) << name;
  return text ? *text : "";
}

// The launch of the kernel of this name, the first of them.
KernelProfile recorded_kernel(const std::string& name) {
  for (KernelProfile& kernel : parse_raw_page(recorded("ncu_raw.csv")).launches) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

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

// Rates of an H100, near those that kgrade measures.
Ceilings ceilings() {
  Ceilings rates;
  rates.copy_bytes_per_second = 2.9e12;
  rates.fp32_flops_per_second = 5.5e13;
  rates.fp64_flops_per_second = 2.8e13;
  return rates;
}

std::vector<Advice> advice(const std::string& name, bool narrow = false) {
  std::vector<KernelProfile> kernels = {recorded_kernel(name)};
  add_shares(kernels, ceilings());
  return advice_on(kernels[0], {narrow});
}

std::vector<std::string> rules(const std::string& name, bool narrow = false) {
  std::vector<std::string> names;
  for (const Advice& one : advice(name, narrow)) names.push_back(one.rule);
  return names;
}

TEST(Advice, EachKernelGetsTheAdviceThatItsFaultDeserves) {
  EXPECT_THAT(rules("plain_add"), ElementsAre("memory-ceiling"));
  EXPECT_THAT(rules("strided_copy"), ElementsAre("memory-ceiling", "uncoalesced-loads"));
  EXPECT_THAT(rules("conflicting_transpose"), ElementsAre("bank-conflicts"));
  EXPECT_THAT(rules("spilling"), testing::Contains("local-memory"));
  EXPECT_THAT(rules("divergent<32>"), ElementsAre("divergence"));
  EXPECT_THAT(rules("tensor_product"), ElementsAre("busy-caches", "small-grid", "top-stall"));
}

// Each thread of half a warp reads the same word of a row, and a warp reads rows next to each other: 2
// sectors a load, which no rule may call uncoalesced.
TEST(Advice, BroadcastsAreNotUncoalesced) {
  EXPECT_THAT(rules("product_fp32"), ElementsAre("busy-caches", "top-stall"));
}

// As the plain convolutions do on an H200: their index arithmetic fills the multiprocessors.
TEST(Advice, InstructionsThatAreNoArithmeticAreNamed) {
  KernelProfile kernel;
  kernel.facts = {{"issue_pct", 80.2}, {"arithmetic_ceiling_pct", 0.5}, {"tensor_pipe_pct", 1.4}};
  ASSERT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  EXPECT_EQ(advice_on(kernel, {false})[0].rule, "many-instructions");
  EXPECT_THAT(advice_on(kernel, {false})[0].message, HasSubstr("80 % of its cycles"));
  kernel.facts = {{"issue_pct", 80.2}};  // long kernels are not counted by kind
  EXPECT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  for (const char* const busy : {"arithmetic_ceiling_pct", "tensor_pipe_pct"}) {
    kernel.facts = {{"issue_pct", 80.2}, {busy, 40}};
    EXPECT_THAT(advice_on(kernel, {false}), IsEmpty()) << busy;
  }
}

TEST(Advice, TensorCoresAreAdvisedForNarrowTypesAlone) {
  KernelProfile kernel;
  kernel.facts = {{"tensor_pipe_pct", 0.02}, {"arithmetic_ceiling_pct", 50}};
  EXPECT_THAT(advice_on(kernel, {false}), IsEmpty());
  ASSERT_THAT(advice_on(kernel, {true}), testing::SizeIs(1));
  EXPECT_EQ(advice_on(kernel, {true})[0].rule, "no-tensor-cores");
}

// One block takes most of the registers and most of the shared memory of a multiprocessor. A second block
// does not fit if the kernel needs less of only one of them.
TEST(Advice, NamesEveryLimitThatAllowsTheFewestBlocks) {
  KernelProfile kernel;
  kernel.facts = {{"theoretical_occupancy_pct", 18.8}, {"sm_pct", 50}, {"memory_pct", 50}};
  kernel.occupancy_limits = occupancy_limits_of({{"launch__occupancy_limit_registers", 1},
                                                 {"launch__occupancy_limit_shared_mem", 1},
                                                 {"launch__occupancy_limit_warps", 5},
                                                 {"launch__occupancy_limit_blocks", 32}});
  EXPECT_THAT(kernel.occupancy_limits, ElementsAre("registers", "shared_memory"));
  ASSERT_THAT(advice_on(kernel, {false}), testing::SizeIs(1));
  EXPECT_THAT(advice_on(kernel, {false})[0].message,
              HasSubstr("limited by registers and by shared memory: __launch_bounds__"));
}

TEST(Advice, SaysWhatWasCounted) {
  const std::string message = advice("strided_copy")[1].message;
  EXPECT_THAT(message, HasSubstr("touches 32.0 sectors and uses 4.0 of the 32 bytes"));
  EXPECT_THAT(advice("spilling")[0].message, HasSubstr("local memory"));
}

TEST(Advice, FactsThatAreNullLeadToNone) {
  KernelProfile kernel = recorded_kernel("strided_copy");
  for (auto& [name, value] : kernel.facts) value = std::nullopt;
  for (auto& [name, value] : kernel.stalls) value = std::nullopt;
  EXPECT_THAT(advice_on(kernel, {true}), IsEmpty());
}

TEST(Advice, ShowsTheWorstPlace) {
  KernelProfile kernel = recorded_kernel("strided_copy");
  kernel.worst.push_back({"loads", {"a.cu", 14, "", "c[i] = a[j];"}, 1});
  const std::vector<Advice> all = advice_on(kernel, {false});
  const auto loads =
      std::find_if(all.begin(), all.end(), [](const Advice& one) { return one.rule == "uncoalesced-loads"; });
  ASSERT_NE(loads, all.end());
  ASSERT_TRUE(loads->place);
  EXPECT_EQ(loads->place->line, 14);
}

TEST(Advice, EveryRuleHasANameOfItsOwnAndASource) {
  std::set<std::string> names;
  for (const Advice& rule : all_rules()) {
    EXPECT_TRUE(names.insert(rule.rule).second) << rule.rule;
    EXPECT_THAT(rule.source, testing::AnyOf(HasSubstr("CUDA C++ Best Practices Guide, \""),
                                            HasSubstr("Nsight Compute Profiling Guide, \"")));
  }
}

}  // namespace kgrade::profiler_test
