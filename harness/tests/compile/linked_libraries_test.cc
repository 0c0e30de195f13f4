#include <elf.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "compile/elf_file.h"

namespace kgrade::linked_libraries_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A shared library with only what the loader reads first, at addresses that differ from its offsets.
struct TinyLibrary {
  static constexpr std::uint64_t base = 0x10000;
  Elf64_Ehdr header{};
  Elf64_Phdr dynamic_segment{};
  Elf64_Phdr load{};
  Elf64_Phdr other_dynamic_segment{};  // counts when it is one
  std::vector<Elf64_Dyn> entries;
  std::string strings = std::string(1, '\0');

  TinyLibrary() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 3;
    dynamic_segment.p_type = PT_DYNAMIC;
    load.p_type = PT_LOAD;
    load.p_vaddr = base;
    load.p_filesz = 1 << 20;
  }

  static constexpr std::uint64_t entries_begin() { return sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr); }

  void needs(const std::string& name, std::int64_t tag = DT_NEEDED) {
    add(tag, strings.size());
    strings += name + '\0';
  }

  void add(std::int64_t tag, std::uint64_t value) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    entries.push_back(entry);
  }

  // With the two entries at the end of every library.
  void finish() {
    dynamic_segment.p_vaddr = base + entries_begin();
    add(DT_STRTAB, base + entries_begin() + (entries.size() + 2) * sizeof(Elf64_Dyn));
    add(DT_NULL, 0);
  }

  std::string bytes() const {
    std::string all;
    const auto append = [&](const auto& part) {
      all.append(reinterpret_cast<const char*>(&part), sizeof part);
    };
    append(header);
    append(dynamic_segment);
    append(load);
    append(other_dynamic_segment);
    for (const Elf64_Dyn& entry : entries) append(entry);
    return all + strings;
  }
};

TinyLibrary library_that_needs(const std::vector<std::string>& names) {
  TinyLibrary library;
  for (const std::string& name : names) library.needs(name);
  library.finish();
  return library;
}

