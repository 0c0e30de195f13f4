// What a command writes: its files, looked at before any work is done (losing a result for a slip in a path
// would be a waste, and losing what the command reads is worse), what it tells a CI system, and its progress
// on a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "record/ci_formats.h"
#include "record/record.h"
#include "record/terminal.h"

namespace kgrade::cli {

// --- Files ---

struct Output {
  std::string option;  // "--json"
  std::string file;    // none where it is empty, standard output where it is "-"
  bool replaces_records = false;
};

// Why some cannot be written. No two may be one file, none may be one of the files that are read, and what is
// no record itself may not replace a file of records.
Errors check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs = {});

// Why a command that writes into the file it reads could not do so: the file, or the folder that the new one
// is made in before it takes the place of the old, is read-only.
std::optional<Error> why_not_rewritable(const std::filesystem::path& file);

// --- CI systems ---

struct CiOutput {
  std::string junit;
  bool github = false;
};

// --junit FILE and --github.
void add_ci_options(CLI::App& command, CiOutput& output);
void add_github_option(CLI::App& command, CiOutput& output);
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

// The half of it that --github asks for.
Result<bool> write_github_output(const CiOutput& output, const std::string& annotations,
                                 const std::string& summary, std::FILE* stream);

// --- Progress ---

// One line on standard error that is overwritten, on a terminal, with a clock that goes on while nothing else
// happens; nothing elsewhere. Where a signal ends the run, the line goes: the shell's prompt would follow it
// otherwise.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);
  void clear();

 private:
  void draw() const;
  void tick();

  bool terminal_;
  std::mutex mutex_;  // guards what is below
  std::condition_variable ended_;
  bool ends_ = false;
  std::string shown_;  // empty: the line is clear
  std::thread clock_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kgrade::cli
