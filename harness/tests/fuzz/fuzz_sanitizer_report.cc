#include "check/sanitizer_findings.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

// Every other address is in the candidate's source.
class SomePlaces : public PlaceFinder {
 public:
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override {
    std::vector<std::optional<SourcePlace>> places;
    for (const std::uint64_t pc : pcs) {
      places.push_back(pc % 2 == 0 ? std::optional(SourcePlace{"no-such-file.cu", 22, "solution"})
                                   : std::nullopt);
    }
    return places;
  }
};

}  // namespace

int fuzz_sanitizer_report(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const ReportEntry& entry : parse_sanitizer_report(text)) {
    promise(!entry.headline.empty(), "an entry has a headline");
  }
  Case bound;
  bound.tensors = {{"input", 0, false, {64}, 64, {}}, {"output", 1, true, {32}, 32, {}}};
  const OwnSources own{"/project/mine/x.cu", "mine/x.cu", "/build-folder"};
  SomePlaces places;
  QuotedSource source;
  for (const Finding& finding : findings_of_report(text, bound, 2, own, &places, source)) {
    promise(!finding.kind.empty() && !finding.message.empty(), "a finding has words");
    promise(!finding.place || finding.place->line > 0, "a place has a line");
  }
  return 0;
}

}  // namespace kgrade::fuzz
