#include "device/finding_book.h"

#include <algorithm>
#include <cstring>

namespace kgrade {
namespace {

constexpr std::uint32_t last_space = static_cast<std::uint32_t>(MemorySpace::host);

template <std::size_t size>
void end_text(char (&text)[size]) {
  text[size - 1] = '\0';
}

void tidy(FindingEntry& entry) {
  if (static_cast<std::uint32_t>(entry.space) > last_space) entry.space = MemorySpace::unknown;
  entry.parameter = std::max(entry.parameter, -1);
  // The largest distance that is reported. It is safe to negate it and to add to it.
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  entry.distance = std::clamp(entry.distance, -farthest, farthest);
  entry.occurrences = std::min(entry.occurrences, std::uint64_t{1} << 48);
  end_text(entry.kernel);
  end_text(entry.object);
}

}  // namespace

std::vector<FindingEntry> read_book(const FindingBook& book) {
  // Copy the book first, so that the worker cannot change it after the checks below.
  FindingBook copy;
  std::memcpy(&copy, &book, sizeof copy);
  std::vector<FindingEntry> entries;
  if (copy.magic != finding_book_magic) return entries;
  const std::uint32_t count = std::min(copy.count, most_findings);
  for (std::uint32_t i = 0; i < count; ++i) {
    FindingEntry& entry = copy.entries[i];
    const auto kind = static_cast<std::uint32_t>(entry.kind);
    if (kind < 1 || kind > last_finding_kind || entry.occurrences == 0) continue;
    tidy(entry);
    entries.push_back(entry);
  }
  return entries;
}

std::vector<LaunchCounts> read_counts(const FindingBook& book) {
  FindingBook copy;
  std::memcpy(&copy, &book, sizeof copy);
  if (copy.magic != finding_book_magic) return {};
  std::vector<LaunchCounts> counts(copy.counts, copy.counts + std::min(copy.launches, most_counted));
  for (LaunchCounts& one : counts) end_text(one.kernel);
  return counts;
}

}  // namespace kgrade
