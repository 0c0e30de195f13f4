// The JUnit file of a sweep that is cut short by a signal, or because no device is left. It has the verdicts
// so far, and every other candidate as not graded.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "record/ci_formats.h"
#include "sweep/plan.h"

namespace kgrade::cli {

class JunitSoFar {
 public:
  // Writes to `file` if a signal ends the process. If the name is empty, does nothing.
  JunitSoFar(const SweepPlan& plan, std::string file);
  ~JunitSoFar();
  JunitSoFar(const JunitSoFar&) = delete;
  JunitSoFar& operator=(const JunitSoFar&) = delete;

  void take(const Record& record);
  // An Error if the file cannot be written.
  Result<bool> write();

 private:
  const SweepPlan& plan_;
  std::string file_;
  std::mutex mutex_;  // guards the records: a signal's thread writes them
  std::vector<Record> records_;
};

}  // namespace kgrade::cli
