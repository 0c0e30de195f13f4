#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "measure/roofline.h"

namespace kgrade::ceilings_cache_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";

Ceilings ceilings(double copy = 4e12) {
  Ceilings rates;
  rates.copy_bytes_per_second = copy;
  rates.fp32_flops_per_second = 60.125e12;
  rates.tf32_flops_per_second = 1e14 / 3;
  rates.fp16_flops_per_second = 800e12;
  rates.bf16_flops_per_second = 780e12;
  rates.fp64_flops_per_second = 65e12;
  rates.tensor_instructions = "wgmma";
  return rates;
}

// Counts how often it is measured; it has no other function of a device.
class FakeDevice : public Device {
 public:
  FakeDevice() {
    described.uuid = uuid;
    described.name = "NVIDIA \"Fake\"";
    described.driver_version = "13.0";
    described.peak_bytes_per_second = 5e12;
    described.peak_flops_per_second = 4e15;
  }

  DeviceInfo described;
  std::optional<Ceilings> rates = ceilings();
  int measured = 0;

  DeviceInfo info() const override { return described; }
  std::optional<Ceilings> measure_ceilings() override {
    ++measured;
    return rates;
  }

  std::uint64_t free_bytes() const override { return 0; }
  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t /*bytes*/) override {
    return Error{"no memory", "", {}};
  }
  void poison(std::span<const Filling> /*fillings*/) override {}
  std::chrono::nanoseconds reveal(std::span<const Filling> /*fillings*/, GateOpening /*opening*/) override {
    return {};
  }
  void begin_inspection(std::span<const Filling> /*fillings*/,
                        std::span<const OutputPair> /*outputs*/) override {}
  Inspection end_inspection() override { return {}; }
  std::uint64_t count_unwritten(const Filling& /*filling*/) override { return 0; }
  std::uint64_t count_wrong(const OutputPair& /*output*/, double /*limit*/) override { return 0; }
  RuleCount count_by_rule(const OutputPair& /*output*/, const SetRule& /*rule*/) override { return {}; }
  std::vector<double> sample(SharedBuffer& /*buffer*/, std::uint64_t /*begin*/, std::uint64_t /*elements*/,
                             Dtype /*dtype*/) override {
    return {};
  }
  void read(SharedBuffer& /*buffer*/, std::uint64_t /*begin*/, void* /*destination*/,
            std::uint64_t /*bytes*/) override {}
  void write(SharedBuffer& /*buffer*/, std::uint64_t /*begin*/, const void* /*source*/,
             std::uint64_t /*bytes*/) override {}
  std::uint64_t room_to_move() const override { return 0; }
  std::optional<Error> prove_healthy() override { return std::nullopt; }
  std::vector<std::string> worker_command() const override { return {}; }

 protected:
  SandboxPolicy worker_policy() const override { return {}; }
};

class CeilingsCacheTest : public testing::Test {
 protected:
  fs::path folder() const { return temporary_.path() / "kgrade" / "ceilings"; }
  fs::path file() const { return folder() / (std::string(uuid) + ".json"); }

  void put(const std::string& text) const {
    fs::create_directories(folder());
    ASSERT_TRUE(write_file_atomically(file(), text));
  }
  std::string kept() const {
    const auto text = read_text_file(file());
    return text ? *text : "";
  }

  // A file as kgrade writes it, with one change.
  void put_changed(const std::function<void(json&)>& change) {
    FakeDevice device;
    device.rates = ceilings(3e12);
    load_or_measure(device, folder(), true);
    json content = json::parse(kept());
    change(content);
    put(content.dump());
  }

  // The file exists but is not trusted: the device is measured, and its file is right again.
  void expect_distrusted(const std::string& reason) {
    FakeDevice device;
    const CachedCeilings result = load_or_measure(device, folder());
    EXPECT_EQ(device.measured, 1);
    EXPECT_TRUE(result.measured_now);
    ASSERT_TRUE(result.ceilings);
    EXPECT_EQ(result.ceilings->copy_bytes_per_second, 4e12);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_THAT(result.warnings[0].message, HasSubstr(reason));
    EXPECT_EQ(result.warnings[0].location.file, file().string());
    const CachedCeilings again = load_or_measure(device, folder());
    EXPECT_FALSE(again.measured_now);
    EXPECT_TRUE(again.warnings.empty());
  }

