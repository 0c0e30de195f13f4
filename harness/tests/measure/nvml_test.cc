#include "measure/nvml.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::nvml_test {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";

// A child that does nothing until the test ends.
class IdleChild {
 public:
  IdleChild() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  ~IdleChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

class NvmlTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("FAKE_NVML", control().c_str(), 1);
    wish("");
  }
  void TearDown() override { ::unsetenv("FAKE_NVML"); }

  std::filesystem::path control() const { return folder_.path() / "wishes"; }
  std::filesystem::path log() const { return folder_.path() / "log"; }
  void wish(const std::string& lines) { ASSERT_TRUE(write_file_atomically(control(), lines)); }

  // Every reading asks for the processes again.
  std::unique_ptr<Telemetry> open(const char* library = KGRADE_FAKE_NVML) const {
    return open_nvml(uuid, {}, {library, 0ms});
  }
  std::size_t calls(const std::string& name) const {
    const auto text = read_text_file(log());
    if (!text) return 0;
    std::size_t count = 0;
    const std::string line = name + "\n";
    for (auto at = text->find(line); at != std::string::npos; at = text->find(line, at + 1)) ++count;
    return count;
  }
  std::string logged() const { return "log " + log().string() + "\n"; }

 private:
  TemporaryDirectory folder_;
};

std::string me() { return std::to_string(::getpid()); }
std::string somebody_else() { return std::to_string(::getppid()); }

TEST_F(NvmlTest, WithoutTheLibraryItSaysSoAndWhereToGetIt) {
  const auto telemetry = open("libnvidia-ml-that-does-not-exist.so.1");
  EXPECT_THAT(telemetry->absent(), HasSubstr("libnvidia-ml-that-does-not-exist.so.1"));
  EXPECT_THAT(telemetry->absent(), HasSubstr("NVIDIA's driver"));
  EXPECT_FALSE(telemetry->read());
}

TEST_F(NvmlTest, ALibraryWithoutNvmlsFunctionsIsAbsent) {
  EXPECT_THAT(open("libc.so.6")->absent(), HasSubstr("libc.so.6 has no nvmlInit_v2"));
}

TEST_F(NvmlTest, WhatDoesNotStartIsAbsentInNvmlsWords) {
  wish("fail init 9\n" + logged());
  EXPECT_THAT(open()->absent(), HasSubstr("Driver Not Loaded"));
  EXPECT_EQ(calls("shutdown"), 0u);
}

TEST_F(NvmlTest, AStatusWithoutWordsIsANumber) {
  wish("fail init 4711");
  EXPECT_THAT(open()->absent(), HasSubstr("error 4711"));
}

TEST_F(NvmlTest, FindsTheGpuByItsUuid) {
  wish(std::string("uuid ") + uuid);
  EXPECT_EQ(open()->absent(), "");
  const auto other = open_nvml("GPU-other", {}, {KGRADE_FAKE_NVML});
  EXPECT_THAT(other->absent(), HasSubstr("no GPU with the UUID 'GPU-other': Not Found"));
}

TEST_F(NvmlTest, FindsAMigInstanceOfTheSameDigits) {
  wish("uuid MIG-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(open()->absent(), "");
}

TEST_F(NvmlTest, ReadsEveryFigure) {
  wish(
      "sm_clock 1980\nmemory_clock 3201\npower 412345\npower_limit 700000\ntemperature 61\nreasons "
      "36\nprocesses " +
      me());
  const auto telemetry = open();
  const auto before = std::chrono::steady_clock::now();
  const auto reading = telemetry->read();
  ASSERT_TRUE(reading);
  EXPECT_GE(reading->at, before);
  EXPECT_LE(reading->at, std::chrono::steady_clock::now());
  EXPECT_EQ(reading->sm_clock_mhz, 1980u);
  EXPECT_EQ(reading->memory_clock_mhz, 3201u);
  EXPECT_EQ(reading->power_milliwatts, 412345u);
  EXPECT_EQ(reading->power_limit_milliwatts, 700000u);
  EXPECT_EQ(reading->temperature_celsius, 61u);
  EXPECT_TRUE(reading->reasons_known);
  EXPECT_EQ(reading->clock_event_reasons, clock_event::sw_power_cap | clock_event::sw_thermal);
  EXPECT_EQ(reading->other_processes, 0u);
  EXPECT_THAT(telemetry->missing(), IsEmpty());
}

TEST_F(NvmlTest, AnOldLibraryAnswersByItsOldNames) {
  wish("sm_clock 1500\npower_limit 300000\ntemperature 44\nreasons 8\nprocesses " + me() + " " +
       somebody_else());
  const auto telemetry = open(KGRADE_FAKE_NVML_OLD);
  ASSERT_EQ(telemetry->absent(), "");
  const auto reading = telemetry->read();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->sm_clock_mhz, 1500u);
  EXPECT_EQ(reading->power_limit_milliwatts, 300000u);
  EXPECT_EQ(reading->temperature_celsius, 44u);
  EXPECT_EQ(reading->clock_event_reasons, clock_event::hw_slowdown);
  EXPECT_EQ(reading->other_processes, 1u);
  EXPECT_THAT(telemetry->missing(), IsEmpty());
}

