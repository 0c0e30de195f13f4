// Builds the extensions that a contestant in Python asks for while it is loaded or rehearsed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "contest/protocol.h"

namespace kgrade {

// The result of building one extension.
struct BuiltExtension {
  std::filesystem::path library;  // empty: it was not built
  std::string message;            // if not built, one line: the first thing that is wrong
  std::string log;                // output of the compilers
  bool torch_headers = false;     // built with PyTorch's own headers
};
using ExtensionBuilder = std::function<BuiltExtension(const std::string& request)>;

// The builds of one worker. Their number and their time are limited.
class WantedBuilds {
 public:
  void set_builder(ExtensionBuilder builder) { builder_ = std::move(builder); }
  bool has_builder() const { return builder_ != nullptr; }

  struct Outcome {
    std::string refusal;  // empty: there was a build
    BuildAnswer kind = BuildAnswer::failed;
    UniqueFd answer;  // the library, or the compilers' output; without a descriptor if memory runs out
  };
  // Builds what the worker's request in this file asks for.
  Outcome build(const UniqueFd& request);
  // The message of the last build, if it failed.
  const std::string& failure() const { return failure_; }

 private:
  std::string why_refused();

  ExtensionBuilder builder_;
  int asked_for_ = 0;
  std::chrono::steady_clock::duration spent_{0};
  std::string failure_;
};

}  // namespace kgrade
