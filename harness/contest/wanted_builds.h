// The extensions that a contestant in Python wants built while it is loaded or rehearsed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

// What became of an extension that a contestant in Python wants built.
struct BuiltExtension {
  std::filesystem::path library;  // empty: it was not built
  std::string message;            // then one line: the first thing that is wrong
  std::string log;                // of the compilers
};
using ExtensionBuilder = std::function<BuiltExtension(const std::string& request)>;

// Those of one worker, which may ask often and for long, but not for ever.
class WantedBuilds {
 public:
  void set_builder(ExtensionBuilder builder) { builder_ = std::move(builder); }
  bool has_builder() const { return builder_ != nullptr; }

  struct Outcome {
    std::string refusal;  // empty: there was a build
    bool failed = false;
    UniqueFd answer;  // the library, or what the compilers wrote; without a descriptor for want of memory
  };
  // Builds what the worker's request, in this file, asks for.
  Outcome build(const UniqueFd& request);
  // The message of the last one, when it failed.
  const std::string& failure() const { return failure_; }

 private:
  std::string why_refused();

  ExtensionBuilder builder_;
  int asked_for_ = 0;
  std::chrono::steady_clock::duration spent_{0};
  std::string failure_;
};

}  // namespace kgrade
