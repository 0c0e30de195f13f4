#include "compile/candidate_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/candidate_kind.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Limits the time of a search through a folder like /tmp.
constexpr std::size_t most_entries_seen = 20000;
constexpr int deepest_folder = 16;
// Longer texts are not searched for names or submissions.
constexpr std::uint64_t longest_text_read = std::uint64_t{1} << 20;

bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Whether `name` occurs in `text` and is not part of a longer word.
bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

// The words of the text: runs of letters, digits and underscores. Most names are not in this set, so no
// search for them is needed.
std::unordered_set<std::string_view> words_of(std::string_view text) {
  std::unordered_set<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > at) words.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// `name` is the name of a file or folder.
bool is_named_in(std::string_view text, const std::unordered_set<std::string_view>& words,
                 std::string_view name) {
  const auto first_end = std::find_if_not(name.begin(), name.end(), is_word_character);
  if (first_end != name.begin() && !words.contains(std::string_view(name.begin(), first_end))) return false;
  const std::string stem(name.substr(0, std::max<std::size_t>(1, std::min(name.rfind('.'), name.size()))));
  if (has_word(text, name) || has_word(text, "import " + stem) || has_word(text, "from " + stem)) return true;
  // A stem that is a single letter or a number does not count, because such words occur in nearly every text.
  return stem.size() > 1 && std::any_of(stem.begin(), stem.end(), is_letter) && has_word(text, stem);
}

// The names in a folder, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::directory_iterator() && names.size() < most_entries_seen;
       entry.increment(failure))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Beside {
 public:
  Beside(const fs::path& candidate, const std::vector<fs::path>& excluded) {
    std::error_code ignored;
    own_.folder = resolved(fs::absolute(candidate, ignored).parent_path());
    own_.files = {own_.folder / candidate.filename()};
    for (const fs::path& folder : excluded) excluded_.push_back(resolved(folder));
  }

  OwnFiles find(std::string text) {
    left_ = names_in(own_.folder);
    std::erase(left_, own_.files.front().filename().string());
    // The files found so far may name more files.
    while (!text.empty()) {
      texts_.clear();
      take_named(text);
      text = std::move(texts_);
    }
    std::sort(own_.files.begin() + 1, own_.files.end());
    return std::move(own_);
  }

 private:
  void take_named(std::string_view text) {
    const auto words = words_of(text);
    const auto named = std::stable_partition(
        left_.begin(), left_.end(), [&](const std::string& name) { return !is_named_in(text, words, name); });
    const std::vector<std::string> found(named, left_.end());
    left_.erase(named, left_.end());
    for (const std::string& name : found) look_at(own_.folder / name, 0);
  }

  void look_at(const fs::path& path, int depth) {
    const std::string name = path.filename().string();
    if (name.starts_with(".") || name == "__pycache__") return;
    if (is_build_folder(path) || is_python_environment(path)) return;
    const fs::path target = resolved(path);
    const auto is_excluded = [&](const fs::path& folder) {
      return is_within(target, folder) && !is_within(own_.folder, folder);
    };
    if (std::any_of(excluded_.begin(), excluded_.end(), is_excluded)) return;
    if (!is_within(target, own_.folder))
      return refuse(path, "is a link that leads out of the folder of the candidate");
    std::error_code failure;
    if (fs::is_directory(target, failure)) {
      if (depth < deepest_folder && !fs::is_symlink(path, failure)) look_through(path, depth + 1);
    } else if (fs::is_regular_file(target, failure)) {
      take(path, target);
    }
  }

  void look_through(const fs::path& folder, int depth) {
    for (const std::string& name : names_in(folder)) {
      if (own_.files.size() > most_files_beside) return;
      look_at(folder / name, depth);
    }
  }

  void take(const fs::path& path, const fs::path& target) {
    std::error_code failure;
    const std::uint64_t size = fs::file_size(target, failure);
    if (failure || target == own_.files.front()) return;
    if (own_.files.size() > most_files_beside)
      return refuse(path, fmt::format("is one of more than {} files", most_files_beside));
    if (bytes_ + size > most_bytes_beside)
      return refuse(path, "would make the files beside the candidate larger than 16 MiB in total");
    std::string text;
    if (size <= longest_text_read) {
      if (auto content = read_text_file(target)) text = std::move(*content);
    }
    if (holds_submission(text, target))
      return refuse(path, "is a candidate itself, and a candidate gets no files of other candidates");
    bytes_ += size;
    own_.files.push_back(path);
    constexpr std::array<std::string_view, 14> sources = {".py",  ".cu",  ".cuh", ".cpp", ".cc",
                                                          ".cxx", ".c",   ".h",   ".hpp", ".hh",
                                                          ".inl", ".inc", ".ptx", ".json"};
    if (std::find(sources.begin(), sources.end(), path.extension().string()) != sources.end())
      texts_ += text + '\n';
  }

  void refuse(const fs::path& path, std::string reason) {
    own_.refused.push_back({path.lexically_relative(own_.folder).string(), std::move(reason)});
  }

  OwnFiles own_;
  std::vector<fs::path> excluded_;
  std::vector<std::string> left_;  // files in the folder that are not named so far
  std::string texts_;              // of the files that were taken last
  std::uint64_t bytes_ = 0;
};

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

OwnFiles files_beside(const fs::path& candidate, std::string text, const std::vector<fs::path>& excluded) {
  return Beside(candidate, excluded).find(std::move(text));
}

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
