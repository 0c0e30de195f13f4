// Helpers on text.
#include "base/text.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <iterator>

#include "base/first_names.h"
#include "base/machine_faults.h"
#include "base/temporary_directory.h"
#include "base/text_file.h"
#include "base/unique_fd.h"

namespace kgrade::text_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Utf8, AcceptsEveryLength) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("plain"), std::nullopt);
  // The first and the last of two, three and four bytes, and the neighbours of the surrogates.
  for (const std::string_view text :
       {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "\xed\x9f\xbf", "\xee\x80\x80"}) {
    EXPECT_EQ(first_invalid_utf8(text), std::nullopt);
  }
  EXPECT_EQ(first_invalid_utf8(std::string_view("\0", 1)), std::nullopt);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid_utf8("ab\x80"), 2U) << "a continuation without a start";
  EXPECT_EQ(first_invalid_utf8("a\xc3"), 1U) << "cut short";
  EXPECT_EQ(first_invalid_utf8("\xe2\x82"), 0U) << "cut short";
  EXPECT_EQ(first_invalid_utf8("\xe2\x82z"), 0U) << "a letter in a sequence";
  EXPECT_EQ(first_invalid_utf8("\xc3\xa4\xff"), 2U);
}

TEST(Utf8, RefusesWhatRfc3629Forbids) {
  for (const std::string_view text :
       {"\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // overlong
        "\xed\xa0\x80", "\xed\xbf\xbf",                              // surrogates
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff"}) {   // past U+10FFFF
    EXPECT_EQ(first_invalid_utf8(text), 0U);
  }
}

TEST(Nearest, FindsSlipsOfTheKeyboard) {
  const std::vector<std::string> options = {"height", "width", "batch_size"};
  EXPECT_EQ(nearest("heigth", options), "height");
  EXPECT_EQ(nearest("batchsize", options), "batch_size");
  EXPECT_EQ(nearest("width", options), "width");
}

TEST(Nearest, DoesNotGuessWildly) {
  EXPECT_EQ(nearest("stride", {"height", "width"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

TEST(Nearest, TheFirstOfEqualsWins) { EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat"); }

TEST(FirstNames, SaysHowManyAreLeftOut) {
  EXPECT_EQ(first_names({}, 2), "");
  EXPECT_EQ(first_names({"a", "b"}, 2), "a, b");
  EXPECT_EQ(first_names({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{16} << 20), "16 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16 EiB");
}

TEST(Printable, LeavesTextAlone) {
  const std::string text = "a line\n\twith \xc3\xa4, \xe2\x82\xac and \xf0\x9f\x98\x80 ~";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0") << "the first character after the C1 controls";
}

TEST(Printable, ShowsControlCharactersAsHexadecimal) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("over\rwritten\b\x7f"), "over\\x0dwritten\\x08\\x7f");
  EXPECT_EQ(printable(std::string_view("\0\x1f", 2)), "\\x00\\x1f");
}

TEST(Printable, ShowsC1ControlsAsHexadecimal) {
  EXPECT_EQ(printable("\xc2\x80"), "\\xc2\\x80");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31mb"),
            "a\\xc2\\x9b31mb")
      << "CSI in one character";
  EXPECT_EQ(printable("\xc2\x9f"), "\\xc2\\x9f");
}

TEST(Printable, ShowsWhatChangesHowOtherCharactersAreShownAsHexadecimal) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "detpecca"),
            "a\\xe2\\x80\\xaedetpecca")
      << "right to left";
  for (const char* hidden : {"\xd8\x9c", "\xe2\x80\x8b", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xaa",
                             "\xe2\x80\xae", "\xe2\x81\xa0", "\xe2\x81\xa9", "\xef\xbb\xbf"}) {
    EXPECT_TRUE(printable(hidden).starts_with("\\x")) << printable(hidden);
    EXPECT_EQ(printable(hidden).size(), 4 * std::string(hidden).size());
  }
  for (const char* seen : {"\xd8\x9b", "\xe2\x80\x8a", "\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf",
                           "\xe2\x81\x9f", "\xe2\x81\xaa", "\xef\xbb\xbe", "\xef\xbf\xbd"}) {
    EXPECT_EQ(printable(seen), seen);
  }
}

TEST(Printable, ShowsWhatIsNotUtf8AsHexadecimal) {
  EXPECT_EQ(printable("a\x9b"
                      "b"),
            "a\\x9bb");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80\xff"), "\\xed\\xa0\\x80\\xff");
}

TEST(Trimmed, TakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed("\t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("--a-b-", "-"), "a-b");
  EXPECT_EQ(trimmed(" a\t", " "), "a\t");
}

TEST(Characters, AreOfOneKindWhateverTheByte) {
  int digits = 0, letters = 0, spaces = 0;
  for (int byte = -128; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    digits += is_digit(c);
    letters += is_letter(c);
    spaces += is_space(c);
    EXPECT_LE(is_digit(c) + is_letter(c) + is_space(c), 1) << byte;
  }
  // Bytes from -128 to -1 are those from 128 to 255 once more.
  EXPECT_EQ(digits, 10);
  EXPECT_EQ(letters, 52);
  EXPECT_EQ(spaces, 4);
  EXPECT_TRUE(is_small_letter('a') && is_small_letter('z') && !is_small_letter('Z') && !is_small_letter('{'));
}

TEST(ReplaceAll, ReplacesEveryOccurrenceOnce) {
  EXPECT_EQ(replace_all("aXbXc", "X", "XX"), "aXXbXXc");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

class Lines : public testing::Test {
 protected:
  fs::path file(const std::string& content) {
    const fs::path path = folder_.path() / "lines";
    EXPECT_TRUE(write_file_atomically(path, content).ok());
    return path;
  }
  std::vector<std::string> lines(const std::string& content) {
    auto reader = LineReader::open(file(content), 1 << 22);
    std::vector<std::string> all;
    while (auto line = reader->next().value()) all.push_back(*line);
    EXPECT_EQ(reader->line(), static_cast<int>(all.size()));
    return all;
  }
  TemporaryDirectory folder_;
};

TEST_F(Lines, AreGivenWithoutTheirBreaks) {
  EXPECT_EQ(lines("one\n\nthree\n"), (std::vector<std::string>{"one", "", "three"}));
}

TEST_F(Lines, WhatFollowsTheLastBreakIsNone) {
  EXPECT_EQ(lines("one\nhalf"), std::vector<std::string>{"one"});
  EXPECT_TRUE(lines("half").empty());
  EXPECT_TRUE(lines("").empty());
}

TEST_F(Lines, MayBeLongerThanAPieceOfTheFile) {
  const std::string line((1 << 21) + 3, 'x');
  EXPECT_EQ(lines("a\n" + line + "\n" + line + "\nb\n"), (std::vector<std::string>{"a", line, line, "b"}));
}

TEST_F(Lines, OneThatIsTooLongIsAnError) {
  auto reader = LineReader::open(file("four\nfive5\n"), 4);
  EXPECT_EQ(reader->next().value(), "four");
  const auto line = reader->next();
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().location.line, 2);
}

TEST_F(Lines, OfWhatIsNoFileAreAnError) {
  EXPECT_EQ(LineReader::open(folder_.path() / "missing", 1).error().message, "no such file");
  EXPECT_EQ(LineReader::open(folder_.path(), 1).error().message, "is not a regular file");
}

// Files that are read whole and written at once, and targets that are not regular files.

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode;
}

std::ptrdiff_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

std::string read_to_the_end(int fd) {
  std::string content;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(fd, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(count));
  }
  return content;
}

