#include "compile/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace kgrade {
namespace {

// No library has more entries than this.
constexpr std::size_t most_dynamic_entries = 16'384;
constexpr std::size_t most_symbols = 65'536;
constexpr std::size_t longest_symbol_name = 4'096;

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (file_ && ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode))
    size_ = static_cast<std::uint64_t>(status.st_size);
}

bool ElfFile::read_headers() {
  if (!read(0, header_) || ::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
      header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;
  }
  segments_.resize(header_.e_phnum);
  return read_bytes(header_.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
}

std::optional<std::vector<Elf64_Dyn>> ElfFile::dynamic_section() const {
  const auto segment = std::find_if(segments_.rbegin(), segments_.rend(),
                                    [](const Elf64_Phdr& one) { return one.p_type == PT_DYNAMIC; });
  if (segment == segments_.rend()) return std::nullopt;
  const auto begin = offset_of(segment->p_vaddr);
  std::vector<Elf64_Dyn> entries;
  for (std::size_t i = 0; begin && i < most_dynamic_entries; ++i) {
    Elf64_Dyn entry{};
    if (!read(*begin + i * sizeof entry, entry)) return std::nullopt;
    if (entry.d_tag == DT_NULL) return entries;
    entries.push_back(entry);
  }
  return std::nullopt;
}

std::optional<std::string> ElfFile::text_at(std::uint64_t address) const {
  const auto begin = offset_of(address);
  return begin ? text_in_file(*begin) : std::nullopt;
}

std::optional<std::vector<DynamicSymbol>> ElfFile::dynamic_symbols() const {
  for (std::size_t i = 0; i < header_.e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_DYNSYM) continue;
    const auto names = section(table->sh_link);
    const std::size_t count = table->sh_size / sizeof(Elf64_Sym);
    if (!names || count > most_symbols) return std::nullopt;
    std::vector<Elf64_Sym> entries(count);
    if (!read_bytes(table->sh_offset, entries.data(), count * sizeof(Elf64_Sym))) return std::nullopt;
    std::vector<DynamicSymbol> symbols;
    for (const Elf64_Sym& entry : entries) {
      auto name = text_in_file(names->sh_offset + entry.st_name);
      if (!name) return std::nullopt;
      symbols.push_back({std::move(*name), entry.st_shndx != SHN_UNDEF});
    }
    return symbols;
  }
  return std::nullopt;
}

bool ElfFile::read_bytes(std::uint64_t offset, void* to, std::size_t count) const {
  if (offset > size_ || size_ - offset < count) return false;
  return ::pread(file_.get(), to, count, static_cast<off_t>(offset)) == static_cast<ssize_t>(count);
}

std::optional<Elf64_Shdr> ElfFile::section(std::size_t index) const {
  Elf64_Shdr header{};
  if (index >= header_.e_shnum || header_.e_shentsize != sizeof header) return std::nullopt;
  if (!read(header_.e_shoff + index * sizeof header, header)) return std::nullopt;
  return header;
}

// The place in the file that is mapped to an address. If segments overlap, the last is on top.
std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
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

std::optional<std::string> ElfFile::text_in_file(std::uint64_t offset) const {
  if (offset >= size_) return std::nullopt;
  std::string text(std::min<std::uint64_t>(longest_symbol_name, size_ - offset), '\0');
  if (!read_bytes(offset, text.data(), text.size())) return std::nullopt;
  const std::size_t end = text.find('\0');
  if (end == std::string::npos) return std::nullopt;
  text.resize(end);
  return text;
}

}  // namespace kgrade
