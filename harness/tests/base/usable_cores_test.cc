// What affinity and control groups leave of a machine's processors.
#include "base/usable_cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <future>
#include <string>

#include "base/temporary_directory.h"

namespace kgrade::usable_cores_test {

namespace fs = std::filesystem;

class ProcessorLimit : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text;
  }
  double limit_of(const std::string& group) const { return processor_limit(folder_.path(), group); }

 private:
  TemporaryDirectory folder_;
};

TEST_F(ProcessorLimit, IsTheLeastOfAGroupAndItsParents) {
  write("pods/cpu.max", "400000 100000\n");
  write("pods/one/cpu.max", "max 100000\n");
  write("pods/two/cpu.max", "50000 100000\n");
  EXPECT_EQ(limit_of("/pods/one"), 4);
  EXPECT_EQ(limit_of("/pods/two"), 0.5);
  EXPECT_EQ(limit_of("/other"), 0);
  EXPECT_EQ(limit_of("/"), 0);
}

TEST_F(ProcessorLimit, OfAContainerIsAtTheTopOfWhatItSees) {
  write("cpu.max", "250000 100000\n");
  EXPECT_EQ(limit_of("/"), 2.5);
  EXPECT_EQ(limit_of("/docker/0123"), 2.5);
}

TEST_F(ProcessorLimit, IsInTwoFilesInVersion1) {
  write("cpu.cfs_quota_us", "-1\n");
  write("cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit_of("/"), 0);
  write("cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(limit_of("/"), 3);
}

TEST_F(ProcessorLimit, IsNoneWhereTheFileHoldsAnythingElse) {
  for (const char* const text :
       {"", "max", "0 100000", "100000", "100000 0", "-5 100000", "words of others"}) {
    write("cpu.max", text);
    EXPECT_EQ(limit_of("/"), 0) << text;
  }
}

TEST(UsableCores, AreThoseOfTheAffinity) {
  // In a thread of its own, since the affinity is a thread's.
  std::async(std::launch::async, [] {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_GE(usable_cores(), 1);
    EXPECT_LE(usable_cores(), CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_cores(), 1);
  }).get();
}

}  // namespace kgrade::usable_cores_test