TEST(Resolved, GoesAsFarAsThePathExists) {
  const TemporaryDirectory folder;
  const fs::path real = fs::canonical(folder.path());
  fs::create_directory(real / "there");
  fs::create_directory_symlink(real / "there", real / "link");
  EXPECT_EQ(resolved(real / "link/../link/missing/./x.cu"), real / "there/missing/x.cu");
  // A cycle of links cannot be followed.
  fs::create_symlink(real / "loop", real / "loop");
  EXPECT_EQ(resolved(real / "there/../loop/x"), real / "loop/x");
}

TEST(ReadTextFile, ReadsAllBytes) {
  const TemporaryDirectory folder;
  const std::string content("a\r\n\0\xff", 5);
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", content).ok());
  EXPECT_EQ(*read_text_file(folder.path() / "file"), content);
}

TEST(ReadTextFile, SaysWhatIsWrong) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  EXPECT_EQ(read_text_file(file).error().message, "no such file");
  EXPECT_EQ(read_text_file(file).error().location.file, file.string());
  EXPECT_EQ(read_text_file(folder.path()).error().message, "is a folder");
  EXPECT_EQ(read_text_file("/dev/null").error().message, "is not a regular file");
  ASSERT_TRUE(write_file_atomically(file, "12345").ok());
  EXPECT_TRUE(read_text_file(file, 5).ok());
  EXPECT_EQ(read_text_file(file, 4).error().message, "is larger than 4 B");
}

