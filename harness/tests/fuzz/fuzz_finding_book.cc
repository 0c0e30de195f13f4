#include <cstring>
#include <memory>

#include "check/emulated_findings.h"
#include "device/finding_book.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

int fuzz_finding_book(const std::uint8_t* data, std::size_t size) {
  const auto book = std::make_unique<FindingBook>();
  std::memcpy(static_cast<void*>(book.get()), data, std::min(size, sizeof *book));
  const auto entries = read_book(*book);
  promise(entries.size() <= most_findings, "a book has so many entries");
  promise(read_counts(*book).size() <= most_counted, "a book has so many counts");
  Problem problem;
  problem.parameters.resize(2);
  QuotedSource source;
  for (const Finding& finding : findings_of(entries, problem, nullptr, source)) {
    promise(!finding.kind.empty() && !finding.message.empty(), "a finding has words");
    promise(finding.waits.size() <= most_waits, "a finding has so many waits");
  }
  return 0;
}

}  // namespace kgrade::fuzz
