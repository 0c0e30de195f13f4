// Writes findings into the book: one entry a kind and place, with a count.
#pragma once

#include <string_view>

#include "device/finding_book.h"

namespace kgrade_emulated {

class BookWriter {
 public:
  explicit BookWriter(kgrade::FindingBook& book) : book_(book) { book_ = kgrade::FindingBook{}; }

  // An entry of the same kind at the same places counts once more instead; a full book counts what it drops.
  void write(const kgrade::FindingEntry& entry);
  // Whether an entry of this kind has this place as its own or its other; drop() takes those out.
  bool has(kgrade::FindingKind kind, std::uint64_t pc) const;
  void drop(kgrade::FindingKind kind, std::uint64_t pc);

 private:
  kgrade::FindingBook& book_;
};

// Copies as much as fits and ends the text.
void set_text(char* target, std::size_t bytes, std::string_view text);

}  // namespace kgrade_emulated