class LinkedLibraries : public testing::Test {
 protected:
  Result<std::vector<std::string>> linked(const std::string& bytes) const {
    EXPECT_EQ(::ftruncate(file_.get(), 0), 0);
    EXPECT_EQ(::pwrite(file_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return linked_libraries(path_);
  }
  std::vector<std::string> names(const TinyLibrary& library) const {
    const auto found = linked(library.bytes());
    EXPECT_TRUE(found.ok()) << to_string(found.errors());
    return found ? *found : std::vector<std::string>{"(an error)"};
  }
  void expect_refused(const std::string& bytes) const {
    const auto found = linked(bytes);
    ASSERT_FALSE(found.ok()) << testing::PrintToString(*found);
    EXPECT_THAT(found.error().message, HasSubstr("cannot tell what a library links"));
    EXPECT_EQ(found.error().location.file, path_.string());
  }
  void expect_refused(const TinyLibrary& library) const { expect_refused(library.bytes()); }

  TemporaryDirectory folder_;
  UniqueFd file_{::memfd_create("contestant.so", MFD_CLOEXEC)};  // many files in short time: not on a disk
  std::filesystem::path path_ = "/proc/self/fd/" + std::to_string(file_.get());
};

TEST_F(LinkedLibraries, OfThisProgramAreTheRuntime) {
  const auto found = linked_libraries("/proc/self/exe");
  ASSERT_TRUE(found.ok()) << to_string(found.errors());
  EXPECT_THAT(*found, Contains("libc.so.6"));
}

TEST_F(LinkedLibraries, AreToldOnceInTheOrderOfTheFile) {
  EXPECT_THAT(names(library_that_needs({"libz.so.1", "libcublas.so.13", "libz.so.1"})),
              ElementsAre("libz.so.1", "libcublas.so.13"));
  EXPECT_THAT(names(library_that_needs({})), IsEmpty());
}

TEST_F(LinkedLibraries, OfAFilterAreOpenedByTheLoaderToo) {
  TinyLibrary library;
  library.needs("libfilter.so", DT_FILTER);
  library.needs("libauxiliary.so", DT_AUXILIARY);
  library.needs("itself.so", DT_SONAME);
  library.finish();
  EXPECT_THAT(names(library), ElementsAre("libfilter.so", "libauxiliary.so"));
}

TEST_F(LinkedLibraries, AreThoseOfTheLastDynamicSectionAsToTheLoader) {
  TinyLibrary library = library_that_needs({"libhidden.so"});
  library.other_dynamic_segment = library.dynamic_segment;
  library.dynamic_segment.p_vaddr += sizeof(Elf64_Dyn);  // behind what it needs
  EXPECT_THAT(names(library), ElementsAre("libhidden.so"));
}

TEST_F(LinkedLibraries, OfWhatIsNoLibraryAreAnError) {
  EXPECT_FALSE(linked_libraries(folder_.path() / "missing.so").ok());
  EXPECT_FALSE(linked_libraries(folder_.path()).ok());
  EXPECT_FALSE(linked_libraries("/dev/zero").ok());
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(linked_libraries(pipe).ok());
  expect_refused(std::string());
  expect_refused("INPUT(libcublas.so)");
  TinyLibrary library = library_that_needs({"libz.so.1"});
  library.header.e_ident[EI_CLASS] = ELFCLASS32;
  expect_refused(library);
}

TEST_F(LinkedLibraries, OfAFileCutShortAnywhereAreAnError) {
  const std::string whole = library_that_needs({"libz.so.1", "libgmp.so.10"}).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) expect_refused(whole.substr(0, size));
}

TEST_F(LinkedLibraries, ThatLieOutsideTheFileAreAnError) {
  const TinyLibrary sound = library_that_needs({"libz.so.1"});
  TinyLibrary library = sound;
  library.header.e_phoff = ~std::uint64_t{0} - 8;
  expect_refused(library);
  library = sound;
  library.header.e_phnum = 0xffff;
  expect_refused(library);
  library = sound;
  library.load.p_offset = ~std::uint64_t{0} - 64;  // wraps around
  expect_refused(library);
  library = sound;
  library.entries[0].d_un.d_val = std::uint64_t{1} << 40;
  expect_refused(library);
  library = sound;
  library.entries[1].d_un.d_ptr = 0;
  expect_refused(library);
}

TEST_F(LinkedLibraries, WithoutAnEndOrWithoutNamesAreAnError) {
  TinyLibrary library = library_that_needs({"libz.so.1"});
  library.entries[1].d_tag = DT_DEBUG;  // the table of strings
  expect_refused(library);
  TinyLibrary endless;
  endless.entries.resize(20'000, Elf64_Dyn{DT_DEBUG, {0}});
  endless.finish();
  expect_refused(endless);
  TinyLibrary many;
  for (int i = 0; i < 300; ++i) many.needs("lib" + std::to_string(i) + ".so");
  many.finish();
  expect_refused(many);
}

TEST_F(LinkedLibraries, BesideAProgramAreThoseThatItLoads) {
  const auto write = [&](const std::string& name, const std::vector<std::string>& needs) {
    std::ofstream(folder_.path() / name, std::ios::binary) << library_that_needs(needs).bytes();
  };
  write("program", {"libdirect.so.1", "libc.so.6", "libfolder.so", "../libparent.so"});
  write("libdirect.so.1", {"libindirect.so.2", "libdirect.so.1"});
  write("libindirect.so.2", {});
  write("libother.so", {});
  std::filesystem::create_directory(folder_.path() / "libfolder.so");
  EXPECT_THAT(libraries_beside(folder_.path() / "program"),
              UnorderedElementsAre(folder_.path() / "libdirect.so.1", folder_.path() / "libindirect.so.2"));
  EXPECT_THAT(libraries_beside(folder_.path() / "missing"), IsEmpty());
}

TEST_F(LinkedLibraries, OfAnyDamagedFileAreAListOrAnError) {
  const std::string whole = library_that_needs({"libz.so.1", "libgmp.so.10"}).bytes();
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string damaged = whole;
    for (int changes = 1 + static_cast<int>(random() % 8); changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (linked(damaged).ok()) ++read;
  }
  // Not all of it matters.
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 5'000);
}

}  // namespace kgrade::linked_libraries_test
