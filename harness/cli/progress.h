// One line on a terminal that is overwritten as work goes on; nothing at all where standard error is no
// terminal.
#pragma once

#include <chrono>
#include <string>

#include "record/terminal.h"

namespace kgrade::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kgrade::cli
