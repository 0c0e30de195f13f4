#include "check/sanitizer_findings.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <regex>

#include "check/finding_words.h"
#include "check/sanitizer_report.h"

namespace kgrade {
namespace {

// Further than this from any allocation, an address is none of the device's.
constexpr std::int64_t far_away = std::int64_t{64} << 20;

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

FindingKind kind_of(const ReportEntry& entry) {
  if (says(entry.headline, "Uninitialized")) return FindingKind::uninitialized_read;
  if (says(entry.headline, "Race")) return FindingKind::race;
  if (says(entry.headline, "Leaked")) return FindingKind::leak;
  if (says(entry.headline, "Barrier error")) {
    return says(entry.headline, "Invalid arguments") ? FindingKind::warp_mask
                                                     : FindingKind::divergent_barrier;
  }
  if (says(entry.reason, "misaligned")) return FindingKind::misaligned_access;
  const bool global = says(entry.headline, "__global__");
  const bool near = entry.beyond && *entry.beyond<far_away&& * entry.beyond> - far_away;
  return global && !near ? FindingKind::invalid_address : FindingKind::out_of_bounds;
}

// "void scale<(int)3>(const float *, int)" is scale<(int)3>.
std::string kernel_name(std::string function) {
  if (function.starts_with("void ")) function.erase(0, 5);
  int depth = 0;
  std::size_t end = function.size();
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '<') ++depth;
    if (function[i] == '>') --depth;
    if (function[i] == '(' && depth == 0 && i > 0) {
      end = i;
      break;
    }
  }
  function.resize(end);
  return function;
}

class ReportReader {
 public:
  ReportReader(const Case& bound, const OwnSources& own, PlaceFinder* places, QuotedSource& source)
      : case_(bound), own_(own), places_(places), source_(source) {}

  Finding finding(const ReportEntry& entry) {
    const FindingKind kind = kind_of(entry);
    Finding finding;
    finding.kind = kind_name(kind);
    finding.remedy = remedy_for(kind);
    finding.occurrences = entry.hazards;
    if (entry.place) {
      finding.kernel = kernel_name(entry.place->function);
      finding.place = place(*entry.place);
    }
    if (entry.other_place) finding.other_place = place(*entry.other_place);
    if (entry.thread) finding.thread = FindingThread{entry.block, *entry.thread};
    if (kind == FindingKind::leak) finding.place = host_place(entry);
    finding.message = sentence(kind, entry, finding);
    return finding;
  }

 private:
  std::optional<FindingPlace> place(const ReportPlace& place) {
    const auto shown = own_.shown_name(place.file);
    if (!shown || place.line <= 0) return std::nullopt;
    return source_.place({*shown, place.line, kernel_name(place.function)});
  }

  // The innermost frame in the candidate's own source. Offsets of other modules give no place of its own.
  std::optional<FindingPlace> host_place(const ReportEntry& entry) {
    if (places_ == nullptr) return std::nullopt;
    std::vector<std::uint64_t> offsets;
    for (const ReportFrame& frame : entry.host_frames) {
      const bool foreign =
          says(frame.module, "kgrade-worker") || says(frame.module, "libc") || says(frame.module, "libcuda");
      if (!foreign) offsets.push_back(frame.offset);
    }
    for (const auto& found : places_->find(offsets)) {
      if (found) return source_.place(*found);
    }
    return std::nullopt;
  }

  std::string sentence(FindingKind kind, const ReportEntry& entry, const Finding& finding) const {
    switch (kind) {
      case FindingKind::out_of_bounds:
        return fmt::format("{}{}", access(entry), where(entry));
      case FindingKind::invalid_address:
        return fmt::format("{} at an address that is no device memory", access(entry));
      case FindingKind::misaligned_access:
        return fmt::format("{} at an address that is no multiple of that", access(entry));
      case FindingKind::uninitialized_read:
        return fmt::format("{} of device memory that was never written", access(entry));
      case FindingKind::race:
        return race(entry, finding);
      case FindingKind::divergent_barrier:
        return "some threads never come to this barrier: " + after(entry.headline, "detected. ");
      case FindingKind::warp_mask:
        return "the mask of a warp operation is none of its threads': " + after(entry.headline, "detected. ");
      case FindingKind::leak:
        return fmt::format("{} bytes stay allocated after every call", leaked(entry));
      case FindingKind::host_access:
        break;
    }
    return entry.headline;
  }

