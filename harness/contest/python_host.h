// The interpreter that runs contestants in Python, how a worker in it is started, and the extensions that it
// asks for while it is loaded or rehearsed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "contest/protocol.h"
#include "sandbox/policy.h"

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
  ExtensionBuilder builder_;
  int asked_for_ = 0;
  std::chrono::steady_clock::duration spent_{0};
  std::string failure_;
};

class Zygote;

struct PythonHost {
  std::filesystem::path program;                // the interpreter
  std::filesystem::path script;                 // worker.py of harness/python
  std::vector<std::filesystem::path> readable;  // the interpreter's libraries, its packages, and the toolkit
  bool imports_triton = false;                  // imported before there is a candidate, to save time later
  std::filesystem::path bytecode = {};          // folder for the bytecode of packages that have none
  std::filesystem::path cache = {};  // existing folder for compiled code, kept from run to run; empty: none
  std::filesystem::path cuda_toolkit = {};  // where frameworks find compilers and libraries; empty: nowhere
  std::shared_ptr<Zygote> zygote = {};      // forks the interpreter; null: it is started as a program
};

// The library that a Python worker loads, beside the worker's program: "libkgrade-python-cuda.so" beside
// "kgrade-worker-cuda".
std::filesystem::path python_library(const std::filesystem::path& worker);

// The command of a worker in Python, on the device whose own workers have the command `worker`
// (Device::worker_command()). The library for this device lies beside the worker's program.
std::vector<std::string> python_command(const PythonHost& host, const std::vector<std::string>& worker);

// What a worker in Python may do. Unlike other workers, it may read its packages, and start programs
// (Triton's compilers) until it is locked.
SandboxPolicy python_policy(const PythonHost& host, const std::vector<std::string>& worker);

}  // namespace kgrade
