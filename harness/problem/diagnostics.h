// Collects what is wrong with a file, so that one run tells all of it; internal to spec.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/result.h"

namespace kgrade {

class Diagnostics {
 public:
  static constexpr std::size_t limit = 50;

  // Errors past the limit are dropped: they add nothing that a reader would still read.
  void add(Location location, std::string message, std::string remedy) {
    add(Error{std::move(message), std::move(remedy), std::move(location)});
  }
  void add(Error error) {
    if (!full()) errors_.push_back(std::move(error));
  }
  void add(const Errors& errors) {
    for (const Error& error : errors) add(error);
  }

  bool empty() const { return errors_.empty(); }
  bool full() const { return errors_.size() >= limit; }

  // In the order of the file; of two files, one after the other.
  Errors take() {
    std::stable_sort(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) {
      return std::tie(a.location.file, a.location.line, a.location.column) <
             std::tie(b.location.file, b.location.line, b.location.column);
    });
    return std::move(errors_);
  }

 private:
  Errors errors_;
};

}  // namespace kgrade
