#include "cli/standard_input.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace kgrade::cli {

namespace {

// Reads a file, a pipe or a terminal to its end. Reads at most one byte more than a candidate's file may
// have, so that the build reports that it is too large.
std::string read_standard_input() {
  constexpr std::size_t most = (std::size_t{16} << 20) + 1;
  std::string content(most, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), stdin));
  return content;
}

}  // namespace

Errors StandardInput::replace(std::vector<std::filesystem::path>& candidates) {
  const auto named = std::count(candidates.begin(), candidates.end(), "-");
  if (named == 0) return {};
  if (named > 1) return {{"-: standard input can be read once", "name it once", {}}};
  const std::string content = read_standard_input();
  if (std::ferror(stdin) != 0)
    return {{"-: standard input cannot be read", "pipe a candidate into it, or name a file", {}}};
  folder_.emplace();
  path_ = (folder_->path() / "stdin.cu").string();
  const auto written = write_file_atomically(path_, content);
  if (!written) return written.errors();
  *std::find(candidates.begin(), candidates.end(), "-") = path_;
  return {};
}

std::string StandardInput::shown(std::string text) const {
  if (path_.empty()) return text;
  text = replace_all(std::move(text), path_, "<stdin>");
  return replace_all(std::move(text), resolved(path_).string(), "<stdin>");
}

}  // namespace kgrade::cli
