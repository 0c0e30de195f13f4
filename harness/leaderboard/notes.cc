#include "leaderboard/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace kgrade {
namespace {

using Slugs = std::set<std::string>;

std::size_t count_of(const std::vector<const Record*>& records, bool (*is_one)(const Record&)) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [&](const Record* record) { return is_one(*record); }));
}

bool is_quick(const Record& record) {
  const Score* const score = score_against(record, against_reference);
  return record.device.measures_speed && record.effort == Effort::quick && score != nullptr &&
         !score->speedup.interval;
}

bool is_emulated(const Record& record) { return record.device.kind == "emulated"; }

void add_unranked(const std::vector<const Record*>& records, std::vector<LeaderboardNote>& notes) {
  if (const std::size_t quick = count_of(records, is_quick); quick > 0) {
    notes.push_back(
        {fmt::format("{} of {} here {} --quick: no interval, no rank. Grade without --quick for "
                     "ranks.",
                     quick, counted(records.size(), "result"), quick == 1 ? "is" : "are")});
  }
  if (const std::size_t emulated = count_of(records, is_emulated); emulated > 0) {
    notes.push_back(
        {fmt::format("{} of {} here {} of the emulated device: a verdict and no rank, because its "
                     "times do not measure speed.",
                     emulated, counted(records.size(), "result"), emulated == 1 ? "is" : "are")});
  }
}

void add_libraries(const std::vector<const Record*>& records, std::vector<LeaderboardNote>& notes) {
  Slugs measured, compared;
  for (const Record* record : records) {
    if (record->candidate().headline() == nullptr) continue;
    measured.insert(record->problem_slug);
    if (is_beside_library(*record)) compared.insert(record->problem_slug);
  }
  if (compared.size() == measured.size()) return;
  const std::string what =
      compared.empty()
          ? "Nothing here was compared with a library: no baseline was measured. A speedup "
          : fmt::format("{} of {} {} compared with a library. Any other speedup ", compared.size(),
                        counted(measured.size(), "problem"), compared.size() == 1 ? "was" : "were");
  notes.push_back(
      {what +
       "is against the reference, a plain kernel that is easy to beat: it says nothing about libraries."});
}

void add_missing(const Leaderboard& leaderboard, const std::vector<const Record*>& records,
                 const std::vector<std::string>& catalogue, std::vector<LeaderboardNote>& notes) {
  Slugs all(catalogue.begin(), catalogue.end());
  std::map<std::string_view, Slugs> by_device;
  for (const Record* record : records) {
    all.insert(record->problem_slug);
    by_device[record->device.name].insert(record->problem_slug);
  }
  const auto is_gpu = [](const LeaderboardDevice& device) { return device.times_are_speed; };
  const bool has_gpu = std::any_of(leaderboard.devices.begin(), leaderboard.devices.end(), is_gpu);
  for (const LeaderboardDevice& device : leaderboard.devices) {
    if (has_gpu && !is_gpu(device)) continue;
    const Slugs& present = by_device[device.name];
    LeaderboardNote note;
    std::set_difference(all.begin(), all.end(), present.begin(), present.end(),
                        std::back_inserter(note.names));
    if (note.names.empty()) continue;
    note.text =
        fmt::format("{} of {} {} no result on {}{}", note.names.size(), counted(all.size(), "problem"),
                    note.names.size() == 1 ? "has" : "have", is_gpu(device) ? "" : "the ", device.name);
    notes.push_back(std::move(note));
  }
}

}  // namespace

bool is_beside_library(const Record& record) {
  return score_against(record, against_baseline) != nullptr ||
         (record.reference.is_pytorch() && score_against(record, against_reference) != nullptr);
}

std::vector<LeaderboardNote> notes_of(const Leaderboard& leaderboard,
                                      const std::vector<std::string>& catalogue) {
  const std::vector<const Record*> records = newest_records(leaderboard);
  std::vector<LeaderboardNote> notes;
  add_unranked(records, notes);
  add_libraries(records, notes);
  add_missing(leaderboard, records, catalogue, notes);
  return notes;
}

}  // namespace kgrade
