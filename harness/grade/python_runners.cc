#include "grade/python_runners.h"

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "grade/contestants.h"

namespace kgrade {

PythonRunners::PythonRunners(Device& device, const Problem& problem, PythonHost host, std::size_t at_once)
    : device_(device), problem_(problem), host_(std::move(host)), at_once_(at_once) {}

Errors PythonRunners::start(std::size_t left) {
  const std::size_t have = ready_.size();
  while (importing_.size() < at_once_ && have + importing_.size() < left) {
    auto runner = ContestantRunner::start(device_, problem_, host_);
    if (!runner) return runner.errors();
    importing_.push_back(std::move(*runner));
  }
  return {};
}

// Each worker opens the device when it is asked for something, and several side by side take hardly longer
// than one. The threads only ask; this thread does what a runner needs of the device.
void PythonRunners::await_all() {
  std::vector<std::future<Answer>> asking;
  for (const auto& runner : ready_) {
    asking.push_back(
        std::async(std::launch::async, [&runner] { return runner->worker().give_back(load_patience); }));
  }
  for (auto& answer : asking) answer.wait();
  for (const auto& runner : ready_) runner->await_ready(load_patience);
}

Result<std::unique_ptr<ContestantRunner>> PythonRunners::next(std::size_t left) {
  if (ready_.empty()) {
    if (auto errors = start(std::max<std::size_t>(left, 1)); !errors.empty()) return errors;
    ready_ = std::exchange(importing_, {});
    await_all();
  }
  std::unique_ptr<ContestantRunner> runner = std::move(ready_.front());
  ready_.pop_front();
  if (auto errors = start(left > 0 ? left - 1 : 0); !errors.empty()) return errors;
  return runner;
}

}  // namespace kgrade
