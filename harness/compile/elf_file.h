// Reading a shared library that a compiler made of a hostile source: all that it says of itself may be wrong.
#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kgrade {

// A name among a library's dynamic symbols, which is what other programs see of it.
struct DynamicSymbol {
  std::string name;
  bool defined = false;  // by this library, rather than asked for
};

// A 64-bit ELF file (ELF-64 Object File Format, version 1.5). Reads are within the file, or they fail.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path);

  // First; false for a file of another kind.
  bool read_headers();

  // The dynamic section up to its end mark. Where there are two, the loader takes the last.
  std::optional<std::vector<Elf64_Dyn>> dynamic_section() const;
  // Up to its zero byte, where an address of the loaded library leads.
  std::optional<std::string> text_at(std::uint64_t address) const;
  // Nothing when they cannot be read, or there are too many.
  std::optional<std::vector<DynamicSymbol>> dynamic_symbols() const;

 private:
  template <class T>
  bool read(std::uint64_t offset, T& value) const {
    return read_bytes(offset, &value, sizeof value);
  }
  bool read_bytes(std::uint64_t offset, void* to, std::size_t count) const;
  std::optional<Elf64_Shdr> section(std::size_t index) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<std::string> text_in_file(std::uint64_t offset) const;

  UniqueFd file_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace kgrade
