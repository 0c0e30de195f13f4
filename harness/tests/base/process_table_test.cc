// What the kernel reports about processes.
#include "base/process_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "base/usable_cores.h"

namespace kgrade::process_table_test {

namespace fs = std::filesystem;

TEST(ProcessTable, KnowsThisProcess) {
  const auto entry = process_entry(::getpid());
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->pid, ::getpid());
  EXPECT_EQ(entry->parent, ::getppid());
  EXPECT_EQ(entry->group, ::getpgrp());
  EXPECT_EQ(entry->session, ::getsid(0));
  const auto table = process_table();
  EXPECT_EQ(std::count_if(table.begin(), table.end(), [](const auto& row) { return row.pid == ::getpid(); }),
            1);
}

// A process chooses its name; parentheses and blanks in it must not shift the fields.
TEST(ProcessTable, IsNotFooledByNames) {
  char before[16] = {};
  ::prctl(PR_GET_NAME, before);
  ::prctl(PR_SET_NAME, "a) Z 1 1 1 (b");
  const auto entry = process_entry(::getpid());
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->parent, ::getppid());
  EXPECT_NE(entry->state, 'Z');
}

TEST(ProcessTable, ShowsAZombieUntilItIsReaped) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process_entry(pid)->state, 'Z');
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_EQ(process_entry(pid), std::nullopt);
}

TEST(ProcessTable, ListsChildrenWhicheverThreadStartedThem) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t child = -1;
  std::thread([&] {
    child = ::fork();
    char end = 0;
    if (child == 0) ::_exit(static_cast<int>(::read(ends[0], &end, 1)));
    // A thread's children are another's once it has ended.
    EXPECT_EQ(children_of(::getpid()), std::vector<pid_t>{child});
  }).join();
  EXPECT_EQ(children_of(::getpid()), std::vector<pid_t>{child});
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(children_of(::getpid()).empty());
  EXPECT_TRUE(children_of(child).empty()) << "it is gone";
  ::close(ends[0]);
  ::close(ends[1]);
}

// What affinity and control groups leave of a machine's processors.

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

// Ownership of descriptors.

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }
int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(UniqueFd, ClosesWhenItGoes) {
  const int fd = open_null();
  { const UniqueFd owner(fd); }
  EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, MovingHandsItOver) {
  const int fd = open_null();
  UniqueFd first(fd);
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), fd);
  UniqueFd third(open_null());
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), fd);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, ReleaseLetsItGoOpen) {
  UniqueFd owner(open_null());
  const int fd = owner.release();
  EXPECT_FALSE(owner);
  EXPECT_TRUE(is_open(fd));
  ::close(fd);
}

}  // namespace kgrade::process_table_test
