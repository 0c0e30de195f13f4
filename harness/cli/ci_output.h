// What commands that grade tell a CI system.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/outputs.h"
#include "record/ci_formats.h"
#include "record/record.h"

namespace kgrade::cli {

struct CiOutput {
  std::string junit;
  bool github = false;
};

// --junit FILE and --github.
void add_ci_options(CLI::App& command, CiOutput& output);
// What is wrong with their values and the other `outputs` of the command, which reads `inputs`, before any
// work is done. From then on what fail() prints is no command either, with --github.
Errors check_ci_output(const CiOutput& output, std::vector<Output> outputs,
                       const std::vector<std::string>& inputs = {});

// Text for the log: with --github none of it acts as a command.
std::string log_text(const CiOutput& output, std::string text);

// Writes what was asked for: the JUnit file; annotations to `stream`, and the summary at the end of the file
// that GITHUB_STEP_SUMMARY names, where it is set.
Result<bool> write_ci_output(const CiOutput& output, const std::vector<Record>& records,
                             std::FILE* stream = stdout, const std::vector<Ungraded>& ungraded = {});

}  // namespace kgrade::cli