TEST_F(NvmlTest, AQueryThatIsNotSupportedIsMissingAndNotAskedAgain) {
  wish("fail power 3\nfail reasons 4\nprocesses " + me() + "\n" + logged());
  const auto telemetry = open();
  const auto reading = telemetry->read();
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->power_milliwatts);
  EXPECT_FALSE(reading->reasons_known);
  EXPECT_EQ(reading->sm_clock_mhz, 345u);
  EXPECT_THAT(telemetry->missing(),
              ElementsAre("clock event reasons: Insufficient Permissions", "power: Not Supported"));
  telemetry->read();
  EXPECT_EQ(calls("power"), 1u);
  EXPECT_EQ(calls("reasons"), 1u);
  EXPECT_EQ(calls("sm_clock"), 3u);
}

TEST_F(NvmlTest, AQueryThatFailsOnceIsAskedAgain) {
  const auto telemetry = open();
  wish("fail sm_clock 999");
  ASSERT_TRUE(telemetry->read());
  EXPECT_FALSE(telemetry->read()->sm_clock_mhz);
  wish("sm_clock 1980");
  EXPECT_EQ(telemetry->read()->sm_clock_mhz, 1980u);
}

TEST_F(NvmlTest, AGpuThatAnswersNothingGivesNoReading) {
  const auto telemetry = open();
  wish(
      "fail sm_clock 15\nfail memory_clock 15\nfail power 15\nfail power_limit 15\nfail temperature 15\n"
      "fail temperature_v 15\nfail reasons 15\nfail processes 15\n");
  EXPECT_FALSE(telemetry->read());
}

TEST_F(NvmlTest, AFigureThatIsNotAvailableIsNotThere) {
  wish("power 4294967295");
  EXPECT_FALSE(open()->read()->power_milliwatts);
}

TEST_F(NvmlTest, TheNewerTemperatureQueryIsEnough) {
  wish("temperature 52\n" + logged());
  EXPECT_EQ(open()->read()->temperature_celsius, 52u);
  EXPECT_EQ(calls("temperature_v"), 2u);
  EXPECT_EQ(calls("temperature"), 0u);
}

TEST_F(NvmlTest, TheOlderTemperatureQueryStepsIn) {
  wish("fail temperature_v 3\ntemperature 52");
  const auto telemetry = open();
  EXPECT_EQ(telemetry->read()->temperature_celsius, 52u);
  EXPECT_THAT(telemetry->missing(), Not(Contains(HasSubstr("temperature"))));
}

TEST_F(NvmlTest, ShutsDownWhatItStarted) {
  wish(logged());
  open().reset();
  EXPECT_EQ(calls("init"), 1u);
  EXPECT_EQ(calls("shutdown"), 1u);
}

TEST_F(NvmlTest, OurDescendantsAreNoOthers) {
  const IdleChild child;
  wish("processes " + me() + " " + std::to_string(child.pid()) + " " + somebody_else());
  EXPECT_EQ(open()->read()->other_processes, 1u);
}

TEST_F(NvmlTest, ProcessesNamedAsOurOwnAreNoOthers) {
  wish("processes " + me() + " " + somebody_else());
  const auto telemetry = open_nvml(uuid, {::getppid()}, {KGRADE_FAKE_NVML, 0ms});
  EXPECT_EQ(telemetry->read()->other_processes, 0u);
}

