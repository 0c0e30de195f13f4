#include "device/finding_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <random>
#include <string>

namespace kgrade::finding_book_test {

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
    auto* bytes = reinterpret_cast<unsigned char*>(book.get());
    for (std::size_t i = 0; i < sizeof *book; ++i) bytes[i] = static_cast<unsigned char>(random() % 16);
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

}  // namespace kgrade::finding_book_test
