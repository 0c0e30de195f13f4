#include "compile/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "base/unique_fd.h"
#include "compile/binding.h"

namespace kgrade {
namespace {

// No library has more entries than this.
constexpr std::size_t most_dynamic_entries = 16'384;
constexpr std::size_t most_symbols = 65'536;
constexpr std::size_t longest_symbol_name = 4'096;
constexpr std::size_t most_names = 256;

// A dynamic symbol of a library. Other programs see only dynamic symbols.
struct DynamicSymbol {
  std::string name;
  bool defined = false;  // defined by this library; false: needed from other libraries
};

// A 64-bit ELF file (ELF-64 Object File Format, version 1.5). Reads outside of the file fail.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (file_ && ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode))
      size_ = static_cast<std::uint64_t>(status.st_size);
  }

  // Must be called first. False for a file of another kind.
  bool read_headers() {
    if (!read(0, header_) || ::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_phentsize != sizeof(Elf64_Phdr)) {
      return false;
    }
    segments_.resize(header_.e_phnum);
    return read_bytes(header_.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
  }

  // The dynamic section up to its end mark. If there are several, the last section, like the loader.
  std::optional<std::vector<Elf64_Dyn>> dynamic_section() const {
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

  // The zero-terminated text at an address of the loaded library.
  std::optional<std::string> text_at(std::uint64_t address) const {
    const auto begin = offset_of(address);
    return begin ? text_in_file(*begin) : std::nullopt;
  }

  // Nothing if the symbols cannot be read, or if there are too many.
  std::optional<std::vector<DynamicSymbol>> dynamic_symbols() const {
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

 private:
  template <class T>
  bool read(std::uint64_t offset, T& value) const {
    return read_bytes(offset, &value, sizeof value);
  }

  bool read_bytes(std::uint64_t offset, void* to, std::size_t count) const {
    if (offset > size_ || size_ - offset < count) return false;
    return ::pread(file_.get(), to, count, static_cast<off_t>(offset)) == static_cast<ssize_t>(count);
  }

  std::optional<Elf64_Shdr> section(std::size_t index) const {
    Elf64_Shdr header{};
    if (index >= header_.e_shnum || header_.e_shentsize != sizeof header) return std::nullopt;
    if (!read(header_.e_shoff + index * sizeof header, header)) return std::nullopt;
    return header;
  }

  // The place in the file that is mapped to an address. If segments overlap, the last is on top.
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

  std::optional<std::string> text_in_file(std::uint64_t offset) const {
    if (offset >= size_) return std::nullopt;
    std::string text(std::min<std::uint64_t>(longest_symbol_name, size_ - offset), '\0');
    if (!read_bytes(offset, text.data(), text.size())) return std::nullopt;
    const std::size_t end = text.find('\0');
    if (end == std::string::npos) return std::nullopt;
    text.resize(end);
    return text;
  }

  UniqueFd file_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

constexpr std::string_view c_name = "solution";

// Whether the symbol is `solution` with a name mangled by the Itanium C++ ABI: _Z8solution... outside of
// namespaces, _ZN4mine8solutionE... inside.
bool is_cpp_solution(const DynamicSymbol& symbol) {
  if (symbol.name.starts_with("_Z8solution")) return true;
  if (!symbol.name.starts_with("_ZN")) return false;
  std::size_t at = 3;
  while (at < symbol.name.size() && is_digit(symbol.name[at])) {
    std::size_t length = 0;
    const char* const begin = symbol.name.data() + at;
    const auto [end, failure] = std::from_chars(begin, symbol.name.data() + symbol.name.size(), length);
    at += static_cast<std::size_t>(end - begin);
    if (failure != std::errc{} || length > symbol.name.size() - at) return false;
    const std::string_view name = std::string_view(symbol.name).substr(at, length);
    at += length;
    if (name == c_name) return symbol.name.substr(at).starts_with("E");
  }
  return false;
}

std::string what_is_wrong(const std::vector<DynamicSymbol>& symbols) {
  const auto asked_for = std::find_if(symbols.begin(), symbols.end(), [](const DynamicSymbol& symbol) {
    return !symbol.defined && (symbol.name == c_name || is_cpp_solution(symbol));
  });
  if (asked_for != symbols.end()) return "the file declares 'solution' but does not define it";
  const auto cpp = std::find_if(symbols.begin(), symbols.end(), is_cpp_solution);
  if (cpp != symbols.end()) {
    return fmt::format("'solution' lacks extern \"C\": the library has it as the C++ function {}", cpp->name);
  }
  return "'solution' cannot be seen from outside of the file: it is static, inline or in an unnamed "
         "namespace";
}

std::optional<std::vector<std::string>> names_in(const ElfFile& file, const std::vector<Elf64_Dyn>& entries) {
  const auto strings = std::find_if(entries.rbegin(), entries.rend(),
                                    [](const Elf64_Dyn& entry) { return entry.d_tag == DT_STRTAB; });
  std::vector<std::string> names;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_FILTER && entry.d_tag != DT_AUXILIARY) continue;
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

std::optional<std::string> symbol_complaint(const Problem& problem, const std::filesystem::path& library,
                                            Dtype dtype) {
  ElfFile file(library);
  if (!file.read_headers()) return std::nullopt;
  const auto symbols = file.dynamic_symbols();
  if (!symbols) return std::nullopt;
  const bool offered = std::any_of(symbols->begin(), symbols->end(), [](const DynamicSymbol& symbol) {
    return symbol.defined && symbol.name == c_name;
  });
  if (offered) return std::nullopt;
  return fmt::format("{}; write: {}", what_is_wrong(*symbols), definition_of_solution(problem, dtype));
}

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
