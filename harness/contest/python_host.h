// The interpreter that runs contestants in Python, and how a worker in it is started.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade {

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
