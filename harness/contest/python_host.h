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
  std::vector<std::filesystem::path> readable;  // that the interpreter needs: its libraries and packages
  bool imports_triton = false;                  // before there is a candidate, which saves its time later
  std::filesystem::path bytecode = {};          // of its packages, where they have none of their own
  std::filesystem::path cache =
      {};  // where it keeps what it compiles, from run to run; it exists. Empty: nowhere
  std::shared_ptr<Zygote> zygote = {};  // that forks it; null: it is started as a program
};

// The command of a worker in Python on the device whose own workers have the command `worker`
// (Device::worker_command()): the library of the same kind lies beside that program.
std::vector<std::string> python_command(const PythonHost& host, const std::vector<std::string>& worker);

// What such a worker may do beyond others: read its packages, and start programs (Triton's compilers) until
// it is locked.
SandboxPolicy python_policy(const PythonHost& host, const std::vector<std::string>& worker);

}  // namespace kgrade
