#include "check/sanitizer_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::uint64_t report_limit = 64 << 20;
// The most findings that a tool reports; findings at one place are merged later.
constexpr int most_reports = 1000;
constexpr const char* report_name = "report";

constexpr std::string_view mark = "=========";

// The text after the tool's mark, without leading blanks, and their number.
struct Line {
  std::string text;
  std::size_t indent = 0;
};

std::optional<Line> line_of_tool(const std::string& line) {
  if (!line.starts_with(mark)) return std::nullopt;
  const std::string rest = line.substr(mark.size());
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string::npos) return Line{};
  std::string text = rest.substr(begin);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return Line{text, begin};
}

std::uint64_t number(std::string text, int base = 10) {
  std::erase(text, ',');
  return std::strtoull(text.c_str(), nullptr, base);
}

std::array<std::uint32_t, 3> triple(const std::smatch& match, std::size_t first) {
  std::array<std::uint32_t, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) values[i] = static_cast<std::uint32_t>(number(match[first + i].str()));
  return values;
}

// Reads "FUNCTION+0xc0 in FILE:7"; the file and line may be missing. Function names may contain anything, so
// the last "+0x" counts. This is not a regular expression, because that would take quadratic time for names
// that are full of "+0x".
std::optional<ReportPlace> read_place(const std::string& text) {
  const std::size_t colon = text.find_last_not_of("0123456789");
  const bool has_line = colon != std::string::npos && text[colon] == ':' && colon + 1 < text.size();
  std::size_t at = text.rfind("+0x");
  for (; at != std::string::npos; at = at > 0 ? text.rfind("+0x", at - 1) : std::string::npos) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at + 3), text.size());
    if (end == at + 3) continue;
    if (end == text.size()) return ReportPlace{text.substr(0, at), "", 0};
    if (!has_line || text.compare(end, 4, " in ") != 0 || colon <= end + 4) continue;
    return ReportPlace{text.substr(0, at), text.substr(end + 4, colon - end - 4),
                       static_cast<int>(number(text.substr(colon + 1)))};
  }
  return std::nullopt;
}

