// Which launches are refused, and how a kernel ends that cannot go on.
#include <gmock/gmock.h>
#include <unistd.h>

#include <vector>

#include "device/emulated/runtime/emulated_runtime.h"
#include "tests/device/emulated/loaded_source.h"

namespace kgrade::test::emulated_errors_test {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int invalid_configuration = 9;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// A sanitizer catches the signal, reports "stack-overflow" and exits.
bool ends_by_segmentation_fault(int status) {
  return testing::KilledBySignal(SIGSEGV)(status) ||
         (sanitized && WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

using Launch = int(unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, std::size_t);

TEST(EmulatedErrors, RefusesConfigurationsThatNoGpuTakes) {
  const LoadedSource source("grids.cu");
  Launch* const launch = source.function<Launch>("launch_nothing");
  EXPECT_EQ(launch(1, 1, 1, 1024, 1, 1, 0), success);
  EXPECT_EQ(launch(1, 1, 1, 1025, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 1, 1, 64, 64, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 1, 1, 1, 1, 65, 0), invalid_configuration);
  EXPECT_EQ(launch(0, 1, 1, 32, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 1, 0, 32, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 1, 1, 0, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 65536, 1, 1, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 1, 65536, 1, 1, 1, 0), invalid_configuration);
  EXPECT_EQ(launch(1, 65535, 1, 1, 1, 1, 0), success);
  EXPECT_EQ(launch(1, 1, 1, 32, 1, 1, 48 * 1024), success);
  EXPECT_EQ(launch(1, 1, 1, 32, 1, 1, 48 * 1024 + 1), invalid_value);
  EXPECT_EQ(launch(1, 1, 1, 32, 1, 1, 0), success) << "a refused launch must not stick";
}

TEST(EmulatedErrorsDeathTest, ReportsADeadlock) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const LoadedSource source("deadlock.cu");
  std::vector<int> out(64);
  EXPECT_DEATH(
      source.function<int(int*)>("deadlock")(out.data()),
      "deadlock: 24 threads wait at __syncthreads, 8 lanes wait in a __\\*_sync warp operation, 32 threads "
      "have exited, in kernel stuck, block \\(0,0,0\\)");
}

TEST(EmulatedErrorsDeathTest, RefusesMoreStaticAndDynamicSharedMemoryThanABlockHas) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const LoadedSource source("dynamic_shared.cu");
  std::vector<float> output(32);
  EXPECT_DEATH(source.function<int(float*, int)>("beside_static")(output.data(), 48 * 1024 - 124),
               "a kernel uses 49156 bytes of static and dynamic shared memory together, and may have 49152");
  EXPECT_DEATH(source.function<int(float*, int)>("opt_in_beside_static")(output.data(), 227 * 1024),
               "a kernel uses 232576 bytes .*, and may have 232448");
}

TEST(EmulatedErrorsDeathTest, EndsAtTheGuardPageWhenAStackOverflows) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const LoadedSource source("deadlock.cu");
  std::vector<int> out(64);
  EXPECT_EXIT(source.function<int(int*)>("overflow")(out.data()), ends_by_segmentation_fault,
              sanitized ? "stack-overflow" : "");
}

// What the worker's handler does, with exit codes in place of messages.
void exit_at_limit(kgrade_emulated::Limit limit, std::size_t bytes) {
  ::_exit(limit == kgrade_emulated::Limit::stack && bytes >= 512 * 1024 ? 71 : 72);
}

TEST(EmulatedErrorsDeathTest, TellsAStackOverflowFromOtherFaults) {
  if (sanitized) GTEST_SKIP() << "the sanitizer handles the signal";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const LoadedSource source("deadlock.cu");
  std::vector<int> out(64);
  const auto limited = [&](const char* function, unsigned int host_threads) {
    kgrade_emulated::set_limit_handler(&exit_at_limit);
    kgrade_emulated::limit_program();
    kgrade_emulated::set_host_threads(host_threads);
    source.function<int(int*)>(function)(out.data());
  };
  for (const unsigned int host_threads : {1u, 2u}) {
    EXPECT_EXIT(limited("overflow", host_threads), testing::ExitedWithCode(71), "");
    EXPECT_EXIT(limited("null_write", host_threads), testing::KilledBySignal(SIGSEGV), "");
  }
}

TEST(EmulatedErrors, DeviceMemoryEndsAtItsBudget) {
  const LoadedSource source("deadlock.cu");
  const auto allocate = source.function<int(std::size_t)>("allocate");
  EXPECT_EQ(allocate(kgrade_emulated::device_memory_bytes() + 1), 2);
  EXPECT_EQ(allocate(1 << 20), success);
}

TEST(EmulatedErrors, GivesTheSameOnAnyNumberOfHostThreads) {
  const LoadedSource source("histogram.cu");
  std::vector<unsigned char> data(30000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7);
  std::vector<std::vector<unsigned int>> results;
  for (const unsigned int threads : {1u, 2u, 5u, 16u}) {
    kgrade_emulated::set_host_threads(threads);
    results.emplace_back(256, 0);
    source.function<int(const unsigned char*, unsigned int*, int)>("histogram")(
        data.data(), results.back().data(), static_cast<int>(data.size()));
  }
  kgrade_emulated::set_host_threads(0);
  EXPECT_THAT(results, testing::Each(results.front()));
}

}  // namespace kgrade::test::emulated_errors_test
