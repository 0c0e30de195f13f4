#include "compile/candidate_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/candidate_kind.h"
#include "compile/files_beside.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Whether a link leads to a file that is not a source. Such a link is refused, because it may point to any
// file of the user, and records hold the lines that a compiler quotes.
bool leads_to_no_source(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_symlink(path, failure)) return false;
  const fs::path target = fs::canonical(path, failure);
  return failure || (target.extension() != ".cu" && target.extension() != ".py");
}

// The most that read_text_file() reads.
constexpr std::uint64_t largest_source = std::uint64_t{16} << 20;

bool is_too_large(const fs::path& file) {
  std::error_code failure;
  return fs::is_regular_file(file, failure) && fs::file_size(file, failure) > largest_source && !failure;
}

// The source of a candidate whose `file` is too large to be compiled.
CandidateSource too_large(const fs::path& path, const fs::path& file) {
  std::error_code failure;
  std::string beginning(largest_source, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  const std::uint64_t bytes = fs::file_size(file, failure);
  const std::string fault = fmt::format("{} is larger than {}, which is the most that a source may have",
                                        file.filename().string(), format_bytes(largest_source));
  return {path, Error{fault, "", {}}, {}, sha256_hex(fmt::format("{} bytes\n{}", bytes, beginning)), fault};
}

// When the file was last written, renamed or replaced.
std::pair<std::int64_t, std::int64_t> time_of_status(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {0, 0};
  return {status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

OwnFiles find_files(const CandidateSource& source, const Layout& layout) {
  const std::vector<fs::path> hidden = layout.hidden_from_candidates();
  return source.is_python() ? files_beside(source.path, source.submission->text, hidden)
                            : own_files(source.path, hidden);
}

Result<CandidateSource> read_candidate(const fs::path& path, const Layout& layout) {
  if (is_too_large(path) && !leads_to_no_source(path)) return too_large(path, path);
  const auto content = read_text_file(path);
  if (!content) {
    Error error = content.error();
    error.message = "candidate: " + error.message;
    if (error.remedy.empty()) error.remedy = "check the path; solutions/ has examples";
    return error;
  }
  if (path.string().find_first_of("\"\\\n") != std::string::npos) {
    return Error{"a candidate's path may not hold quotes, backslashes or line breaks",
                 "rename it",
                 {path.string(), 0, 0}};
  }
  if (leads_to_no_source(path)) {
    return Error{"candidate: is a link to something that is no .cu or .py file",
                 "name the file itself",
                 {path.string(), 0, 0}};
  }
  CandidateSource source{path, find_submission(*content, path)};
  source.files = find_files(source, layout);
  auto hash = hash_of(source.files, *content);
  if (!hash && is_too_large(hash.error().location.file)) return too_large(path, hash.error().location.file);
  if (!hash) return hash.errors();
  source.sha256 = std::move(*hash);
  return source;
}

}  // namespace

bool CandidateSource::is_module() const { return is_python() && has_module_entry(submission->text); }

bool CandidateSource::uses_triton() const {
  return is_python() && submission->text.find("triton") != std::string::npos;
}

std::optional<LineRange> CandidateSource::lines() const {
  if (!submission || !submission->is_block()) return std::nullopt;
  return LineRange{submission->first_line, submission->last_line};
}

Result<std::vector<CandidateSource>> read_candidates(const std::vector<fs::path>& paths,
                                                     const Layout& layout) {
  if (paths.empty()) return Error{"no candidate given", "name one or more candidate files", {}};
  std::vector<CandidateSource> sources;
  Errors errors;
  for (const auto& path : paths) {
    auto source = read_candidate(path, layout);
    if (source) {
      sources.push_back(std::move(*source));
    } else {
      errors.push_back(source.error());
    }
  }
  if (!errors.empty()) return errors;
  return sources;
}

std::optional<Change> change_of(const CandidateSource& source, const Layout& layout) {
  const OwnFiles now = find_files(source, layout);
  const auto hash = hash_of(now);
  if (hash && *hash == source.sha256) return std::nullopt;
  const auto said = [&](const fs::path& file, const char* what) {
    return file == now.files.front()
               ? Change{what, source.path}
               : Change{fmt::format("its file {} {}", file.lexically_relative(now.folder).string(), what),
                        file};
  };
  const std::vector<fs::path> before = files_that_count(source.files);
  for (const fs::path& file : before) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return said(file, "was removed");
  }
  // The time of the status is compared, because a user cannot set it, unlike the time of the last write.
  const std::vector<fs::path> files = files_that_count(now);
  const auto is_new = [&](const fs::path& file) {
    return std::find(before.begin(), before.end(), file) == before.end();
  };
  // Files that were written within one tick of the clock have the same time.
  const fs::path& latest = *std::max_element(files.begin(), files.end(), [&](const auto& a, const auto& b) {
    return std::pair(time_of_status(a), is_new(a)) < std::pair(time_of_status(b), is_new(b));
  });
  return said(latest, is_new(latest) ? "was added" : "changed");
}

std::optional<std::string> why_not_cuda(const CandidateSource& source, const Problem& problem) {
  const auto sentence = [&](int line, const std::string& message) {
    if (line == 0) return fmt::format("{}: {}", source.path.string(), message);
    return fmt::format("{}:{}: {}", source.path.string(), line, message);
  };
  if (!source.submission)
    return sentence(source.submission.error().location.line, source.submission.error().message);
  const Submission& found = *source.submission;
  if (trimmed(found.text).empty())
    return sentence(
        0, fmt::format("is empty; write: {} {{ ... }}", definition_of_solution(problem, problem.dtype)));
  if (found.kind == SubmissionKind::cuda) return std::nullopt;
  return sentence(found.is_block() ? found.first_line : line_of_python(found.text), is_python_message);
}

std::string in_one_line(const Error& error) {
  std::string text = error.location.line > 0 ? fmt::format("line {}: ", error.location.line) : "";
  text += error.message;
  return error.remedy.empty() ? text : text + "; " + error.remedy;
}

}  // namespace kgrade