  TemporaryDirectory temporary_;
};

TEST_F(CeilingsCacheTest, ADeviceIsMeasuredOnce) {
  FakeDevice device;
  const CachedCeilings first = load_or_measure(device, folder());
  const CachedCeilings second = load_or_measure(device, folder());
  EXPECT_EQ(device.measured, 1);
  EXPECT_TRUE(first.measured_now);
  EXPECT_FALSE(second.measured_now);
  EXPECT_TRUE(first.warnings.empty());
  EXPECT_TRUE(second.warnings.empty());
  ASSERT_TRUE(first.ceilings);
  ASSERT_TRUE(second.ceilings);
  EXPECT_EQ(second.ceilings->measured_at, first.ceilings->measured_at);
  EXPECT_EQ(second.ceilings->tensor_instructions, "wgmma");
  EXPECT_EQ(second.ceilings->copy_bytes_per_second, 4e12);
  EXPECT_EQ(second.ceilings->fp32_flops_per_second, 60.125e12);
  EXPECT_EQ(second.ceilings->tf32_flops_per_second, 1e14 / 3) << "every bit is kept";
  EXPECT_EQ(second.ceilings->fp16_flops_per_second, 800e12);
  EXPECT_EQ(second.ceilings->bf16_flops_per_second, 780e12);
  EXPECT_EQ(second.ceilings->fp64_flops_per_second, 65e12);
}

TEST_F(CeilingsCacheTest, TheMomentIsWrittenInUtc) {
  FakeDevice device;
  const CachedCeilings result = load_or_measure(device, folder());
  ASSERT_TRUE(result.ceilings);
  EXPECT_THAT(result.ceilings->measured_at,
              testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
  device.rates->measured_at = "2026-01-31T12:00:00Z";
  load_or_measure(device, folder(), true);
  EXPECT_EQ(load_or_measure(device, folder()).ceilings->measured_at, "2026-01-31T12:00:00Z");
}

TEST_F(CeilingsCacheTest, RemeasuringReplacesTheFile) {
  FakeDevice device;
  load_or_measure(device, folder());
  device.rates = ceilings(4.2e12);
  const CachedCeilings result = load_or_measure(device, folder(), true);
  EXPECT_TRUE(result.measured_now);
  EXPECT_EQ(device.measured, 2);
  EXPECT_EQ(load_or_measure(device, folder()).ceilings->copy_bytes_per_second, 4.2e12);
  EXPECT_EQ(device.measured, 2);
}

TEST_F(CeilingsCacheTest, EveryDeviceHasItsOwnFile) {
  FakeDevice first;
  FakeDevice second;
  second.described.uuid = "GPU-ffffffff-89ab-cdef-0123-456789abcdef";
  second.rates = ceilings(1e12);
  load_or_measure(first, folder());
  load_or_measure(second, folder());
  EXPECT_EQ(second.measured, 1);
  EXPECT_EQ(load_or_measure(first, folder()).ceilings->copy_bytes_per_second, 4e12);
  EXPECT_EQ(load_or_measure(second, folder()).ceilings->copy_bytes_per_second, 1e12);
}

TEST_F(CeilingsCacheTest, ADeviceWithoutSpeedHasNoneAndLeavesNoFile) {
  FakeDevice device;
  device.rates = std::nullopt;
  const CachedCeilings result = load_or_measure(device, folder());
  EXPECT_FALSE(result.ceilings);
  EXPECT_FALSE(result.measured_now);
  EXPECT_TRUE(result.warnings.empty());
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(CeilingsCacheTest, WhatIsNoJsonIsNotBelieved) {
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("\xff\xfe"),
                                  std::string(4000, '['), std::string("{\"schema_version\": 1e999}")}) {
    put(text);
    expect_distrusted("is not JSON as kgrade writes it");
  }
}

