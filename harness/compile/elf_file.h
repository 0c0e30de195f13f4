// Reads a shared library that was built from a hostile source: any field of the file may be wrong.
#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kgrade {

// A dynamic symbol of a library. Other programs see only dynamic symbols.
struct DynamicSymbol {
  std::string name;
  bool defined = false;  // defined by this library; false: needed from other libraries
};

// A 64-bit ELF file (ELF-64 Object File Format, version 1.5). Reads outside of the file fail.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path);

  // Must be called first. False for a file of another kind.
  bool read_headers();

  // The dynamic section up to its end mark. If there are several, the last section, like the loader.
  std::optional<std::vector<Elf64_Dyn>> dynamic_section() const;
  // The zero-terminated text at an address of the loaded library.
  std::optional<std::string> text_at(std::uint64_t address) const;
  // Nothing if the symbols cannot be read, or if there are too many.
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
