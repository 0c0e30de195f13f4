#include "cli/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/cleanup.h"
#include "base/machine_faults.h"
#include "base/text.h"
#include "base/text_file.h"
#include "base/unique_fd.h"
#include "cli/app.h"
#include "draw/seed.h"
#include "record/ci_formats.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace fs = std::filesystem;
namespace {

// --- Files ---

// A record has its schema at the beginning of the file.
constexpr std::size_t head_bytes = 256;

bool is_plain_file(const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

// True if both paths name one plain file. Devices accept any number of outputs.
bool is_one_file(const std::string& a, const std::string& b) {
  std::error_code failure;
  if (fs::exists(a, failure) && fs::exists(b, failure))
    return is_plain_file(a) && fs::equivalent(a, b, failure) && !failure;
  return resolved(fs::absolute(a, failure)) == resolved(fs::absolute(b, failure));
}

bool holds_records(const std::string& file) {
  if (!is_plain_file(file)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string head(head_bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head.find("\"kgrade-record\"") != std::string::npos;
}

// 0 if a file can be made there, otherwise errno. Trying is necessary: root may write to any folder, but
// /proc takes no files.
int try_to_make_file(const fs::path& path) { return PartialFile::beside(path) ? 0 : errno; }

std::optional<Error> check_writable(const std::string& path, const std::string& option) {
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code ignored;
  const Location place{path, 0, 0};
  if (fs::is_directory(target, ignored)) return Error{option + ": is a folder", "name a file in it", place};
  if (!fs::is_directory(folder, ignored)) {
    return Error{option + ": there is no folder " + folder.string(), "make it first, or name another file",
                 place};
  }
  const bool exists = fs::exists(target, ignored);
  // A plain file is replaced by renaming a new file over it. Anything else is written directly.
  const bool replaced = !exists || fs::is_regular_file(target, ignored);
  if ((replaced && ::access(folder.c_str(), W_OK) != 0) || (exists && ::access(target.c_str(), W_OK) != 0)) {
    return Error{option + ": cannot be written", "check the permissions, or name another file", place};
  }
  // The target of a link, such as /dev/stdout, may be in any folder.
  const bool link = fs::is_symlink(target, ignored);
  const int failure = replaced && !link ? try_to_make_file(target) : 0;
  if (failure != 0) {
    return Error{
        fmt::format("{}: cannot be written: {}", option, std::strerror(failure)),
        is_lack_of_room(failure) ? remedy_for_room(target) : "name a file in a folder that you may write to",
        place, blame_for_file(failure)};
  }
  return std::nullopt;
}

Error complaint(const Output& output, const std::string& what) {
  return {output.option + ": " + what, "name another file", {output.file, 0, 0}};
}

// --- CI systems ---

Result<bool> append(const std::string& file, const std::string& text) {
  const int failure =
      write_and_close(UniqueFd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)), text);
  if (failure == 0) return true;
  return Error{fmt::format("cannot be written: {}", std::strerror(failure)),
               is_lack_of_room(failure)
                   ? remedy_for_room(file)
                   : "unset GITHUB_STEP_SUMMARY, or let it name a file that you may write to",
               Location{file, 0, 0}, blame_for_file(failure)};
}

// Empty if there is none.
std::string summary_file() {
  const char* file = std::getenv("GITHUB_STEP_SUMMARY");
  return file == nullptr ? "" : file;
}

}  // namespace

// --- Files ---

Errors check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  Errors errors;
  std::vector<Output> seen;
  for (const Output& output : outputs) {
    if (output.file.empty() || output.file == "-") continue;
    if (auto error = check_writable(output.file, output.option)) errors.push_back(*error);
    for (const Output& other : seen) {
      if (is_one_file(output.file, other.file))
        errors.push_back(complaint(output, "is the file of " + other.option + " too"));
    }
    for (const std::string& input : inputs) {
      if (is_one_file(output.file, input)) errors.push_back(complaint(output, "is read by this command"));
    }
    if (errors.empty() && !output.replaces_records && holds_records(output.file))
      errors.push_back(complaint(output, "holds records, which would be lost"));
    seen.push_back(output);
  }
  return errors;
}

