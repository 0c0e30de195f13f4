// Helpers on text and files.
#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

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

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{16} << 20), "16 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16 EiB");
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
  EXPECT_FALSE(write_file_atomically(folder.path(), "x").ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ReplaceAll, ReplacesEveryOccurrenceOnce) {
  EXPECT_EQ(replace_all("aXbXc", "X", "XX"), "aXXbXXc");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

}  // namespace
}  // namespace kgrade