TEST_F(NvmlTest, ProcessNumbersOfAnotherNamespaceMeanUnknown) {
  for (const std::string& listed : {std::string(), somebody_else(), me() + " 0"}) {
    wish("processes " + listed);
    const auto telemetry = open();
    EXPECT_FALSE(telemetry->read()->other_processes) << listed;
    EXPECT_THAT(telemetry->missing(), ElementsAre(HasSubstr("process numbers"))) << listed;
  }
}

TEST_F(NvmlTest, ProcessesThatMayNotBeListedAreMissing) {
  wish("fail processes 4");
  const auto telemetry = open();
  EXPECT_FALSE(telemetry->read()->other_processes);
  EXPECT_THAT(telemetry->missing(), ElementsAre("other processes: Insufficient Permissions"));
}

TEST_F(NvmlTest, EntriesMayHaveAnySizeThatDriversGaveThem) {
  for (const char* bytes : {"16", "24", "32"}) {
    wish("process_bytes " + std::string(bytes) + "\nprocesses " + me() + " " + somebody_else() + " " +
         somebody_else());
    EXPECT_EQ(open()->read()->other_processes, 2u) << bytes;
  }
}

TEST_F(NvmlTest, ProcessesAreNotAskedForAtEveryReading) {
  wish("processes " + me());
  const auto telemetry = open_nvml(uuid, {}, {KGRADE_FAKE_NVML, 1h});
  EXPECT_EQ(telemetry->read()->other_processes, 0u);
  wish("sm_clock 1111\nprocesses " + me() + " " + somebody_else());
  const auto reading = telemetry->read();
  EXPECT_EQ(reading->sm_clock_mhz, 1111u);
  EXPECT_EQ(reading->other_processes, 0u);
}

TEST_F(NvmlTest, ASamplerReadsItBesideTheMeasuringThread) {
  wish("sm_clock 1980\nreasons 4\nprocesses " + me());
  const auto telemetry = open();
  const SteadyClock clock;
  TelemetrySampler sampler(*telemetry, clock, {1ms, 0ms, 4096});
  for (int block = 0; block < 50; ++block) {
    sampler.begin_block();
    EXPECT_EQ(sampler.end_block().reasons, clock_event::sw_power_cap);
  }
  const TelemetrySummary summary = sampler.summary();
  EXPECT_EQ(summary.absent, "");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_GE(summary.readings, 100u);
  EXPECT_EQ(summary.sm_clock_mhz, (TelemetryRange{1980, 1980, 1980}));
  EXPECT_EQ(summary.power_capped_share, 1);
  EXPECT_EQ(summary.other_processes, 0u);
}

std::optional<ProcessEntry> table(pid_t pid) {
  // 10 is ours, 11 and 12 are its descendants, 20 is another one; 30 and 31 form a cycle.
  switch (pid) {
    case 10:
      return ProcessEntry{10, 'S', 1, 10, 10};
    case 11:
      return ProcessEntry{11, 'S', 10, 10, 10};
    case 12:
      return ProcessEntry{12, 'S', 11, 12, 12};
    case 20:
      return ProcessEntry{20, 'S', 1, 20, 20};
    case 30:
      return ProcessEntry{30, 'S', 31, 30, 30};
    case 31:
      return ProcessEntry{31, 'S', 30, 30, 30};
    case 40:
      return ProcessEntry{40, 'S', 39, 40, 40};
    default:
      return std::nullopt;
  }
}

TEST(CountOthers, WalksUpToAnAncestorOfOurs) {
  EXPECT_EQ(count_others({10, 11, 12}, {10}, table), 0u);
  EXPECT_EQ(count_others({10, 12, 20}, {10}, table), 1u);
}

TEST(CountOthers, CannotTellWithoutALook) {
  EXPECT_EQ(count_others({10, 40}, {10}, table), std::nullopt);  // its parent has gone
  EXPECT_EQ(count_others({10, 99}, {10}, table), std::nullopt);
  EXPECT_EQ(count_others({10, 30}, {10}, table), std::nullopt);
  EXPECT_EQ(count_others({20}, {10}, table), std::nullopt);
}

TEST(CountOthers, TheFirstProcessOfAContainerMayBeOurs) { EXPECT_EQ(count_others({1, 10}, {1}, table), 0u); }

}  // namespace kgrade::nvml_test
