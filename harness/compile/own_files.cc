#include "compile/own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Limits the time of a walk through a folder like /tmp.
constexpr std::size_t most_entries = 20000;
constexpr std::size_t deepest = 16;

bool is_header_name(const fs::path& path) {
  constexpr std::array<std::string_view, 10> extensions = {".h",   ".hh",  ".hpp", ".hxx", ".cuh",
                                                           ".inl", ".inc", ".ipp", ".tpp", ".def"};
  return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

class Walk {
 public:
  Walk(OwnFiles& own, const std::vector<fs::path>& excluded) : own_(own) {
    for (const fs::path& folder : excluded) excluded_.push_back(resolved(folder));
  }

  // Looks for headers in the folder and below. False if there are too many entries.
  bool enter(const fs::path& folder) {
    const fs::path real = resolved(folder);
    if (std::find(inside_.begin(), inside_.end(), real) != inside_.end()) return true;
    if (inside_.size() >= deepest) return true;
    inside_.push_back(real);
    const bool within_bounds = look_through(folder);
    inside_.pop_back();
    return within_bounds;
  }

 private:
  bool look_through(const fs::path& folder) {
    std::error_code failure;
    fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
      if (++entries_ > most_entries || !look_at(*entry)) return false;
    }
    return true;
  }

  bool look_at(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    std::error_code failure;
    const bool is_folder = entry.is_directory(failure);
    if (failure) return true;
    if (is_folder ? is_closed(path) : !is_header_name(path)) return true;
    if (entry.is_symlink(failure) && !leads_to_own(path, is_folder)) return true;
    if (is_folder) return enter(path);
    if (entry.is_regular_file(failure) && path != own_.files.front()) own_.files.push_back(path);
    return own_.files.size() <= most_own_headers + 1;
  }

  bool is_closed(const fs::path& folder) const {
    if (folder.filename().string().starts_with(".") || is_build_folder(folder) ||
        is_python_environment(folder))
      return true;
    const fs::path real = resolved(folder);
    return std::find(excluded_.begin(), excluded_.end(), real) != excluded_.end();
  }

  // Whether the target is a header in the folder `families` beside the source's folder, which several
  // contestants share.
  bool is_shared(const fs::path& target, bool is_folder) const {
    return !is_folder && target.parent_path() == own_.folder.parent_path() / "families";
  }

  bool leads_to_own(const fs::path& link, bool is_folder) {
    const fs::path target = resolved(link);
    const char* reason = nullptr;
    if (!is_within(target, own_.folder) && !is_shared(target, is_folder)) {
      reason = "is a link that leads out of the folder of the source";
    } else if (!is_folder && !is_header_name(target)) {
      reason = "is a link to a file that is no header";
    }
    if (reason != nullptr) own_.refused.push_back({link.lexically_relative(own_.folder).string(), reason});
    return reason == nullptr;
  }

  OwnFiles& own_;
  std::vector<fs::path> excluded_;
  std::vector<fs::path> inside_;  // the current folder and those above it, without links
  std::size_t entries_ = 0;
};

// Whether an #include takes its name from a macro, so that it may be any header.
bool includes_by_macro(std::string_view text) {
  for (const std::string_view word : {"include", "include_next", "import", "embed"}) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const std::size_t line = text.find_last_of('\n', at) + 1;
      const std::string_view before = trimmed(text.substr(line, at - line));
      const std::size_t name = text.find_first_not_of(" \t", end);
      if (name == text.npos || !(before.ends_with("#") || before.ends_with("%:"))) continue;
      const bool is_longer_word = name == end && (is_letter(text[name]) || text[name] == '_');
      if (!is_longer_word && text[name] != '"' && text[name] != '<') return true;
    }
  }
  return false;
}

// Finds the headers in folders below that no file includes. A header that lies beside the source always
// counts: any #include may find it there. Any other header counts if its name occurs in a file that counts.
class Included {
 public:
  explicit Included(const OwnFiles& own) : own_(own) {}

  std::set<fs::path> not_included() {
    // Files beside a candidate in Python all count, because Python may open files of any kind.
    if (!std::all_of(own_.files.begin() + 1, own_.files.end(), is_header_name)) return {};
    for (std::size_t i = 1; i < own_.files.size(); ++i) {
      if (own_.files[i].parent_path() != own_.folder) left_.insert(own_.files[i]);
    }
    if (left_.empty()) return {};
    for (const fs::path& file : own_.files) {
      if (!left_.contains(file)) read(file);
    }
    while (!unread_.empty() && !left_.empty()) {
      const std::string text = std::move(unread_.back());
      unread_.pop_back();
      if (includes_by_macro(text)) return {};
      take_named(text);
    }
    return std::move(left_);
  }

