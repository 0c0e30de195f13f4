#include "compile/linked_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compile/elf_file.h"

namespace kgrade {
namespace {

constexpr std::size_t most_names = 256;  // more than any library has

bool names_a_library(const Elf64_Dyn& entry) {
  return entry.d_tag == DT_NEEDED || entry.d_tag == DT_FILTER || entry.d_tag == DT_AUXILIARY;
}

std::optional<std::vector<std::string>> names_in(const ElfFile& file, const std::vector<Elf64_Dyn>& entries) {
  const auto strings = std::find_if(entries.rbegin(), entries.rend(),
                                    [](const Elf64_Dyn& entry) { return entry.d_tag == DT_STRTAB; });
  std::vector<std::string> names;
  for (const Elf64_Dyn& entry : entries) {
    if (!names_a_library(entry)) continue;
    if (strings == entries.rend() || names.size() == most_names) return std::nullopt;
    // The two numbers are added without a check for overflow, as the loader does.
    auto name = file.text_at(strings->d_un.d_ptr + entry.d_un.d_val);
    if (!name) return std::nullopt;
    if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(std::move(*name));
  }
  return names;
}

Error unreadable(const std::filesystem::path& library, const char* what) {
  return {
      fmt::format("cannot tell what a library links: {}", what), "build it anew", {library.string(), 0, 0}};
}

}  // namespace

Result<std::vector<std::string>> linked_libraries(const std::filesystem::path& library) {
  ElfFile file(library);
  if (!file.read_headers()) return unreadable(library, "it is no ELF file for a 64-bit machine");
  const auto entries = file.dynamic_section();
  if (!entries) return unreadable(library, "it has no sound dynamic section");
  auto names = names_in(file, *entries);
  if (!names) return unreadable(library, "its list of libraries is unsound");
  return std::move(*names);
}

std::vector<std::filesystem::path> libraries_beside(const std::filesystem::path& program) {
  std::vector<std::filesystem::path> found;
  std::vector<std::filesystem::path> open = {program};
  while (!open.empty()) {
    const auto names = linked_libraries(open.back());
    open.pop_back();
    if (!names) continue;
    for (const std::string& name : *names) {
      const std::filesystem::path file = program.parent_path() / name;
      std::error_code ignored;
      if (name.find('/') != name.npos || !std::filesystem::is_regular_file(file, ignored)) continue;
      if (std::find(found.begin(), found.end(), file) != found.end()) continue;
      found.push_back(file);
      open.push_back(file);
    }
  }
  return found;
}

}  // namespace kgrade
