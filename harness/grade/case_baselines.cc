#include "grade/case_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kgrade {

std::vector<BaselineChoice> CaseBaselines::choices() const {
  if (session_.baselines == nullptr) return {};
  std::vector<BaselineChoice> choices = session_.baselines->choices(case_.name);
  std::erase_if(choices, [this](const BaselineChoice& choice) { return left_out_.contains(choice.name); });
  auto best = choices.end();
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    if (choice->precision != precision_) continue;
    if (best == choices.end() || choice->median_ms < best->median_ms) best = choice;
  }
  if (best != choices.end()) std::rotate(choices.begin(), best, best + 1);
  return choices;
}

void CaseBaselines::choose(Precision precision) {
  precision_ = precision;
  chosen_.clear();
  for (const BaselineChoice& baseline : choices()) {
    if (session_.baselines->activate(baseline.name, process_)) {
      chosen_.push_back(baseline);
    } else {
      leave_out(baseline, "it does not start again");
    }
  }
}

bool CaseBaselines::activate(std::size_t number) {
  return session_.baselines->activate(chosen_.at(number).name, process_);
}

void CaseBaselines::make_room(std::size_t left, const Error& lack) {
  while (chosen_.size() > left) {
    leave_out(chosen_.back(), lack.message);
    chosen_.pop_back();
  }
  session_.contest.take_back();
}

void CaseBaselines::drop_failed(std::size_t number, const Error& error) {
  leave_out(chosen_.at(number), error.message);
  session_.baselines->retire(chosen_.at(number).name);
  session_.contest.take_back();
}

void CaseBaselines::leave_out(const BaselineChoice& baseline, const std::string& why) {
  left_out_.insert(baseline.name);
  std::string note = fmt::format("not compared with {}: {}", baseline.name, why);
  std::vector<std::string>& notes = record_.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

}  // namespace kgrade