  static std::string after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == std::string::npos ? text : text.substr(at + words.size());
  }

  static std::string leaked(const ReportEntry& entry) {
    const std::string rest = after(entry.headline, "Leaked ");
    return rest.substr(0, rest.find(' '));
  }

  // "reads 4 bytes" of "Invalid __global__ read of size 4 bytes".
  static std::string access(const ReportEntry& entry) {
    static const std::regex pattern(R"((read|write|atomic)[a-z ]* of size ([0-9]+))");
    std::smatch match;
    if (!std::regex_search(entry.headline, match, pattern)) return "an access";
    const std::string verb = match[1] == "read" ? "reads" : match[1] == "write" ? "writes" : "updates";
    return fmt::format("{} {} byte{}", verb, match[2].str(), match[2] == "1" ? "" : "s");
  }

  std::string where(const ReportEntry& entry) const {
    if (says(entry.headline, "__shared__")) return " outside of shared memory";
    if (!entry.beyond) return " outside of any allocation";
    // The tool counts the first byte behind an allocation as 1 byte after it.
    const std::int64_t distance = *entry.beyond > 0 ? *entry.beyond - 1 : *entry.beyond;
    return ", " + distance_text(distance, allocation(entry.allocation_bytes));
  }

  // Copies of tensors have exactly their sizes, which tells them apart from each other more often than not.
  std::string allocation(std::uint64_t bytes) const {
    std::string name;
    for (const Tensor& tensor : case_.tensors) {
      if (static_cast<std::uint64_t>(tensor.elements) * element_bytes(case_.dtype) != bytes) continue;
      name += fmt::format("{}`{}`", name.empty() ? "" : " or ", tensor.name);
    }
    if (name.empty()) return fmt::format("an allocation ({} bytes)", bytes);
    return fmt::format("an allocation as large as {} ({} bytes)", name, bytes);
  }

  static std::string race(const ReportEntry& entry, const Finding& finding) {
    const bool reads = says(entry.headline, "and Read");
    const bool after_write = says(entry.headline, "between Write");
    std::string at;
    if (finding.other_place) {
      const bool here = finding.place && finding.place->is_at(*finding.other_place);
      at = here ? " here too," : fmt::format(" at {}", place_name(*finding.other_place));
    }
    return fmt::format("{} shared memory that another thread {}{} with no barrier between",
                       reads ? "reads" : "writes", after_write ? "wrote" : "read", at);
  }

  const Case& case_;
  const OwnSources& own_;
  PlaceFinder* places_;
  QuotedSource& source_;
};

// What tells one leak from another: how much, and the way to the allocation.
std::string way_of(const ReportEntry& entry) {
  std::string way = entry.headline.substr(0, entry.headline.find(" at "));
  for (const ReportFrame& frame : entry.host_frames) way += fmt::format(" {:x}", frame.offset);
  return way;
}

}  // namespace

std::vector<Finding> findings_of_report(const std::string& report, const Case& bound, int calls,
                                        const OwnSources& own, PlaceFinder* places, QuotedSource& source) {
  const std::vector<ReportEntry> entries = parse_sanitizer_report(report);
  std::map<std::string, int> leaks;
  for (const ReportEntry& entry : entries) {
    if (kind_of(entry) == FindingKind::leak) ++leaks[way_of(entry)];
  }
  ReportReader reader(bound, own, places, source);
  std::vector<Finding> findings;
  for (const ReportEntry& entry : entries) {
    // One call may keep what it allocated for those to come, and one that fails frees nothing.
    if (kind_of(entry) == FindingKind::leak && (calls < 2 || leaks[way_of(entry)] < calls)) continue;
    findings.push_back(reader.finding(entry));
  }
  return findings;
}

}  // namespace kgrade
