// Workers for candidates in Python. Importing the frameworks takes seconds, mostly on one core. So the
// workers of the next candidates import while others are graded, and touch the device only when their batch
// is next.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "contest/contestant_runner.h"

namespace kgrade {

class PythonRunners {
 public:
  // `at_once`: how many import at the same time.
  PythonRunners(Device& device, const Problem& problem, PythonHost host, std::size_t at_once);

  // Starts workers for the next candidates, of which there are `left`.
  Errors start(std::size_t left);
  // A runner that has the device, for the next candidate. An Error if none can be started. A runner with
  // another fault reports it when it is used.
  Result<std::unique_ptr<ContestantRunner>> next(std::size_t left);

 private:
  void await_all();

  using Runners = std::deque<std::unique_ptr<ContestantRunner>>;

  Device& device_;
  const Problem& problem_;
  PythonHost host_;
  std::size_t at_once_;
  Runners importing_;
  Runners ready_;  // have the device
};

}  // namespace kgrade