// "Error: Race reported between Write access at PLACE", followed by "and Read access at PLACE [256 hazards]".
bool begin_race(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(
      R"(^(?:Error|Warning|Info): (Race reported between (\w+) access) at (.*)$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return false;
  entry = {};
  entry.headline = match[1].str();
  entry.other_place = read_place(match[3].str());
  return true;
}

void read_race_end(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(R"(^and (\w+) access at (.*?)(?: \[([0-9,]+) hazards?\])?$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  if (entry.place) return;  // further lines are about other places
  entry.headline += " and " + match[1].str() + " access";
  entry.place = read_place(match[2].str());
  if (match[3].matched) entry.hazards = number(match[3].str());
}

// Reads a line below the headline of an entry.
void read_detail(const std::string& text, ReportEntry& entry) {
  if (text.starts_with("at ")) {
    if (!entry.place) entry.place = read_place(text.substr(3));
    return;
  }
  if (entry.headline.starts_with("Race")) return read_race_end(text, entry);
  static const std::regex thread(
      R"(^by thread \(([0-9]+),([0-9]+),([0-9]+)\) in block \(([0-9]+),([0-9]+),([0-9]+)\).*)");
  static const std::regex address(R"(^(?:Access to|Address) (0x[0-9a-f]+)(?: is (.*))?$)");
  static const std::regex nearest(R"(^and is ([0-9,]+) bytes (after|before) the nearest allocation at )"
                                  R"(0x[0-9a-f]+ of size ([0-9,]+) bytes.*)");
  static const std::regex frame(R"(^Host Frame: ?(.*?) ?\[0x([0-9a-f]+)\](?: in (.*))?$)");
  std::smatch match;
  if (std::regex_match(text, match, thread)) {
    entry.thread = triple(match, 1);
    entry.block = triple(match, 4);
  } else if (std::regex_match(text, match, address)) {
    entry.address = number(match[1].str(), 16);
    entry.reason = match[2].str();
  } else if (std::regex_match(text, match, nearest)) {
    // Larger than any real distance, and safe to negate.
    constexpr std::uint64_t farthest = std::uint64_t{1} << 60;
    const auto bytes = static_cast<std::int64_t>(std::min(number(match[1].str()), farthest));
    entry.beyond = match[2] == "after" ? bytes : -bytes;
    entry.allocation_bytes = number(match[3].str());
  } else if (std::regex_match(text, match, frame)) {
    entry.host_frames.push_back({match[1].str(), number(match[2].str(), 16), match[3].str()});
  } else if (text.starts_with("in ") && !entry.host_frames.empty()) {
    entry.host_frames.back().module = text.substr(3);  // since compute-sanitizer 2025.3, on a line of its own
  }
}

constexpr std::size_t longest_report_line = 8192;

// Further than this from any allocation, an address is not in device memory.
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

// "void scale<(int)3>(const float *, int)" becomes scale<(int)3>.
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

  // The innermost frame in the candidate's own source. Frames of known other modules are skipped.
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
      case FindingKind::unjoined_stream:
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

  // "reads 4 bytes" for "Invalid __global__ read of size 4 bytes".
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

  // Names the tensors of that size. Copies of tensors have exactly their tensor's size, which usually
  // identifies them.
  std::string allocation(std::uint64_t bytes) const {
    std::string name;
    for (const Tensor& tensor : case_.tensors) {
      if (static_cast<std::uint64_t>(tensor.elements) * element_bytes(case_.dtype_of(tensor)) != bytes)
        continue;
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

// Identifies a leak by its size and the calls that lead to the allocation.
std::string way_of(const ReportEntry& entry) {
  std::string way = entry.headline.substr(0, entry.headline.find(" at "));
  for (const ReportFrame& frame : entry.host_frames) way += fmt::format(" {:x}", frame.offset);
  return way;
}

}  // namespace

Result<Sanitizer> Sanitizer::find() {
  if (const auto found = find_tool("compute-sanitizer")) return Sanitizer(*found, version_of_tool(*found));
  return machine_error(
      "compute-sanitizer is not installed: nothing can be checked on a GPU",
      "install it with the CUDA Toolkit and put its bin folder into PATH, or add --device emulated");
}

std::vector<std::string> Sanitizer::command(const std::string& tool, const std::filesystem::path& folder,
                                            const std::vector<std::string>& worker) const {
  std::vector<std::string> command = {
      program_.string(), "--tool", tool, "--log-file", (folder / report_name).string(),
      // Full paths: a header of the compiler may have the same name as the candidate.
      "--strip-paths", "no", "--print-limit", std::to_string(most_reports)};
  // For device code the place alone; for host code the call stack of a leaked allocation.
  const bool leaks = tool == "memcheck";
  command.insert(command.end(), {"--show-backtrace", leaks ? "host" : "no"});
  if (leaks) command.insert(command.end(), {"--leak-check", "full", "--report-api-errors", "no"});
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

std::string Sanitizer::report(const std::string& /*pass*/, const std::filesystem::path& folder,
                              const Confine& /*confined*/) const {
  auto report = read_text_file(folder / report_name, report_limit);
  return report ? std::move(*report) : "";
}

std::vector<ReportEntry> parse_sanitizer_report(const std::string& text) {
  std::vector<ReportEntry> entries;
  bool open = false;
  std::istringstream stream(text);
  for (std::string raw; std::getline(stream, raw);) {
    // Names in the line are the candidate's and may be very long, and regular expressions take stack for each
    // character.
    if (raw.size() > longest_report_line) continue;
    const auto line = line_of_tool(raw);
    if (!line) continue;
    ReportEntry begun;
    static const std::regex headline(R"(^(Invalid __\w+__ |Uninitialized __\w+__ memory read|)"
                                     R"(Barrier error detected|Leaked [0-9,]+ bytes).*)");
    if (std::regex_match(line->text, headline)) {
      begun.headline = line->text;
      entries.push_back(std::move(begun));
      open = true;
    } else if (begin_race(line->text, begun)) {
      entries.push_back(std::move(begun));
      open = true;
    } else if (line->indent <= 1) {
      open = false;  // for an empty line, a summary, or another kind of message
    } else if (open) {
      read_detail(line->text, entries.back());
    }
  }
  return entries;
}

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
    // The first call may keep memory for later calls, and a call that fails frees nothing.
    if (kind_of(entry) == FindingKind::leak && (calls < 2 || leaks[way_of(entry)] < calls)) continue;
    findings.push_back(reader.finding(entry));
  }
  return findings;
}

}  // namespace kgrade