TEST(ReadTextFile, SaysWhyAPathLeadsNowhere) {
  const TemporaryDirectory folder;
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_THAT(read_text_file(loop).error().message, HasSubstr("symbolic links lead to each other"));
  EXPECT_THAT(read_text_file("").error().message, HasSubstr("its name is empty"));
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "x").ok());
  EXPECT_EQ(read_text_file(folder.path() / "file" / "below").error().message, "no such file");
  EXPECT_THAT(read_text_file(folder.path() / std::string(300, 'x')).error().message,
              HasSubstr("cannot be read: File name too long"));
  for (const fs::path& odd : {loop, fs::path(), folder.path() / "none", folder.path(), fs::path("/dev/null")})
    EXPECT_NE(read_text_file(odd).error().remedy, "") << odd;
}

TEST(ReadTextFile, AFolderThatMayNotBeEnteredIsNoMissingFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root enters every folder";
  const TemporaryDirectory folder;
  const fs::path closed = folder.path() / "closed";
  fs::create_directory(closed);
  ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
  const auto read = read_text_file(closed / "file");
  ::chmod(closed.c_str(), 0700);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "cannot be read: Permission denied");
  EXPECT_THAT(read.error().remedy, HasSubstr("folders above it"));
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBeside) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(file, "old").ok());
  ASSERT_TRUE(write_file_atomically(file, "new").ok());
  EXPECT_EQ(*read_text_file(file), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
}

TEST(WriteFileAtomically, FailsIntoErrorsAndLeavesNothingBehind) {
  const TemporaryDirectory folder;
  const auto missing = write_file_atomically(folder.path() / "none" / "file", "x");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("No such file or directory"));
  EXPECT_EQ(missing.error().blame, Blame::user);
  EXPECT_FALSE(write_file_atomically(folder.path(), "x").ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WriteFileAtomically, KeepsThePermissionsOfWhatItReplaces) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(file, "old").ok());
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(file, "new").ok());
  EXPECT_EQ(*read_text_file(file), "new");
  EXPECT_EQ(mode_of(file) & 07777, 0640U);
}

TEST(WriteFileAtomically, AReaderOfTheOldFileKeepsIt) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(file, "old").ok());
  const UniqueFd reader(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(write_file_atomically(file, "new").ok());
  EXPECT_EQ(read_to_the_end(reader.get()), "old");
}

TEST(WriteFileAtomically, WritesThroughALinkAndKeepsIt) {
  const TemporaryDirectory folder;
  fs::create_directory(folder.path() / "results");
  ASSERT_TRUE(write_file_atomically(folder.path() / "results" / "file", "old").ok());
  fs::create_symlink("results/file", folder.path() / "inner");
  fs::create_symlink(folder.path() / "inner", folder.path() / "outer");
  ASSERT_TRUE(write_file_atomically(folder.path() / "outer", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder.path() / "outer"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "inner"));
  EXPECT_EQ(*read_text_file(folder.path() / "results" / "file"), "new");
  EXPECT_EQ(entries_in(folder.path()), 3);
  EXPECT_EQ(entries_in(folder.path() / "results"), 1);
}

TEST(WriteFileAtomically, MakesTheTargetOfADanglingLink) {
  const TemporaryDirectory folder;
  fs::create_symlink("later", folder.path() / "link");
  ASSERT_TRUE(write_file_atomically(folder.path() / "link", "text").ok());
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_TRUE(S_ISREG(mode_of(folder.path() / "later")));
  EXPECT_EQ(*read_text_file(folder.path() / "later"), "text");
}

TEST(WriteFileAtomically, ALoopOfLinksIsAnError) {
  const TemporaryDirectory folder;
  fs::create_symlink("two", folder.path() / "one");
  fs::create_symlink("one", folder.path() / "two");
  const auto written = write_file_atomically(folder.path() / "one", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("symbolic links"));
  EXPECT_EQ(entries_in(folder.path()), 2);
}

