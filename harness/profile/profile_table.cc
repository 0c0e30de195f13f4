#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/text.h"
#include "profile/profile_record.h"
#include "record/table.h"

namespace kgrade {
namespace {

// Kernels with a smaller share of the time get one line together.
constexpr double least_share = 0.02;
constexpr std::size_t most_shown_kernels = 5;
constexpr std::size_t most_shown_stalls = 3;
// Two columns differ in a fact if the larger value is more than this many times the smaller one.
constexpr double noticeable = 1.1;

std::string value_text(const FactKind& kind, const std::optional<double>& value) {
  if (!value) return "-";
  if (kind.unit == "us") return format_ms(*value * 1e-3);
  // A hostile report may hold any number.
  if (kind.unit == "bytes")
    return format_bytes(*value > 0 ? static_cast<std::uint64_t>(std::min(*value, 0x1p63)) : 0);
  if (kind.unit == "%") return fmt::format("{:.1f} %", *value);
  if (kind.unit == "share") return fmt::format("{:.1f} %", 100 * *value);
  const double size = std::abs(*value);
  if (size >= 1e12) return fmt::format("{:.3g} T", *value / 1e12);
  if (size >= 1e9) return fmt::format("{:.3g} G", *value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g} M", *value / 1e6);
  if (*value == std::floor(*value)) return fmt::format("{:.0f}", *value);
  return size >= 100 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
}

// True for a fact that says nothing, such as 0 spills or 0 atomics.
bool is_idle(const FactKind& kind, const std::optional<double>& value) {
  return value && *value == 0 && kind.name != "tensor_pipe_pct" && kind.name != "shared_conflicts";
}

std::string extents_text(const std::array<std::int64_t, 3>& extents) {
  if (extents[2] != 1) return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
  return extents[1] != 1 ? fmt::format("{} x {}", extents[0], extents[1]) : std::to_string(extents[0]);
}

double share_of(const KernelProfile& kernel) { return kernel.fact("time_share").value_or(0); }

// The kernels, the longest first. If there are no times, they are in the order of their launches.
std::vector<const KernelProfile*> by_time(const ProfiledCandidate& candidate) {
  std::vector<const KernelProfile*> kernels;
  for (const KernelProfile& kernel : candidate.kernels) kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelProfile* a, const KernelProfile* b) {
    return share_of(*a) > share_of(*b);
  });
  return kernels;
}

