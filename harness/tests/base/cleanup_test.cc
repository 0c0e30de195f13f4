// Nothing outlives us: no processes and folders when a signal ends us, and nothing that a child left behind.
#include "base/cleanup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/process_table.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "tests/base/is_alive.h"

namespace kgrade::cleanup_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool group_is_alive(pid_t group) {
  for (const ProcessEntry& entry : process_table()) {
    if (entry.group == group && entry.state != 'Z') return true;
  }
  return false;
}

bool comes_true(const std::function<bool()>& condition, std::chrono::milliseconds patience = 20s) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// The process that holds a folder and runs a shell with a background process.
class Holder {
 public:
  explicit Holder(const std::string& before = "") {
    fs::create_directory(temporary());
    SpawnRequest request;
    request.command = {"/bin/sh", "-c", before + " exec \"$0\" hold \"$1\"", CLEANUP_PROGRAM,
                       pid_file().string()};
    request.environment = {"PATH=/usr/bin:/bin", "TMPDIR=" + temporary().string()};
    auto child = spawn(request);
    if (child) child_ = std::move(*child);
    EXPECT_TRUE(comes_true([&] { return fs::exists(pid_file()); }));
    const auto text = read_text_file(pid_file());
    if (text) group_ = static_cast<pid_t>(std::stoi(*text));
  }

  ChildProcess& child() { return child_; }
  pid_t group() const { return group_; }
  fs::path temporary() const { return folder_.path() / "tmp"; }

 private:
  fs::path pid_file() const { return folder_.path() / "pid"; }
  TemporaryDirectory folder_;
  ChildProcess child_;
  pid_t group_ = -1;
};

class SignalTest : public ::testing::TestWithParam<int> {};

TEST_P(SignalTest, EndsTheProcessWithItsFoldersAndGroups) {
  Holder holder;
  ASSERT_GT(holder.group(), 0);
  ASSERT_FALSE(fs::is_empty(holder.temporary()));
  ASSERT_TRUE(group_is_alive(holder.group()));
  ASSERT_EQ(::kill(holder.child().pid(), GetParam()), 0);
  ASSERT_TRUE(comes_true([&] { return holder.child().has_ended(); }));
  // Before wait(), which could itself end what was left behind.
  EXPECT_FALSE(group_is_alive(holder.group()));
  EXPECT_TRUE(fs::is_empty(holder.temporary()));
  const int status = holder.child().wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
  ::kill(-holder.group(), SIGKILL);  // in case of a failure above
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT));

TEST(CleanUpOnSignals, SaysTheFarewell) {
  Holder holder("exec 2> \"$TMPDIR.words\";");
  ASSERT_GT(holder.group(), 0);
  const fs::path words = holder.temporary().string() + ".words";
  EXPECT_EQ(*read_text_file(words), "");
  ASSERT_EQ(::kill(holder.child().pid(), SIGTERM), 0);
  ASSERT_TRUE(comes_true([&] { return holder.child().has_ended(); }));
  EXPECT_EQ(*read_text_file(words), "all is gone\n");
}

// nohup(1) makes us ignore SIGHUP, and that must stay so.
TEST(CleanUpOnSignals, LeavesIgnoredSignalsIgnored) {
  Holder holder("trap '' HUP;");
  ASSERT_GT(holder.group(), 0);
  ASSERT_EQ(::kill(holder.child().pid(), SIGHUP), 0);
  EXPECT_EQ(holder.child().wait_for(200ms), std::nullopt);
  ASSERT_EQ(::kill(holder.child().pid(), SIGTERM), 0);
  const auto status = holder.child().wait_for(20s);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WTERMSIG(*status), SIGTERM);
}

// Starts the program and returns the id that it prints.
pid_t printed_by(const std::string& mode, ChildProcess& child) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  SpawnRequest request;
  request.command = {CLEANUP_PROGRAM, mode};
  request.output_fd = writer.get();
  auto started = spawn(request);
  writer.reset();
  if (!started) return -1;
  child = std::move(*started);
  std::string text;
  for (char byte = 0; ::read(reader.get(), &byte, 1) == 1 && byte != '\n';) text += byte;
  return text.empty() ? -1 : static_cast<pid_t>(std::stoi(text));
}

class AdoptOrphans : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { adopt_orphans(); }
};

TEST_P(AdoptOrphans, WhatLeftItsGroupEndsWithTheChild) {
  pid_t escaped = -1;
  {
    ChildProcess child;
    escaped = printed_by(GetParam(), child);
    ASSERT_GT(escaped, 0);
    ASSERT_TRUE(comes_true([&] { return process_entry(escaped)->parent == ::getpid(); }));
    ASSERT_NE(process_entry(escaped)->group, child.pid());
  }
  EXPECT_EQ(process_entry(escaped), std::nullopt) << "not even a zombie is left";
  ::kill(escaped, SIGKILL);  // in case of a failure above
}

