// Runs a library built for checking (BuildRequest::checked) in a process of its own, because a checker stays
// until its process ends, and a deadlock ends it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "device/finding_book.h"
#include "device/thread_order.h"

namespace kgrade::test {

struct CheckedRun {
  bool loaded = false;
  bool passed = false;  // came to its end, without a failed expectation
  std::vector<FindingEntry> findings;
};

// Calls `call` twice with the loaded library's handle, as a check does.
CheckedRun run_checked(const std::filesystem::path& library, ThreadOrder order,
                       const std::function<void(void* handle)>& call);

// The first line of `file` that an access belongs to, as inlined code or through a call; 0 if there is none.
int line_of(const std::filesystem::path& library, const FoundAccess& access, const std::string& file);

// "race": the name of a kind.
std::string word(FindingKind kind);

}  // namespace kgrade::test
