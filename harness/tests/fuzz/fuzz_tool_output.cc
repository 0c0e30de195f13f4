#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "check/emulated_findings.h"
#include "check/sanitizer_findings.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/source_places.h"
#include "contest/worker_tree.h"
#include "device/finding_book.h"
#include "problem/scalar_type.h"
#include "profile/activity.h"
#include "profile/advice.h"
#include "profile/ncu_report.h"
#include "profile/profile_record.h"
#include "profile/profiler.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

int fuzz_addr2line(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const OwnSources own{"/project/mine/x.cu", "mine/x.cu", "/build-folder"};
  for (const auto& frames : parse_addr2line(text)) {
    for (const InlinedFrame& frame : frames) {
      promise(frame.file.empty() || frame.line > 0, "a file comes with a line");
    }
    const auto place = own_place(frames, own);
    promise(!place || (place->line > 0 && !place->file.empty()), "a place has a file and a line");
    promise(!place || !place->file.starts_with("/"), "a place is named as the user does");
  }
  return 0;
}

namespace {

Parameter tensor(const char* name, bool is_const) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = element_type_name;
  parameter.pointer = true;
  parameter.is_const = is_const;
  return parameter;
}

Problem two_parameters() {
  Problem problem;
  problem.parameters = {tensor("input", true), tensor("output", false)};
  return problem;
}

}  // namespace

int fuzz_compiler_log(const std::uint8_t* data, std::size_t size) {
  static const Problem problem = two_parameters();
  // In the form in which readers get the compilers' output.
  const std::string log = with_lines_cut(std::string_view(reinterpret_cast<const char*>(data), size));
  promise(log.size() <= size + size / 1000, "cutting lines makes no text longer");
  const std::string line = first_error_line(log);
  promise(!line.empty(), "there is always something to say");
  promise(line.find('\n') == std::string::npos, "it is one line");
  ProcessOutcome process;
  process.exit_code = 1;
  process.output = log;
  const auto limit = exceeded_limit(process, ProcessLimits{});
  promise(!limit || !limit->empty(), "a limit has words");
  const auto complaint = signature_complaint(problem, log, Dtype::float32);
  promise(!complaint || !complaint->empty(), "a complaint has words");
  return 0;
}

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

// The pages of Nsight Compute, apart by form feeds, or the file of CUPTI's records.
int fuzz_profile(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const NcuPages pages = split_report(text);
  NcuReport report = parse_raw_page(pages.raw);
  QuotedSource source;
  add_places(pages.source, {"/project/mine/x.cu", "mine/x.cu", "/build-folder"}, source, report.launches);
  std::vector<KernelProfile> kernels = combined(std::move(report.launches));
  take_activity(combined(parse_activity(text).launches), kernels);
  add_shares(kernels, Ceilings{});
  for (KernelProfile& kernel : kernels) {
    promise(!kernel.name.empty() || kernel.mangled.empty(), "a kernel has a name");
    for (const WorstPlace& worst : kernel.worst) promise(worst.place.line > 0, "a place has a line");
    kernel.advice = advice_on(kernel, {true});
  }
  ProfileRecord record;
  record.candidates.resize(1);
  record.candidates[0].kernels = std::move(kernels);
  record.lacks = complaint_of(pages.log);
  promise(!to_text(record).empty() && !render_table(record, Style(false), true).empty(), "it can be printed");
  return 0;
}

namespace {

// 800 bytes, each of which may be shown as \xNN.
constexpr std::size_t longest_line = 4 * 800;

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

int fuzz_worker_output(const std::uint8_t* data, std::size_t size) {
  const WorkerOutput words;
  // The first byte says where it is written: a worker may write anywhere in the file.
  ByteReader input(data, size);
  const auto begin = static_cast<off_t>(input.byte()) * 300;
  const std::string text = input.bytes(size > 0 ? size - 1 : 0);
  const ssize_t written = ::pwrite(words.descriptor(), text.data(), text.size(), begin);
  promise(written <= static_cast<ssize_t>(text.size()), "the file cannot grow");
  const std::string line = words.last_line();
  promise(line.size() <= longest_line, "a line is not endless");
  promise(std::none_of(line.begin(), line.end(), is_control), "a line can be shown on a terminal");
  promise(!first_invalid_utf8(line), "a line is UTF-8");
  return 0;
}

}  // namespace kgrade::fuzz
