#include "device/emulated/checker/book_writer.h"

#include <algorithm>
#include <cstring>

namespace kgrade_emulated {
namespace {

using kgrade::FindingEntry;

bool same_waits(const FindingEntry& a, const FindingEntry& b) {
  return std::equal(std::begin(a.waits), std::end(a.waits), std::begin(b.waits),
                    [](const auto& x, const auto& y) { return x.pc == y.pc; });
}

bool same_access(const kgrade::FoundAccess& a, const kgrade::FoundAccess& b) {
  return a.pc == b.pc && std::equal(std::begin(a.callers), std::end(a.callers), std::begin(b.callers));
}

bool same_place(const FindingEntry& a, const FindingEntry& b) {
  return a.kind == b.kind && same_access(a.access, b.access) && same_access(a.other, b.other) &&
         a.access.write == b.access.write && same_waits(a, b);
}

bool is_about(const FindingEntry& entry, kgrade::FindingKind kind, std::uint64_t pc) {
  return entry.kind == kind && (entry.access.pc == pc || entry.other.pc == pc);
}

}  // namespace

void BookWriter::write(const FindingEntry& entry) {
  FindingEntry* const end = book_.entries + book_.count;
  FindingEntry* const known =
      std::find_if(book_.entries, end, [&](const FindingEntry& other) { return same_place(other, entry); });
  if (known != end) {
    ++known->occurrences;
  } else if (book_.count < kgrade::most_findings) {
    *end = entry;
    ++book_.count;  // after the entry: a reader sees whole entries only
  } else {
    ++book_.dropped;
  }
}

bool BookWriter::has(kgrade::FindingKind kind, std::uint64_t pc) const {
  return std::any_of(book_.entries, book_.entries + book_.count,
                     [&](const FindingEntry& entry) { return is_about(entry, kind, pc); });
}

void BookWriter::drop(kgrade::FindingKind kind, std::uint64_t pc) {
  FindingEntry* const end = book_.entries + book_.count;
  FindingEntry* const kept = std::remove_if(
      book_.entries, end, [&](const FindingEntry& entry) { return is_about(entry, kind, pc); });
  book_.count = static_cast<std::uint32_t>(kept - book_.entries);
}

void set_text(char* target, std::size_t bytes, std::string_view text) {
  const std::size_t count = std::min(text.size(), bytes - 1);
  std::memcpy(target, text.data(), count);
  target[count] = '\0';
}

}  // namespace kgrade_emulated