TEST(WriteFileAtomically, WritesIntoAFifo) {
  const TemporaryDirectory folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] {
    const UniqueFd fd(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
    return read_to_the_end(fd.get());
  });
  const std::string content(200000, 'x');  // more than a pipe holds
  EXPECT_TRUE(write_file_atomically(fifo, content).ok());
  if (!S_ISFIFO(mode_of(fifo))) {  // or the reader would wait for ever
    ADD_FAILURE() << "the fifo was replaced";
    ::unlink(fifo.c_str());
    std::_Exit(1);
  }
  EXPECT_EQ(reader.get(), content);
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(WriteFileAtomically, AReaderThatGoesAwayIsAnErrorAndNoSignal) {
  const TemporaryDirectory folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] {
    const UniqueFd fd(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
    char first = 0;
    return ::read(fd.get(), &first, 1);
  });
  const auto written = write_file_atomically(fifo, std::string(1 << 20, 'x'));
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("Broken pipe"));
  EXPECT_EQ(reader.get(), 1);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

// A device node of our own, if we may create one; with that right, we could also replace the machine's by
// mistake.
fs::path device(const TemporaryDirectory& folder, const std::string& name, unsigned int minor_number) {
  const auto own = folder.path() / name;
  const bool made = ::mknod(own.c_str(), S_IFCHR | 0666, ::makedev(1, minor_number)) == 0;
  return made && UniqueFd(::open(own.c_str(), O_WRONLY | O_CLOEXEC)) ? own : fs::path("/dev") / name;
}

TEST(WriteFileAtomically, LeavesDevicesDevices) {
  const TemporaryDirectory folder;
  const auto null = device(folder, "null", 3);
  ASSERT_TRUE(write_file_atomically(null, "x").ok());
  EXPECT_TRUE(S_ISCHR(mode_of(null)));
}

TEST(WriteFileAtomically, AFullDeviceIsAnError) {
  const TemporaryDirectory folder;
  const auto full = device(folder, "full", 7);
  const auto written = write_file_atomically(full, "x");
  EXPECT_TRUE(S_ISCHR(mode_of(full)));
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("No space left"));
  EXPECT_EQ(written.error().location.file, full.string());
}

// A name of an open descriptor, like /dev/stdout: output goes to the descriptor's position, and does not
// replace the file behind it.
TEST(WriteFileAtomically, AnOpenDescriptorIsWrittenWhereItStands) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(fd.get(), "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(fd.get()), folder.path() / "link");
  ASSERT_TRUE(write_file_atomically(folder.path() / "link", "record ").ok());
  ASSERT_TRUE(write_file_atomically("/dev/fd/" + std::to_string(fd.get()), "again ").ok());
  ASSERT_EQ(::write(fd.get(), "after", 5), 5);
  EXPECT_EQ(*read_text_file(file), "before record again after");
  EXPECT_EQ(entries_in(folder.path()), 2);
}

// Such errors name a file, and are no fault of who named it.
TEST(ReadAndWriteFile, WithoutDescriptorsTheMachineIsToBlame) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(file, "x").ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto read = read_text_file(file);
  const auto written = write_file_atomically(file, "y");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const Errors& errors : {read.errors(), written.errors()}) {
    EXPECT_THAT(errors.at(0).message, HasSubstr("Too many open files"));
    EXPECT_THAT(errors.at(0).remedy, HasSubstr("raise `ulimit -n`"));
    EXPECT_EQ(errors.at(0).location.file, file.string());
    EXPECT_EQ(errors.at(0).blame, Blame::machine);
  }
  EXPECT_EQ(read_text_file(folder.path() / "none").error().blame, Blame::user);
}

TEST(WriteFile, OnAFullDiskTheRemedyIsRoom) {
  const auto written = write_file_atomically("/dev/full", "text");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().remedy, "free some space there, or name a file on another disk");
  EXPECT_EQ(written.error().blame, Blame::machine);
  const TemporaryDirectory folder;
  EXPECT_EQ(remedy_for_room(folder.path() / "unit.cpp"),
            "free some space there, or let TMPDIR name a folder on another disk");
}

}  // namespace kgrade::text_test