// "long_scoreboard 61 %, barrier 12 %": shares of the time of a warp.
std::string stalls_text(const KernelProfile& kernel) {
  const auto latency = kernel.fact("warp_latency");
  if (!latency || !(*latency > 0)) return "";
  std::vector<std::pair<double, std::string>> stalls;
  for (const auto& [reason, cycles] : kernel.stalls) {
    if (cycles && *cycles > 0) stalls.emplace_back(*cycles / *latency, reason);
  }
  std::sort(stalls.rbegin(), stalls.rend());
  stalls.resize(std::min(stalls.size(), most_shown_stalls));
  std::vector<std::string> words;
  for (const auto& [share, reason] : stalls) words.push_back(fmt::format("{} {:.0f} %", reason, 100 * share));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string quote(const FindingPlace& place, const Style& style) {
  const std::string at = printable_line(fmt::format("{}:{}", place.file, place.line));
  return fmt::format("      {} {}\n", style(Colour::dim, at), printable(place.text));
}

std::string advice_text(const KernelProfile& kernel, const Style& style) {
  std::string text;
  for (const Advice& advice : kernel.advice) {
    text += fmt::format("    {}: {}\n", style(Colour::yellow, advice.rule), printable(advice.message));
    if (advice.place) text += quote(*advice.place, style);
    text += fmt::format("      {}\n", style(Colour::dim, advice.source));
  }
  return text;
}

std::string kernel_text(const KernelProfile& kernel, const Style& style, bool verbose) {
  std::string text =
      fmt::format("  {}  {} of {} threads{}{}\n", style(Colour::bold, printable_line(kernel.name)),
                  "grid " + extents_text(kernel.grid), extents_text(kernel.block),
                  kernel.launches > 1 ? fmt::format(", {} launches", kernel.launches) : "",
                  kernel.own ? "" : ", of a library");
  TextTable table({"", ""}, {false, true});
  for (const FactKind& kind : fact_kinds()) {
    const auto fact = kernel.facts.find(kind.name);
    if (fact == kernel.facts.end() || (!verbose && is_idle(kind, fact->second))) continue;
    std::string label(kind.label);
    if (kind.name == "theoretical_occupancy_pct" && !kernel.occupancy_limits.empty())
      label += replace_all(fmt::format(" (limit: {})", fmt::join(kernel.occupancy_limits, ", ")), "_", " ");
    table.add({label, value_text(kind, fact->second)});
  }
  std::string rows = table.render(style, "    ");
  // The table has no header.
  text += rows.substr(rows.find('\n') + 1);
  if (const std::string stalls = stalls_text(kernel); !stalls.empty())
    text += fmt::format("    stalls: {}\n", stalls);
  return text + advice_text(kernel, style);
}

std::string kernels_text(const ProfiledCandidate& candidate, const Style& style, bool verbose) {
  std::string text;
  std::size_t shown = 0;
  std::size_t left = 0;
  double rest = 0;
  for (const KernelProfile* const kernel : by_time(candidate)) {
    const bool has_times = kernel->facts.count("time_share") != 0;
    const bool is_small = has_times && share_of(*kernel) < least_share;
    if (!verbose && shown > 0 && (is_small || shown == most_shown_kernels)) {
      ++left;
      rest += share_of(*kernel);
      continue;
    }
    ++shown;
    text += kernel_text(*kernel, style, verbose);
  }
  if (left > 0)
    text += fmt::format("  and {} with {:.1f} % of the time: --verbose shows them\n", counted(left, "kernel"),
                        100 * rest);
  return text;
}

bool shows_log(const ProfiledCandidate& candidate, bool verbose) {
  return !candidate.compiler_log.empty() && (verbose || candidate.status == CheckStatus::compile_error);
}

std::string headline(const ProfiledCandidate& candidate, const Style& style, bool verbose) {
  const bool profiled = candidate.status == CheckStatus::clean;
  std::string text = fmt::format(
      "{}  {}{}\n", style(profiled ? Colour::green : Colour::red, profiled ? "profiled" : "not profiled"),
      style(Colour::bold, printable_line(candidate.path)), lines_text(candidate.lines));
  const bool is_in_log =
      shows_log(candidate, verbose) && repeats_log(candidate.message, candidate.compiler_log, verbose);
  if (!candidate.message.empty() && !is_in_log) text += fmt::format("  {}\n", printable(candidate.message));
  if (candidate.own_kernel_time_share && *candidate.own_kernel_time_share < 1)
    text += fmt::format("  {:.1f} % of the time of its kernels is in its own; the others: {}\n",
                        100 * *candidate.own_kernel_time_share,
                        printable_line(fmt::format("{}", fmt::join(candidate.other_kernels, ", "))));
  return text;
}

// The name of the candidate's file, or its path if the other candidate's file has the same name.
std::string column_name(const ProfiledCandidate& candidate,
                        const std::vector<const ProfiledCandidate*>& all) {
  const auto name_of = [](const ProfiledCandidate& one) {
    return std::filesystem::path(one.path).filename().string();
  };
  const auto same = std::count_if(all.begin(), all.end(), [&](const ProfiledCandidate* one) {
    return name_of(*one) == name_of(candidate);
  });
  return same > 1 ? candidate.path : name_of(candidate);
}

std::string difference_text(const std::vector<std::optional<double>>& values, const Style& style) {
  if (values.size() != 2 || !values[0] || !values[1]) return "";
  if (*values[0] == *values[1]) return "same";
  if (!(*values[0] > 0) || !(*values[1] > 0)) return style(Colour::yellow, "differs");
  const double ratio = *values[1] / *values[0];
  const std::string text = fmt::format("{:.3g}x", ratio);
  return std::max(ratio, 1 / ratio) >= noticeable ? style(Colour::yellow, text) : style(Colour::dim, text);
}

// The longest kernels beside each other, below sums over all kernels.
std::string comparison_text(const ProfileRecord& record, const Style& style) {
  std::vector<const ProfiledCandidate*> candidates;
  for (const ProfiledCandidate& candidate : record.candidates) {
    if (!candidate.kernels.empty()) candidates.push_back(&candidate);
  }
  if (candidates.size() < 2) return "";
  std::vector<std::string> header = {"beside each other"};
  std::vector<std::string> names = {"longest kernel"};
  std::vector<const KernelProfile*> kernels;
  for (const ProfiledCandidate* const candidate : candidates) {
    header.push_back(printable_line(column_name(*candidate, candidates)));
    kernels.push_back(by_time(*candidate).front());
    names.push_back(printable_line(kernels.back()->name));
  }
  const bool two = candidates.size() == 2;
  std::vector<bool> right(header.size(), true);
  right.front() = false;
  if (two) {
    header.emplace_back("second / first");
    right.push_back(true);
    names.emplace_back("");
  }
  TextTable table(header, right);
  const auto add = [&](const std::string& label, const FactKind& kind,
                       const std::vector<std::optional<double>>& values) {
    std::vector<std::string> row = {label};
    for (const auto& value : values) row.push_back(value_text(kind, value));
    if (two) row.push_back(difference_text(values, style));
    table.add(std::move(row));
  };
  const auto values_of = [&](const std::function<std::optional<double>(std::size_t)>& value) {
    std::vector<std::optional<double>> values;
    for (std::size_t i = 0; i < candidates.size(); ++i) values.push_back(value(i));
    return values;
  };
  const auto is_known = [](const std::optional<double>& value) { return value.has_value(); };
  add("kernels", {"", "", ""},
      values_of([&](std::size_t i) { return static_cast<double>(candidates[i]->kernels.size()); }));
  for (const FactKind& kind : fact_kinds()) {
    if (kind.combine != Combine::sum || kind.name == "time_share") continue;
    const auto totals = values_of([&](std::size_t i) {
      std::optional<double> total;
      for (const KernelProfile& kernel : candidates[i]->kernels) {
        if (const auto value = kernel.fact(kind.name)) total = total.value_or(0) + *value;
      }
      return total;
    });
    const auto idle = [&](const std::optional<double>& value) { return !value || *value == 0; };
    if (std::all_of(totals.begin(), totals.end(), idle)) continue;
    add(fmt::format("{}, all kernels", kind.label), kind, totals);
  }
  table.add(names);
  for (const FactKind& kind : fact_kinds()) {
    const auto values = values_of([&](std::size_t i) { return kernels[i]->fact(kind.name); });
    const auto idle = [&](const std::optional<double>& value) { return !value || is_idle(kind, value); };
    if (kind.combine == Combine::sum && kind.name != "time_share") continue;
    if (std::none_of(values.begin(), values.end(), is_known) ||
        std::all_of(values.begin(), values.end(), idle))
      continue;
    add(std::string(kind.label), kind, values);
  }
  return table.render(style);
}

}  // namespace

std::string render_table(const ProfileRecord& record, const Style& style, bool verbose) {
  const std::string tool =
      record.profiler_version.empty() ? record.profiler : record.profiler + " " + record.profiler_version;
  std::string text = fmt::format("{}  {}\n", problem_text(record),
                                 style(Colour::dim, fmt::format("case {}, {}", record.case_name, tool)));
  for (const ProfiledCandidate& candidate : record.candidates) {
    text += headline(candidate, style, verbose) + kernels_text(candidate, style, verbose);
    for (const std::string& note : candidate.notes)
      text += fmt::format("  {} {}\n", style(Colour::yellow, "note:"), printable(note));
    if (shows_log(candidate, verbose)) text += log_text(candidate.compiler_log, verbose);
  }
  text += comparison_text(record, style);
  if (record.lacks) {
    text +=
        fmt::format("{} {}\n", style(Colour::yellow, "without counters:"), printable(record.lacks->message));
    if (!record.lacks->remedy.empty()) text += fmt::format("  {}\n", printable(record.lacks->remedy));
  }
  return text + confinement_text(record.sandbox, style);
}

}  // namespace kgrade
