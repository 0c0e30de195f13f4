#include "cli/standard_input.h"

#include <algorithm>

#include "base/text.h"

namespace kgrade::cli {

Errors StandardInput::replace(std::vector<std::filesystem::path>& candidates) {
  const auto named = std::count(candidates.begin(), candidates.end(), "-");
  if (named == 0) return {};
  if (named > 1) return {{"-: standard input can be read once", "name it once", {}}};
  const auto content = read_text_file("/dev/stdin");
  if (!content) return content.errors();
  folder_.emplace();
  path_ = (folder_->path() / "stdin.cu").string();
  const auto written = write_file_atomically(path_, *content);
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