TEST_F(CeilingsCacheTest, ALargeFileIsNotRead) {
  put_changed([](json& content) { content["more"] = std::string(10'000, 'x'); });
  expect_distrusted("is larger than 8.0 KiB");
}

TEST_F(CeilingsCacheTest, AnotherVersionIsNotBelieved) {
  put_changed([](json& content) { content["schema_version"] = 2; });
  expect_distrusted("another version of kgrade");
  put_changed([](json& content) { content["protocol"] = ceilings_protocol + 1; });
  expect_distrusted("another version of kgrade");
  put_changed([](json& content) { content["protocol"] = "1"; });
  expect_distrusted("another version of kgrade");
  put_changed([](json& content) { content.erase("protocol"); });
  expect_distrusted("another version of kgrade");
}

TEST_F(CeilingsCacheTest, AnotherDriverIsNotBelieved) {
  put_changed([](json& content) { content["driver_version"] = "12.4"; });
  expect_distrusted("another driver");
}

TEST_F(CeilingsCacheTest, AnotherDevicesFileIsNotBelieved) {
  put_changed([](json& content) { content["uuid"] = "GPU-ffffffff-89ab-cdef-0123-456789abcdef"; });
  expect_distrusted("another device");
}

TEST_F(CeilingsCacheTest, ImpossibleNumbersAreNotBelieved) {
  for (const double bad : {0.0, -1.0, 1e-300, 1e300}) {
    put_changed([bad](json& content) { content["copy_bytes_per_second"] = bad; });
    expect_distrusted("/copy_bytes_per_second is");
  }
  put_changed([](json& content) { content["copy_bytes_per_second"] = 6.1e12; });
  expect_distrusted("cannot be true");
  put_changed([](json& content) { content["bf16_flops_per_second"] = 5e15; });
  expect_distrusted("cannot be true");
}

TEST_F(CeilingsCacheTest, MembersOfAnotherTypeAreNotBelieved) {
  put_changed([](json& content) { content["fp32_flops_per_second"] = "60e12"; });
  expect_distrusted("/fp32_flops_per_second is string where a number is expected");
  put_changed([](json& content) { content["fp64_flops_per_second"] = nullptr; });
  expect_distrusted("/fp64_flops_per_second is null where a number is expected");
  put_changed([](json& content) { content.erase("tf32_flops_per_second"); });
  expect_distrusted("/tf32_flops_per_second is missing");
}

// The message may be printed on a terminal.
TEST_F(CeilingsCacheTest, TextThatKgradeDoesNotWriteIsNotBelieved) {
  put_changed([](json& content) { content["measured_at"] = "\x1b[2Jyesterday"; });
  expect_distrusted("/measured_at is");
  put_changed([](json& content) { content["measured_at"] = "2026-01-31T12:00:00Z "; });
  expect_distrusted("/measured_at is");
  put_changed([](json& content) { content["tensor_instructions"] = "\x1b[2J"; });
  expect_distrusted("how it was measured");
}

// Neither read nor written: the targets of the links do not change, and nothing blocks.
TEST_F(CeilingsCacheTest, ALinkAFifoAndAFolderAreLeftAlone) {
  const fs::path target = temporary_.path() / "precious";
  ASSERT_TRUE(write_file_atomically(target, "mine"));
  const std::vector<std::function<void()>> obstacles{[&] { fs::create_symlink(target, file()); },
                                                     [&] { ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0); },
                                                     [&] { fs::create_directory(file()); }};
  for (const auto& put_obstacle : obstacles) {
    fs::remove(file());
    fs::create_directories(folder());
    put_obstacle();
    FakeDevice device;
    const CachedCeilings result = load_or_measure(device, folder());
    EXPECT_TRUE(result.measured_now);
    EXPECT_TRUE(result.ceilings);
    ASSERT_EQ(result.warnings.size(), 2U);
    EXPECT_THAT(result.warnings[0].message, HasSubstr("is not a regular file"));
    EXPECT_THAT(result.warnings[1].message, HasSubstr("cannot be kept"));
    EXPECT_NE(fs::symlink_status(file()).type(), fs::file_type::regular);
  }
  EXPECT_EQ(*read_text_file(target), "mine");
}

TEST_F(CeilingsCacheTest, AFolderThatCannotBeMadeIsSaidOnce) {
  const fs::path obstacle = temporary_.path() / "file";
  ASSERT_TRUE(write_file_atomically(obstacle, "no folder"));
  FakeDevice device;
  const CachedCeilings result = load_or_measure(device, obstacle / "ceilings");
  EXPECT_TRUE(result.ceilings);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0].message, HasSubstr("cannot be kept"));
  EXPECT_THAT(result.warnings[0].remedy, HasSubstr("XDG_CACHE_HOME"));
}

