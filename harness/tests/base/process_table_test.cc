// What the kernel reports about processes.
#include "base/process_table.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace kgrade::process_table_test {

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

}  // namespace kgrade::process_table_test