std::optional<Error> why_not_rewritable(const fs::path& file) {
  const fs::path target = resolved(file);  // a link stays, and its target is replaced
  const Location place{file.string(), 0, 0};
  const std::string otherwise = ", or run it with --dry-run and write what it prints yourself";
  if (::access(target.c_str(), W_OK) != 0)
    return Error{fmt::format("the file cannot be written: {}", std::strerror(errno)),
                 "allow it, as `chmod u+w` does" + otherwise, place};
  if (const int failure = try_to_make_file(target); failure != 0)
    return Error{fmt::format("the folder {} takes no new file, which is to replace this one: {}",
                             target.parent_path().string(), std::strerror(failure)),
                 is_lack_of_room(failure) ? remedy_for_room(target)
                                          : "allow it, as `chmod u+w` on the folder does" + otherwise,
                 place, blame_for_file(failure)};
  return std::nullopt;
}

// --- CI systems ---

void add_ci_options(CLI::App& command, CiOutput& output) {
  command.add_option("--junit", output.junit, "Write the verdicts to FILE as JUnit XML")->type_name("FILE");
  add_github_option(command, output);
}

void add_github_option(CLI::App& command, CiOutput& output) {
  command.add_flag("--github", output.github,
                   "In a job of GitHub Actions: print annotations, and add to the job's summary");
}

Errors check_ci_output(const CiOutput& output, std::vector<Output> outputs,
                       const std::vector<std::string>& inputs) {
  if (output.github) quote_failures([output](const std::string& text) { return log_text(output, text); });
  if (output.junit == "-") return {{"--junit: '-' is no file", "name a file", {}}};
  if (output.github && !summary_file().empty()) {
    if (const auto appended = append(summary_file(), ""); !appended) return appended.errors();
  }
  outputs.push_back({"--junit", output.junit});
  return check_outputs(outputs, inputs);
}

std::string log_text(const CiOutput& output, std::string text) {
  if (!output.github) return text;
  return github_quoted(text, fmt::format("kgrade{:016x}{:016x}", random_seed(), random_seed()));
}

Result<bool> write_ci_output(const CiOutput& output, const std::vector<Record>& records, std::FILE* stream,
                             const std::vector<Ungraded>& ungraded) {
  if (!output.junit.empty()) {
    auto written = write_file_atomically(output.junit, junit_xml(records, ungraded));
    if (!written) return written;
  }
  return write_github_output(output, github_annotations(records, ungraded), github_summary(records, ungraded),
                             stream);
}

Result<bool> write_github_output(const CiOutput& output, const std::string& annotations,
                                 const std::string& summary, std::FILE* stream) {
  if (!output.github) return true;
  fmt::print(stream, "{}", annotations);
  return summary_file().empty() ? true : append(summary_file(), summary);
}

// --- Progress ---

Progress::Progress() : terminal_(Style::for_descriptor(STDERR_FILENO).coloured()) {
  if (!terminal_) return;
  Cleanup::of_this_process().set_final_message("\r\033[Kinterrupted\n");
  clock_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; })) {
      if (!shown_.empty()) draw();
    }
  });
}

Progress::~Progress() {
  clear();
  if (terminal_) Cleanup::of_this_process().set_final_message("");
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  if (clock_.joinable()) clock_.join();
}

void Progress::show(const std::string& what) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  shown_ = what;
  draw();
}

void Progress::draw() const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string line = fmt::format("{:5.1f} s  {}", seconds, shown_);
  // A line that wraps cannot be overwritten.
  if (line.size() >= terminal_width(STDERR_FILENO)) line.resize(terminal_width(STDERR_FILENO) - 1);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_.empty()) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_.clear();
}

}  // namespace kgrade::cli
