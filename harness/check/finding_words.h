// What every kind of finding is called, and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "check/finding.h"
#include "device/finding_book.h"
#include "record/verdict.h"

namespace kgrade {

// "out_of_bounds": as the enumerator is called.
std::string_view kind_name(FindingKind kind);

// One sentence.
std::string_view remedy_for(FindingKind kind);
std::string_view remedy_for(Verdict verdict);

// "8 bytes past the end of `input` (4096 bytes)"; `distance` as in FindingEntry.
std::string distance_text(std::int64_t distance, const std::string& object);

// "(3,0,0)".
std::string coordinates_text(const std::array<std::uint32_t, 3>& at);

// "file.cu:12", without folders.
std::string place_name(const FindingPlace& place);

}  // namespace kgrade
