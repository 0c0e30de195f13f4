// A child that another thread starts: whoever waits gets it, and nobody leaves it running.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "base/subprocess.h"

namespace kgrade::late_child_test {

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

}  // namespace kgrade::late_child_test
