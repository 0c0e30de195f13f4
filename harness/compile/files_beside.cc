#include "compile/files_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "compile/submission.h"

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

bool is_text_of_source(const fs::path& file) {
  constexpr std::array<std::string_view, 14> endings = {".py",  ".cu",  ".cuh", ".cpp", ".cc",
                                                        ".cxx", ".c",   ".h",   ".hpp", ".hh",
                                                        ".inl", ".inc", ".ptx", ".json"};
  return std::find(endings.begin(), endings.end(), file.extension().string()) != endings.end();
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
    if (is_excluded(target)) return;
    if (!lies_in_folder(target))
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
    if (is_text_of_source(path)) texts_ += text + '\n';
  }

  void refuse(const fs::path& path, std::string reason) {
    own_.refused.push_back({path.lexically_relative(own_.folder).string(), std::move(reason)});
  }

  bool lies_in_folder(const fs::path& path) const { return is_in(path, own_.folder); }
  bool is_excluded(const fs::path& path) const {
    return std::any_of(excluded_.begin(), excluded_.end(), [&](const fs::path& folder) {
      return is_in(path, folder) && !is_in(own_.folder, folder);
    });
  }
  static bool is_in(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  }

  OwnFiles own_;
  std::vector<fs::path> excluded_;
  std::vector<std::string> left_;  // files in the folder that are not named so far
  std::string texts_;              // of the files that were taken last
  std::uint64_t bytes_ = 0;
};

}  // namespace

OwnFiles files_beside(const fs::path& candidate, std::string text, const std::vector<fs::path>& excluded) {
  return Beside(candidate, excluded).find(std::move(text));
}

}  // namespace kgrade
