// A frozen worker does nothing at all: a hostile one that counts on a separate thread shows it.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/process_table.h"
#include "contest/worker_process.h"
#include "counting_page.h"

namespace kgrade {
namespace freeze_test {

using std::chrono::milliseconds;
using test::CountingPage;

constexpr milliseconds long_enough{20'000};

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

// The state of each thread, as in ps(1): "TT" for two that are stopped. See proc(5), /proc/PID/task.
std::string states_of_threads(pid_t process) {
  std::string states;
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(folder)) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    std::getline(stat, line);
    // The state comes after the name, which ends at the last parenthesis.
    states += line.at(line.rfind(')') + 2);
  }
  return states;
}

class Freeze : public testing::Test {
 protected:
  void start(const std::vector<std::string>& command) {
    auto started = WorkerProcess::start(command);
    ASSERT_TRUE(started.ok()) << to_string(started.errors());
    worker_ = std::move(*started);
    gate_ = Gate::make();
    ASSERT_NE(gate_, nullptr);
    void* const page =
        ::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate_->descriptor(), 0);
    ASSERT_NE(page, MAP_FAILED);
    page_ = static_cast<CountingPage*>(page);
  }
  ~Freeze() override {
    if (page_ != nullptr) ::munmap(page_, gate_bytes);
  }

  bool counts_on() {
    const std::uint64_t before = page_->count;
    return eventually([&] { return page_->count != before; });
  }

  void expect_stopped() {
    ASSERT_TRUE(eventually([this] { return states_of_threads(page_->process) == "TT"; }));
    const std::uint64_t before = page_->count;
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(page_->count, before);
  }

  std::unique_ptr<WorkerProcess> worker_;
  std::unique_ptr<Gate> gate_;
  CountingPage* page_ = nullptr;
};

TEST_F(Freeze, NoThreadRunsUntilTheWorkerIsThawed) {
  start({HOSTILE_WORKER, "counting"});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  ASSERT_TRUE(counts_on());
  for (int i = 0; i < 3; ++i) {
    worker_->freeze();
    expect_stopped();
    worker_->thaw();
    EXPECT_TRUE(counts_on());
  }
}

TEST_F(Freeze, AThawedWorkerAnswersWhatItWasAskedMeanwhile) {
  start({HOSTILE_WORKER, "counting"});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  worker_->freeze();
  expect_stopped();
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  worker_->thaw();
  EXPECT_TRUE(worker_->end_call(long_enough).ok());
  EXPECT_TRUE(worker_->settle(long_enough).ok());
}

TEST_F(Freeze, AFrozenWorkerCanBeEnded) {
  for (const bool retires : {true, false}) {
    start({HOSTILE_WORKER, "counting"});
    ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
    worker_->find_worker();
    worker_->freeze();
    expect_stopped();
    if (retires) worker_->retire();
    worker_->dismiss(long_enough);
    EXPECT_FALSE(worker_->alive());
    EXPECT_FALSE(process_entry(page_->process));
    ::munmap(page_, gate_bytes);
    page_ = nullptr;
  }
}

TEST_F(Freeze, ThreadsAreCountedOnceTheWorkerIsFound) {
  start({HOSTILE_WORKER, "counting"});
  EXPECT_EQ(worker_->threads(), 0u);
  worker_->find_worker();
  EXPECT_EQ(worker_->threads(), 1u);
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  EXPECT_EQ(worker_->threads(), 2u);
}

// As in a sandbox: the process that was started is not the one that must be stopped.
TEST_F(Freeze, BelowALauncherTheWorkerIsFound) {
  start({"/bin/sh", "-c", "\"$0\" counting; exit $?", HOSTILE_WORKER});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  EXPECT_EQ(worker_->threads(), 2u);
  worker_->freeze();
  expect_stopped();
  worker_->thaw();
  EXPECT_TRUE(counts_on());
}

}  // namespace freeze_test
}  // namespace kgrade
