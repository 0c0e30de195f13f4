// The outputs of a command: its files, its messages to CI systems, and its progress on a terminal. Files are
// checked before any work is done. Otherwise a typing error in a path could lose a result, or destroy a file
// that the command reads.
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
  std::string file;    // empty: none; "-": standard output
  bool replaces_records = false;
};

// The reasons why outputs cannot be written. All outputs must be different files, and none may be an input.
// An output that is not a record must not replace a file of records.
Errors check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs = {});

// Why a command cannot rewrite the file that it reads. The file may be read-only. Its folder may be
// read-only, too, and the new file is made there before it replaces the old one.
std::optional<Error> why_not_rewritable(const std::filesystem::path& file);

// --- CI systems ---

struct CiOutput {
  std::string junit;
  bool github = false;
};

// Adds --junit FILE and --github.
void add_ci_options(CLI::App& command, CiOutput& output);
void add_github_option(CLI::App& command, CiOutput& output);
// Checks these options and the other `outputs` of a command that reads `inputs`, before any work is done.
// With --github, text that fail() prints afterwards cannot act as a command.
Errors check_ci_output(const CiOutput& output, std::vector<Output> outputs,
                       const std::vector<std::string>& inputs = {});

// Text for the log. With --github, none of it acts as a command.
std::string log_text(const CiOutput& output, std::string text);

// Writes the requested output: the JUnit file, annotations to `stream`, and the summary. The summary is
// appended to the file that GITHUB_STEP_SUMMARY names, if it is set.
Result<bool> write_ci_output(const CiOutput& output, const std::vector<Record>& records,
                             std::FILE* stream = stdout, const std::vector<Ungraded>& ungraded = {});

// Writes the part of the output that --github asks for.
Result<bool> write_github_output(const CiOutput& output, const std::string& annotations,
                                 const std::string& summary, std::FILE* stream);

// --- Progress ---

// A progress line on standard error with a running clock. It is overwritten in place. Without a terminal,
// nothing is shown. If a signal ends the run, the line is cleared, so that the shell's prompt does not follow
// it.
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

  bool terminal_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable ended_;
  bool ends_ = false;
  std::string shown_;  // empty: the line is clear
  std::thread clock_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kgrade::cli
