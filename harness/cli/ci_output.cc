#include "cli/ci_output.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/app.h"
#include "draw/seed.h"
#include "record/ci_formats.h"

namespace kgrade::cli {
namespace {

Result<bool> append(const std::string& file, const std::string& text) {
  const int failure =
      write_and_close(UniqueFd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)), text);
  if (failure == 0) return true;
  return Error{fmt::format("cannot be written: {}", std::strerror(failure)),
               "unset GITHUB_STEP_SUMMARY, or let it name a file that you may write to",
               Location{file, 0, 0}};
}

// Empty where there is none.
std::string summary_file() {
  const char* file = std::getenv("GITHUB_STEP_SUMMARY");
  return file == nullptr ? "" : file;
}

}  // namespace

void add_ci_options(CLI::App& command, CiOutput& output) {
  command.add_option("--junit", output.junit, "Write the verdicts to FILE as JUnit XML")->type_name("FILE");
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
  if (!output.github) return true;
  fmt::print(stream, "{}", github_annotations(records, ungraded));
  return summary_file().empty() ? true : append(summary_file(), github_summary(records, ungraded));
}

}  // namespace kgrade::cli