TEST_P(AdoptOrphans, WhatLeftItsGroupEndsWhenTheChildIsKilled) {
  ChildProcess child;
  const pid_t escaped = printed_by(GetParam(), child);
  ASSERT_GT(escaped, 0);
  child.kill_group();
  EXPECT_EQ(child.wait(), SIGKILL);
  EXPECT_EQ(process_entry(escaped), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Ways, AdoptOrphans, ::testing::Values("escape", "linger"));

TEST(AdoptOrphansBesideOthers, WhatALiveChildLeftInItsSessionIsItsOwn) {
  adopt_orphans();
  ChildProcess alive;
  const pid_t lingering = printed_by("linger", alive);
  ASSERT_GT(lingering, 0);
  ASSERT_TRUE(comes_true([&] { return process_entry(lingering)->parent == ::getpid(); }));
  {
    ChildProcess other;
    ASSERT_GT(printed_by("escape", other), 0);
  }
  EXPECT_TRUE(is_alive(alive.pid()));
  EXPECT_TRUE(is_alive(lingering));
}

TEST(AdoptOrphansBesideOthers, ChildrenOfOtherThreadsSurvive) {
  adopt_orphans();
  std::atomic<bool> done{false};
  std::atomic<int> ran{0};
  std::atomic<int> failed{0};
  const auto run_children = [&] {
    ProcessRequest request;
    request.command = {"/bin/sh", "-c", "sleep 0.01; exit 7"};
    request.environment = {"PATH=/usr/bin:/bin"};
    while (!done) {
      const auto outcome = run_process(request);
      ++ran;
      if (!outcome || outcome->exit_code != 7) ++failed;
    }
  };
  std::thread first(run_children);
  std::thread second(run_children);
  for (int round = 0; round < 30; ++round) {
    ChildProcess child;
    const pid_t escaped = printed_by("escape", child);
    child = ChildProcess();
    EXPECT_EQ(process_entry(escaped), std::nullopt);
  }
  done = true;
  first.join();
  second.join();
  EXPECT_GT(ran, 10);
  EXPECT_EQ(failed, 0);
}

// What a library forks stays in our session and is not an orphan.
TEST(AdoptOrphansBesideOthers, ProcessesForkedByOthersSurvive) {
  adopt_orphans();
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    for (;;) ::pause();
  }
  {
    ChildProcess child;
    ASSERT_GT(printed_by("escape", child), 0);
  }
  EXPECT_TRUE(is_alive(pid));
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

// A shell that started a daemon and then exec'd us.
TEST(AdoptOrphansBesideOthers, ChildrenFromBeforeSurvive) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ::setsid();
    for (;;) ::pause();
  }
  ASSERT_TRUE(comes_true([&] { return ::getsid(pid) == pid; }));
  adopt_orphans();
  {
    ChildProcess child;
    ASSERT_GT(printed_by("escape", child), 0);
  }
  EXPECT_TRUE(is_alive(pid));
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

// A child that another thread starts: whoever waits gets it, and nobody leaves it running.

Result<ChildProcess> sleeper() { return spawn({{"/bin/sleep", "60"}, {}, "/", {}}); }

bool runs(pid_t process) { return ::kill(process, 0) == 0; }

TEST(LateChild, is_waited_for) {
  const auto order = std::make_shared<ChildOrder>();
  LateChild child(order);
  EXPECT_TRUE(child.exists());
  EXPECT_FALSE(child.has_started());
  std::jthread starter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    order->deliver(spawn({{"/bin/sh", "-c", "exit 7"}, {}, "/", {}}));
    // The child dies with this thread.
    while (!order->is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(WEXITSTATUS(child.get().wait()), 7);
  EXPECT_TRUE(child.has_started());
  LateChild(order).kill_group();
}

TEST(LateChild, that_cannot_be_started_says_why) {
  const auto order = std::make_shared<ChildOrder>();
  LateChild child(order);
  order->deliver(Error{"there is no room", "", {}});
  EXPECT_EQ(child.get().pid(), -1);
  EXPECT_EQ(child.error(), "there is no room");
  EXPECT_FALSE(child.exists());
  child.kill_group();
  child.wait();
}

TEST(LateChild, is_cancelled_when_nobody_wants_it) {
  const auto order = std::make_shared<ChildOrder>();
  EXPECT_FALSE(order->is_cancelled());
  { const LateChild child(order); }
  EXPECT_TRUE(order->is_cancelled());
  auto started = sleeper();
  ASSERT_TRUE(started);
  const pid_t process = started->pid();
  // Too late to be cancelled.
  order->deliver(std::move(started));
  EXPECT_FALSE(runs(process));
}

TEST(LateChild, that_was_not_waited_for_ends) {
  auto order = std::make_shared<ChildOrder>();
  auto started = sleeper();
  ASSERT_TRUE(started);
  const pid_t process = started->pid();
  order->deliver(std::move(started));
  {
    const LateChild child(std::exchange(order, nullptr));
    EXPECT_TRUE(runs(process));
  }
  EXPECT_FALSE(runs(process));
}

TEST(LateChild, that_is_killed_before_it_starts_is_none) {
  const auto order = std::make_shared<ChildOrder>();
  LateChild child(order);
  child.kill_group();
  child.wait();
  EXPECT_FALSE(child.exists());
  EXPECT_TRUE(order->is_cancelled());
}

TEST(LateChild, that_is_there_already_is_taken) {
  auto child = spawn_now({{"/bin/sleep", "60"}, {}, "/", {}});
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->has_started());
  const pid_t process = child->get().pid();
  {
    const auto taken = child->take();
    EXPECT_EQ(taken->pid(), process);
    EXPECT_FALSE(child->exists());
    EXPECT_TRUE(runs(process));
  }
  EXPECT_FALSE(runs(process));
}

}  // namespace kgrade::cleanup_test
