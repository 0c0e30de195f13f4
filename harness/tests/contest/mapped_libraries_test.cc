#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <sstream>
#include <string>

#include "base/unique_fd.h"
#include "contest/worker_tree.h"

namespace kgrade {
namespace mapped_libraries_test {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

LibraryNames names_in(const std::string& lines) {
  std::istringstream maps(lines);
  return libraries_in(maps);
}

constexpr const char* contestant =
    "7f00-7f10 r-xp 00000000 00:01 77                         /memfd:kgrade-contestant (deleted)\n";

TEST(MappedLibraries, AreFilesByTheirNamesEachOnce) {
  EXPECT_THAT(names_in("7f00-7f10 r--p 00000000 fe:00 12                         /usr/lib/libz.so.1.2.13\n"
                       "7f10-7f20 r-xp 00001000 fe:00 12                         /usr/lib/libz.so.1.2.13\n"
                       "7f20-7f30 r-xp 00000000 fe:00 11                         /usr/lib/a b/libm.so.6\n"),
              ElementsAre("libm.so.6", "libz.so.1.2.13"));
}

TEST(MappedLibraries, AreNotMemoryWithoutAFileNorData) {
  EXPECT_THAT(
      names_in("7f00-7f10 rwxp 00000000 00:00 0 \n"
               "7f00-7f10 r-xp 00000000 00:00 0                          [vdso]\n"
               "7f00-7f10 rw-s 00000000 00:01 5                          /memfd:kgrade-buffer (deleted)\n"
               "7f00-7f10 rw-s 00000000 00:06 5                          /dev/nvidia0\n"
               "7f00-7f10 r--p 00000000 fe:00 5                          /etc/ld.so.cache\n"
               "7f00-7f10 r--p 00000000 fe:00 5                          /tmp/notes.so\n"
               "nonsense\n\n"),
      IsEmpty());
}

TEST(MappedLibraries, AreToldEvenWhenNoPartIsExecutableAnyMore) {
  EXPECT_THAT(names_in("7f00-7f10 r--p 00000000 fe:00 5                          /usr/lib/libcublas.so.13\n"),
              ElementsAre("libcublas.so.13"));
}

TEST(MappedLibraries, AreToldWhenTheirFileIsGone) {
  EXPECT_THAT(
      names_in("7f00-7f10 r-xp 00000000 fe:00 5                          /opt/libblas.so.3 (deleted)\n"),
      ElementsAre("libblas.so.3"));
}

TEST(MappedLibraries, FromMemoryEqualNoFile) {
  EXPECT_THAT(names_in("7f00-7f10 r-xp 00000000 00:01 5                          /memfd:libc.so.6 (deleted)\n"
                       "7f00-7f10 r-xp 00000000 00:2a 5                          /tmp/libm.so.6\n"
                       "7f00-7f10 r-xp 00000000 00:2b 5                          /dev/shm/a\\012b\x01\xff\n"),
              ElementsAre("a\\012b?? (from memory)", "libc.so.6 (from memory)", "libm.so.6 (from memory)"));
}

TEST(MappedLibraries, AreNotTheContestantItself) {
  EXPECT_THAT(names_in(contestant), IsEmpty());
  EXPECT_THAT(
      names_in("7f00-7f10 r-xp 00000000 00:2a 5                          /tmp/kgrade-a1B2c3 (deleted)\n"),
      IsEmpty());
}

TEST(MappedLibraries, UnderTheContestantsNameAreTold) {
  EXPECT_THAT(
      names_in(
          std::string(contestant) +
          "7f20-7f30 r-xp 00002000 00:01 77                         /memfd:kgrade-contestant (deleted)\n"),
      IsEmpty());
  EXPECT_THAT(
      names_in(
          std::string(contestant) +
          "7f20-7f30 r-xp 00000000 00:01 78                         /memfd:kgrade-contestant (deleted)\n"),
      ElementsAre("kgrade-contestant (from memory)"));
  EXPECT_THAT(
      names_in(std::string(contestant) +
               "7f20-7f30 r-xp 00000000 00:2a 79                         /tmp/kgrade-a1B2c3 (deleted)\n"),
      ElementsAre("kgrade-a1B2c3 (from memory)"));
}

TEST(MappedLibraries, AreListedUpToANumber) {
  EXPECT_THAT(listed({"libm.so.6", "a (from memory)"}), ElementsAre("a (from memory)", "libm.so.6"));
  LibraryNames many;
  for (int i = 0; i < 30'000; ++i) many.insert("accepted-" + std::to_string(i) + " (from memory)");
  EXPECT_THAT(listed(many), testing::AllOf(testing::SizeIs(5), Contains("and 29996 more (from memory)")));
  for (int i = 0; i < 100; ++i) many.insert("lib" + std::to_string(i) + ".so");
  EXPECT_THAT(listed(many), testing::AllOf(testing::SizeIs(70), Contains("and 36 more")));
}

// Where the C library's mathematics part comes from.
std::string path_of_libm() {
  Dl_info info{};
  double (*const function)(double) = &std::cbrt;
  return ::dladdr(reinterpret_cast<void*>(function), &info) != 0 ? info.dli_fname : "";
}

TEST(MappedLibraries, OfAProcessAreItsOwn) {
  const auto before = mapped_libraries(::getpid());
  ASSERT_TRUE(before.has_value());
  EXPECT_THAT(*before, Contains(testing::StartsWith("libc")));
  const UniqueFd library(::open(path_of_libm().c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd copy(::memfd_create("harmless", MFD_CLOEXEC));
  if (!library || !copy) GTEST_SKIP() << "linked statically";
  while (::sendfile(copy.get(), library.get(), nullptr, 1 << 20) > 0) {
  }
  void* const opened =
      ::dlopen(("/proc/self/fd/" + std::to_string(copy.get())).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << ::dlerror();
  EXPECT_THAT(*mapped_libraries(::getpid()), Contains("harmless (from memory)"));
  ::dlclose(opened);
  EXPECT_THAT(*mapped_libraries(::getpid()), Not(Contains("harmless (from memory)")));
}

TEST(MappedLibraries, OfAProcessThatHasEndedAreNone) {
  EXPECT_FALSE(mapped_libraries(-1).has_value());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(mapped_libraries(child).has_value());
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(mapped_libraries(child).has_value());
}

bool print(const WorkerOutput& words, const std::string& text) {
  return ::write(words.descriptor(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

TEST(WorkerOutput, AreTheLastLineThatSaysSomething) {
  const WorkerOutput words;
  EXPECT_EQ(words.last_line(), "");
  ASSERT_TRUE(print(words, "first\n"));
  ASSERT_TRUE(print(words, "x.cu:3: assertion failed\n \n\n"));
  EXPECT_EQ(words.last_line(), "x.cu:3: assertion failed");
}

TEST(WorkerOutput, HoldNoControlCharactersAndAreShort) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "\x1b[31mred" + std::string(1000, 'x')));
  EXPECT_EQ(words.last_line().find('\x1b'), std::string::npos);
  EXPECT_LT(words.last_line().size(), 1100u);
}

TEST(WorkerOutput, DoNotGrow) {
  const WorkerOutput words;
  for (int i = 0; i < 100; ++i) print(words, std::string(1024, 'a') + "\n");
  EXPECT_EQ(::lseek(words.descriptor(), 0, SEEK_END), 64 * 1024);
  EXPECT_EQ(words.last_line(), std::string(800, 'a'));
}

TEST(WorkerOutput, AreHeardFromTheLastClearingOn) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "before\n"));
  words.clear();
  EXPECT_EQ(words.text(), "");
  EXPECT_EQ(words.last_line(), "");
  ASSERT_TRUE(print(words, "now\n\x1b"));
  EXPECT_EQ(words.text(), "now\n\x1b");
  EXPECT_EQ(words.last_line(), "\\x1b");
}

TEST(WorkerOutput, HaveRoomAgainOnceCleared) {
  const WorkerOutput words;
  for (int i = 0; i < 100; ++i) print(words, std::string(1024, 'a'));
  EXPECT_TRUE(words.is_full());
  words.clear();
  EXPECT_FALSE(words.is_full());
  EXPECT_TRUE(print(words, "b"));
  EXPECT_EQ(words.text(), "b");
}

TEST(WorkerOutput, SurviveAWorkerThatMovesItsPlace) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "text"));
  ::lseek(words.descriptor(), off_t{1} << 40, SEEK_SET);
  EXPECT_EQ(words.text().size(), std::size_t{64} * 1024);
  ::lseek(words.descriptor(), 0, SEEK_SET);
  EXPECT_EQ(words.text(), "");
}

}  // namespace mapped_libraries_test
}  // namespace kgrade