TEST_F(CeilingsCacheTest, WithoutAFolderNothingIsKept) {
  FakeDevice device;
  const CachedCeilings result = load_or_measure(device, {});
  EXPECT_TRUE(result.ceilings);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0].message, HasSubstr("cannot be kept"));
  device.rates = std::nullopt;
  EXPECT_TRUE(load_or_measure(device, {}).warnings.empty()) << "there is nothing to keep";
}

TEST_F(CeilingsCacheTest, ANameThatIsAPathIsNoFilesName) {
  for (const char* name : {"../../escaped", "", "-rf", "GPU 1", "a/b"}) {
    FakeDevice device;
    device.described.uuid = name;
    const CachedCeilings result = load_or_measure(device, folder());
    EXPECT_TRUE(result.measured_now);
    EXPECT_EQ(result.warnings.size(), 1U);
  }
  EXPECT_TRUE(fs::is_empty(temporary_.path()));
}

TEST_F(CeilingsCacheTest, AnAbsurdMeasurementIsNotBelievedEither) {
  FakeDevice device;
  device.rates = ceilings(1e14);
  const CachedCeilings result = load_or_measure(device, folder());
  EXPECT_FALSE(result.ceilings);
  EXPECT_FALSE(result.measured_now);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0].message, HasSubstr("above the device's peak"));
  EXPECT_FALSE(fs::exists(file()));
}

// Readers see the whole file of one writer or another, never a part.
TEST_F(CeilingsCacheTest, SeveralRunsShareTheFolder) {
  FakeDevice first;
  load_or_measure(first, folder());
  std::atomic<int> strange{0};
  std::vector<std::thread> runs;
  for (int run = 0; run < 4; ++run) {
    runs.emplace_back([&, run] {
      FakeDevice device;
      device.rates = ceilings(1e12 * (run + 1));
      for (int i = 0; i < 50; ++i) {
        const CachedCeilings written = load_or_measure(device, folder(), true);
        const CachedCeilings found = load_or_measure(device, folder());
        if (!written.warnings.empty() || !found.warnings.empty() || found.measured_now) ++strange;
        if (found.ceilings && std::fmod(found.ceilings->copy_bytes_per_second, 1e12) != 0) ++strange;
      }
    });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(strange, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1)
      << "nothing half-written is left";
}

TEST(CeilingsFolder, IsBelowTheUsersCacheFolder) {
  EXPECT_EQ(user_cache_folder("ceilings", "/cache", "/home"), "/cache/kgrade/ceilings");
  EXPECT_EQ(user_cache_folder("ceilings", "", "/home"), "/home/.cache/kgrade/ceilings");
  EXPECT_EQ(user_cache_folder("ceilings", "relative", "/home"), "/home/.cache/kgrade/ceilings");
  EXPECT_EQ(user_cache_folder("ceilings", "", ""), "");
  EXPECT_EQ(user_cache_folder("ceilings", "", "relative"), "");
}

}  // namespace kgrade::ceilings_cache_test
