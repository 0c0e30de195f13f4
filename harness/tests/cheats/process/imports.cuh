// Redirects a function that the main program imports, by its slot in the global offset table.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cheat {

struct ImportTables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  size_t counts[2] = {};
};

// Some C libraries relocate these addresses in place, others leave them relative.
template <class Type>
const Type* table_at(uintptr_t base, uintptr_t address) {
  return reinterpret_cast<const Type*>(address < base ? base + address : address);
}

inline ImportTables import_tables(uintptr_t base, const ElfW(Dyn) * entry) {
  ImportTables tables;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const uintptr_t address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) tables.symbols = table_at<ElfW(Sym)>(base, address);
    if (entry->d_tag == DT_STRTAB) tables.names = table_at<char>(base, address);
    if (entry->d_tag == DT_JMPREL) tables.relocations[0] = table_at<ElfW(Rela)>(base, address);
    if (entry->d_tag == DT_RELA) tables.relocations[1] = table_at<ElfW(Rela)>(base, address);
    if (entry->d_tag == DT_PLTRELSZ) tables.counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_RELASZ) tables.counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
  }
  return tables;
}

struct Redirection {
  const char* name;
  void* replacement;
  int slots;
};

inline void overwrite_slot(uintptr_t address, void* replacement) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
  *reinterpret_cast<void* volatile*>(address) = replacement;
}

inline int redirect_in_program(dl_phdr_info* program, size_t, void* data) {
  auto& wanted = *static_cast<Redirection*>(data);
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const uintptr_t base = program->dlpi_addr;
    const ImportTables tables =
        import_tables(base, reinterpret_cast<const ElfW(Dyn)*>(base + program->dlpi_phdr[i].p_vaddr));
    for (int table = 0; table < 2; ++table) {
      for (size_t k = 0; tables.relocations[table] != nullptr && k < tables.counts[table]; ++k) {
        const ElfW(Rela)& relocation = tables.relocations[table][k];
        const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
        if (symbol.st_name == 0 || strcmp(tables.names + symbol.st_name, wanted.name) != 0) continue;
        overwrite_slot(base + relocation.r_offset, wanted.replacement);
        wanted.slots += 1;
      }
    }
  }
  return 1;  // the program itself comes first; its libraries stay as they are
}

// False if the program does not import `name`.
inline bool redirect_import(const char* name, void* replacement) {
  Redirection wanted{name, replacement, 0};
  dl_iterate_phdr(redirect_in_program, &wanted);
  return wanted.slots > 0;
}

}  // namespace cheat
