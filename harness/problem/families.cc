#include "problem/families.h"

#include <algorithm>

#include "base/text.h"
#include "problem/fields.h"

namespace kgrade {
namespace fs = std::filesystem;

std::vector<std::string> FamilyFolder::names() const {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder_, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path& file = entry->path();
    if (file.extension() == ".md" && is_slug(file.stem().string())) names.push_back(file.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> FamilyFolder::content(const std::string& name) const {
  return read_text_file(path(name));
}

fs::path families_beside(const fs::path& problems) { return problems / "families"; }

}  // namespace kgrade
