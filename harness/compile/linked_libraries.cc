#include "compile/linked_libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/unique_fd.h"

namespace kgrade {
namespace {

// More than any library has.
constexpr std::size_t most_entries = 16'384;
constexpr std::size_t most_names = 256;
constexpr std::size_t longest_name = 4'096;

// Reads are within the file, or they fail.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (file_ && ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode))
      size_ = static_cast<std::uint64_t>(status.st_size);
  }

  bool read_headers() {
    Elf64_Ehdr header{};
    if (!read(0, header) || ::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_phentsize != sizeof(Elf64_Phdr)) {
      return false;
    }
    segments_.resize(header.e_phnum);
    return read_bytes(header.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
  }

  // The dynamic section up to its end mark. Where there are two, the loader takes the last.
  std::optional<std::vector<Elf64_Dyn>> dynamic_section() const {
    const auto segment = std::find_if(segments_.rbegin(), segments_.rend(),
                                      [](const Elf64_Phdr& one) { return one.p_type == PT_DYNAMIC; });
    if (segment == segments_.rend()) return std::nullopt;
    const auto begin = offset_of(segment->p_vaddr);
    std::vector<Elf64_Dyn> entries;
    for (std::size_t i = 0; begin && i < most_entries; ++i) {
      Elf64_Dyn entry{};
      if (!read(*begin + i * sizeof entry, entry)) return std::nullopt;
      if (entry.d_tag == DT_NULL) return entries;
      entries.push_back(entry);
    }
    return std::nullopt;
  }

  std::optional<std::string> text_at(std::uint64_t address) const {
    const auto begin = offset_of(address);
    if (!begin || *begin >= size_) return std::nullopt;
    std::string text(std::min<std::uint64_t>(longest_name, size_ - *begin), '\0');
    if (!read_bytes(*begin, text.data(), text.size())) return std::nullopt;
    const std::size_t end = text.find('\0');
    if (end == std::string::npos) return std::nullopt;
    text.resize(end);
    return text;
  }

 private:
  template <class T>
  bool read(std::uint64_t offset, T& value) const {
    return read_bytes(offset, &value, sizeof value);
  }

  bool read_bytes(std::uint64_t offset, void* to, std::size_t count) const {
    if (offset > size_ || size_ - offset < count) return false;
    return ::pread(file_.get(), to, count, static_cast<off_t>(offset)) == static_cast<ssize_t>(count);
  }

  // Where in the file an address is from. Of segments that overlap, the last is mapped on top.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    const auto segment = std::find_if(segments_.rbegin(), segments_.rend(), [&](const Elf64_Phdr& one) {
      return one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz;
    });
    std::uint64_t offset = 0;
    if (segment == segments_.rend() ||
        __builtin_add_overflow(segment->p_offset, address - segment->p_vaddr, &offset) || offset >= size_) {
      return std::nullopt;
    }
    return offset;
  }

  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::vector<Elf64_Phdr> segments_;
};

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
    // The loader adds them up without a look, too.
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

}  // namespace kgrade