 private:
  // A backslash at the end of a line joins it with the next.
  void read(const fs::path& file) {
    if (const auto text = read_text_file(file)) unread_.push_back(replace_all(*text, "\\\n", ""));
  }

  void take_named(const std::string& text) {
    for (auto header = left_.begin(); header != left_.end();) {
      const bool is_named = text.find(header->filename().string()) != text.npos;
      if (is_named) read(*header);
      header = is_named ? left_.erase(header) : std::next(header);
    }
  }

  const OwnFiles& own_;
  std::set<fs::path> left_;          // headers below that are not named so far
  std::vector<std::string> unread_;  // texts that may name more
};

// The header that a compiler did not find, as the source names it.
std::string missing_header(const std::string& log) {
  for (const std::string_view before :
       {"could not open source file \"", "cannot open source file \"", "fatal error: '", "fatal error: "}) {
    const std::size_t at = log.find(before);
    if (at == log.npos) continue;
    const std::size_t begin = at + before.size();
    return log.substr(begin, log.find_first_of("\":'\n", begin) - begin);
  }
  return "";
}

// Explains why a header in the folder above the source was not found. Messages must not reveal whether other
// files exist.
std::string above(const OwnFiles& own, const std::string& name) {
  const fs::path file = fs::path(name).lexically_normal();
  const fs::path base =
      file.begin() != file.end() && *file.begin() == ".." ? file.lexically_relative("..") : file;
  std::error_code ignored;
  const bool is_plain = !base.empty() && base.is_relative() && *base.begin() != ".." && is_header_name(base);
  if (!is_plain || !fs::is_regular_file(own.folder.parent_path() / base, ignored)) return "";
  return fmt::format(
      "'{}' lies above the folder of the source: only headers in that folder and below it are read", name);
}

}  // namespace

OwnFiles own_files(const fs::path& source, const std::vector<fs::path>& excluded) {
  OwnFiles own;
  std::error_code ignored;
  own.folder = resolved(fs::absolute(source, ignored).parent_path());
  own.files = {own.folder / source.filename()};
  if (Walk(own, excluded).enter(own.folder)) {
    std::sort(own.files.begin() + 1, own.files.end());
    return own;
  }
  own.files.resize(1);
  own.refused = {
      {"", fmt::format("the folder of the source holds too many files for one of its own (at most {} "
                       "headers), so that no header in it can be included: put the source and its "
                       "headers into another one",
                       most_own_headers)}};
  return own;
}

bool is_build_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with("kgrade-") || name.size() != std::string("kgrade-XXXXXX").size()) return false;
  std::error_code ignored;
  return fs::status(folder, ignored).permissions() == fs::perms::owner_all;
}

bool is_python_environment(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "pyvenv.cfg", ignored) || fs::is_directory(folder / "conda-meta", ignored);
}

std::string why_not_found(const OwnFiles& own, const std::string& log) {
  constexpr std::array<std::string_view, 4> phrases = {"No such file", "file not found",
                                                       "cannot open source file", "Permission denied"};
  if (std::none_of(phrases.begin(), phrases.end(),
                   [&](std::string_view phrase) { return log.find(phrase) != std::string::npos; }))
    return "";
  for (const RefusedFile& refused : own.refused) {
    if (refused.name.empty()) return refused.reason;
    // An include may name the file relative to a folder in between.
    if (log.find(fs::path(refused.name).filename().string()) != std::string::npos) {
      return fmt::format("'{}' {}", refused.name, refused.reason);
    }
  }
  return above(own, missing_header(log));
}

std::vector<fs::path> files_that_count(const OwnFiles& own) {
  const std::set<fs::path> left_out = Included(own).not_included();
  std::vector<fs::path> files;
  std::copy_if(own.files.begin(), own.files.end(), std::back_inserter(files),
               [&](const fs::path& file) { return !left_out.contains(file); });
  return files;
}

Result<std::string> hash_of(const OwnFiles& own) {
  const auto source = read_text_file(own.files.front());
  return source ? hash_of(own, *source) : source.errors();
}

Result<std::string> hash_of(const OwnFiles& own, const std::string& source) {
  const std::vector<fs::path> files = files_that_count(own);
  if (files.size() == 1) return sha256_hex(source);
  // The source counts without its name, because nothing includes it. The length separates the text from the
  // names.
  std::string all = fmt::format("\n{}\n{}", source.size(), source);
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto content = read_text_file(files[i]);
    if (!content) return content.errors();
    const std::string name = files[i].lexically_relative(own.folder).string();
    all += fmt::format("{}\n{}\n{}", name, content->size(), *content);
  }
  return sha256_hex(all);
}

}  // namespace kgrade
