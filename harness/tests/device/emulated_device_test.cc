// What the emulated device lends, and within which limits.
#include "device/emulated/emulated_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "base/compiler.h"
#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "device/allowed_libraries.h"
#include "device/finding_book.h"

namespace kgrade::emulated::emulated_device_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::UnorderedElementsAre;

class OpenDevice : public EmulatedDevice {
 public:
  OpenDevice() : EmulatedDevice("unused") {}
  using EmulatedDevice::worker_policy;
};

constexpr std::uint64_t bytes = 4096;

std::unique_ptr<SharedBuffer> buffer() {
  auto made = OpenDevice().allocate(bytes);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

void* map(int descriptor, int protection) {
  return ::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
}

TEST(EmulatedBuffers, LentForWritingAreWrittenTo) {
  const auto lent = buffer();
  void* const memory = map(lent->descriptor(), PROT_READ | PROT_WRITE);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 7, bytes);
  unsigned char seen = 0;
  OpenDevice().read(*lent, bytes - 1, &seen, 1);
  EXPECT_EQ(seen, 7);
  ::munmap(memory, bytes);
}

// The owner of a file may change its mode, and open it anew.
TEST(EmulatedBuffers, LentForReadingCannotBeOpenedAnewForWriting) {
  const auto lent = buffer();
  const int reading = lent->read_only_descriptor();
  void* const seen = map(reading, PROT_READ);
  ASSERT_NE(seen, MAP_FAILED);
  ASSERT_EQ(::fchmod(reading, 0666), 0);
  const UniqueFd anew(::open(("/proc/self/fd/" + std::to_string(reading)).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(anew);
  EXPECT_EQ(map(anew.get(), PROT_READ | PROT_WRITE), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::pwrite(anew.get(), "x", 1, 0), -1);
  EXPECT_NE(::fallocate(anew.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, bytes), 0);
  EXPECT_NE(::mprotect(seen, bytes, PROT_READ | PROT_WRITE), 0);
  const unsigned char ours = 9;
  OpenDevice().write(*lent, 3, &ours, 1);
  EXPECT_EQ(static_cast<const unsigned char*>(seen)[3], 9) << "the referee fills it for every call";
  ::munmap(seen, bytes);
}

TEST(EmulatedBuffers, TakeNoFurtherSealsOnceTheyAreLent) {
  const auto output = buffer();
  EXPECT_NE(::fcntl(output->descriptor(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  EXPECT_NE(::ftruncate(output->descriptor(), 0), 0);
  const auto input = buffer();
  EXPECT_NE(::ftruncate(input->read_only_descriptor(), 0), 0);
  EXPECT_NE(::fcntl(input->descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(EmulatedWorkers, HaveLimitedMemory) {
  const SandboxPolicy policy = OpenDevice().worker_policy();
#ifdef KGRADE_SANITIZED
  EXPECT_EQ(policy.memory_bytes, 0u);
#else
  EXPECT_GE(policy.memory_bytes, std::uint64_t{3} << 30) << "of device and host";
  EXPECT_LT(policy.memory_bytes, std::uint64_t{1} << 50);
#endif
}

TEST(AllowedLibraries, AreRuntimeLoaderAndDriverInAnyVersion) {
  for (const char* name :
       {"libc.so.6", "libc-2.31.so", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0",
        "librt.so.1", "libstdc++.so.6", "libstdc++.so.6.0.30", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1", "ld-2.31.so", "libcuda.so", "libcuda.so.1", "libcuda.so.580.95.05",
        "libnvidia-ptxjitcompiler.so.1"}) {
    EXPECT_TRUE(is_allowed_without_libraries(name)) << name;
  }
}

TEST(AllowedLibraries, AreNoOthersThatBeginAlike) {
  for (const char* name : {"libcublas.so.13",
                           "libcudart.so.13",
                           "libcudnn.so.9",
                           "libnvrtc.so.13",
                           "libnvJitLink.so.13",
                           "libcufft.so",
                           "libmpfr.so.6",
                           "libgmp.so.10",
                           "libz.so.1",
                           "libgomp.so.1",
                           "librtmp.so.1",
                           "libdlib.so",
                           "libcrypt.so.1",
                           "libfmt.so.9",
                           "libm.so.6 (from memory)",
                           "libc.so.6x",
                           "libm.solib.so",
                           "libc",
                           "",
                           ".so",
                           "libm-cublas.so",
                           "mappings that it hides",
                           "libnvidia-ml.so.1/../libcublas.so.13"}) {
    EXPECT_FALSE(is_allowed_without_libraries(name)) << name;
  }
}

TEST(AllowedLibraries, AreFoundWhereTheLoaderAndTheDriverLook) {
  const TemporaryDirectory folder;
  const fs::path triple = folder.path() / "x86_64-linux-gnu";
  const fs::path elsewhere = folder.path() / "python3" / "lib";
  for (const fs::path& path : {triple / "nvidia" / "current", elsewhere}) fs::create_directories(path);
  for (const fs::path& file :
       {folder.path() / "libc.so.6", triple / "libm.so.6", triple / "libz.so.1", elsewhere / "libc.so.6",
        triple / "nvidia" / "current" / "libcuda.so.1", triple / "nvidia" / "current" / "libcublas.so.13"}) {
    std::ofstream{file};
  }
  EXPECT_THAT(allowed_library_files({folder.path(), folder.path() / "missing"}, "/no/program"),
              UnorderedElementsAre(folder.path() / "libc.so.6", triple / "libm.so.6",
                                   triple / "nvidia" / "current" / "libcuda.so.1"));
}

// This test is linked with one that is not allowed by its name.
TEST(AllowedLibraries, IncludeWhatTheProgramNeeds) {
  std::vector<std::string> names;
  for (const fs::path& file :
       allowed_library_files({"/lib", "/lib64", "/usr/lib", "/usr/lib64"}, "/proc/self/exe"))
    names.push_back(file.filename().string());
  EXPECT_THAT(names, Contains(testing::StartsWith("libc.so")));
#ifdef FMT_SHARED
  EXPECT_THAT(names, Contains(testing::StartsWith("libfmt.so")));
#endif
}

FindingEntry entry_of(FindingKind kind) {
  FindingEntry entry;
  entry.kind = kind;
  return entry;
}

TEST(FindingBook, GivesTheEntriesThatAreCounted) {
  FindingBook book;
  book.entries[0] = entry_of(FindingKind::race);
  book.entries[1] = entry_of(FindingKind::leak);
  book.count = 1;
  const auto entries = read_book(book);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, FindingKind::race);
}

TEST(FindingBook, ABookThatWasNeverBegunIsEmpty) {
  auto book = std::make_unique<FindingBook>();
  std::memset(static_cast<void*>(book.get()), 0, sizeof *book);
  EXPECT_TRUE(read_book(*book).empty());
}

TEST(FindingBook, CountsAndKindsThatCannotBeAreNotBelieved) {
  FindingBook book;
  book.count = 4'000'000'000u;
  book.entries[0] = entry_of(static_cast<FindingKind>(0));
  book.entries[1] = entry_of(static_cast<FindingKind>(last_finding_kind + 1));
  EXPECT_EQ(read_book(book).size(), most_findings - 2);
}

TEST(FindingBook, TextsEnd) {
  FindingBook book;
  book.count = 1;
  std::memset(book.entries[0].kernel, 'k', sizeof book.entries[0].kernel);
  std::memset(book.entries[0].object, 'o', sizeof book.entries[0].object);
  const auto entries = read_book(book);
  EXPECT_EQ(std::strlen(entries[0].kernel), sizeof book.entries[0].kernel - 1);
  EXPECT_EQ(std::strlen(entries[0].object), sizeof book.entries[0].object - 1);
}

TEST(FindingBook, RandomBytesGiveWellFormedEntriesOrNone) {
  std::mt19937 random(1);
  const auto book = std::make_unique<FindingBook>();
  for (int round = 0; round < 200; ++round) {
    auto* raw = reinterpret_cast<unsigned char*>(book.get());
    for (std::size_t i = 0; i < sizeof *book; ++i) raw[i] = static_cast<unsigned char>(random() % 16);
    book->magic = finding_book_magic;
    for (const FindingEntry& entry : read_book(*book)) {
      EXPECT_LE(static_cast<std::uint32_t>(entry.kind), last_finding_kind);
      EXPECT_LE(static_cast<std::uint32_t>(entry.space), static_cast<std::uint32_t>(MemorySpace::host));
      EXPECT_GE(entry.parameter, -1);
    }
  }
}

TEST(FindingBook, CountsOfAHostileWorkerAreReadWithinTheirBounds) {
  const auto book = std::make_unique<FindingBook>();
  book->launches = 1000;
  std::fill(std::begin(book->counts[0].kernel), std::end(book->counts[0].kernel), 'x');
  const auto counts = read_counts(*book);
  ASSERT_EQ(counts.size(), most_counted);
  EXPECT_EQ(std::string(counts[0].kernel).size(), sizeof book->counts[0].kernel - 1);
  book->magic = 0;
  EXPECT_TRUE(read_counts(*book).empty());
}

}  // namespace kgrade::emulated::emulated_device_test
