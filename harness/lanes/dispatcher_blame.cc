// Decides which job is blamed when a lane cannot go on, and which lane gets no work. The rules are in
// lanes/dispatcher.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "lanes/dispatcher.h"

namespace kgrade {
namespace {

constexpr int most_failures = 2;  // of a job

}  // namespace

void Dispatcher::batch_failed(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine) {
  const bool any_begun = lane.current() != nullptr;
  const bool is_single = lane.left() == 1;
  const bool is_refusal = lane.left() > 0 && !any_begun && exit_code != exit_usage;
  const bool blames = !is_refusal || refuse_batch(lane, why, exit_code, names_machine);
  const bool tries_again = now() >= lane.paused_until && !lane.warmth.is_set_aside(lane.batch.front().batch);
  for (std::size_t i = lane.batch.size(); i-- > 0;) {
    if (lane.is_done[i]) continue;
    lane.is_done[i] = true;
    QueuedJob job = lane.batch[i];
    if (any_begun ? lane.has_begun[i] : is_single && blames) {
      blame(lane, std::move(job), why, exit_code);
      continue;
    }
    if (is_refusal && is_single) job.avoided = lane.name;
    if (is_refusal && !tries_again) job.is_alone = failures_.contains(job.id);
    if (!any_begun && !is_single && tries_again) {
      job.is_alone = true;
      lane.made_alone.push_back(job.id);
    }
    give_back(std::move(job));
  }
  close_batch(lane);
}

bool Dispatcher::refuse_batch(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine) {
  const std::string problem = lane.batch.front().batch;
  const auto first = std::find(lane.is_done.begin(), lane.is_done.end(), false) - lane.is_done.begin();
  lane.warmth.refused(problem, lane.left() == 1 ? lane.batch[static_cast<std::size_t>(first)].id : "");
  lane.refused_at = now();
  const bool blames = std::exchange(lane.is_trusted, false) || !has_other(lane, problem);
  if (refuse(lane, problem, why, names_machine)) return false;
  if (!lane.warmth.is_set_aside(problem)) return blames;
  refused_problems_[problem] = {why, exit_code};
  let_join(lane);
  return false;
}

void Dispatcher::let_join(LaneSlot& lane) {
  for (const std::string& id : std::exchange(lane.made_alone, {})) {
    if (!failures_.contains(id)) queue_.join(id);
  }
}

void Dispatcher::end_refused_problems() {
  std::erase_if(refused_problems_, [this](const auto& problem) {
    const auto sets_aside = [&](const LaneSlot& lane) { return lane.warmth.is_set_aside(problem.first); };
    const auto takes = [&](const LaneSlot& lane) { return works(lane) && !sets_aside(lane); };
    if (std::none_of(lanes_.begin(), lanes_.end(), sets_aside)) return true;
    if (std::any_of(lanes_.begin(), lanes_.end(), takes)) return false;
    for (const QueuedJob& job : queue_.with_batch(problem.first)) {
      queue_.remove(job.id);
      client_.failed(job.id, "", problem.second.first, problem.second.second);
      ended(job.id);
    }
    for (LaneSlot& lane : lanes_) lane.warmth.forget_refusals(problem.first);
    return true;
  });
}

void Dispatcher::blame(LaneSlot& lane, QueuedJob job, const std::string& why, int exit_code) {
  if (++failures_[job.id] < most_failures && exit_code != exit_usage) {
    lane.blamed.push_back(job.id);
    job.is_alone = true;
    job.avoided = lane.name;
    return give_back(std::move(job));
  }
  client_.failed(job.id, lane.batch_id, why, exit_code);
  ended(job.id);
}

void Dispatcher::interrupt(LaneSlot& lane, bool alone) {
  stop_process(lane);
  for (std::size_t i = lane.batch.size(); i-- > 0;) {
    if (lane.is_done[i]) continue;
    QueuedJob job = lane.batch[i];
    job.is_alone = job.is_alone || alone;
    give_back(std::move(job));
  }
  close_batch(lane);
}

void Dispatcher::close_batch(LaneSlot& lane) {
  charge(lane, now());
  client_.batch_ended(lane.batch_id);
  lane.batch.clear();
  lane.is_done.clear();
  lane.has_begun.clear();
  lane.batch_id.clear();
  lane.doing.clear();
  lane.since = now();
}

bool Dispatcher::refuse(LaneSlot& lane, const std::string& problem, const std::string& why,
                        bool is_of_machine) {
  lane.is_trusted = false;
  lane.refusals += 1;
  lane.refused_problems.insert(problem);
  if (lane.refusals < most_refusals || (lane.refused_problems.size() == 1 && !is_of_machine)) return false;
  lane.refusals = 0;
  lane.refused_problems.clear();
  lane.pause_s = std::clamp(2 * lane.pause_s, 60.0, 3600.0);
  lane.paused_until = now() + lane.pause_s;
  lane.warmth.forget_refusals();
  for (const std::string& id : std::exchange(lane.blamed, {})) {
    const auto at = failures_.find(id);
    if (at != failures_.end() && --at->second == 0) failures_.erase(at);
  }
  let_join(lane);
  last_words_ = fmt::format("{}: {}", lane.device, why);
  options_.note(fmt::format("{} gets no work for {:g} s, since it refused {} times in a row: {}", lane.device,
                            lane.pause_s, most_refusals, printable_line(why.substr(0, 500))));
  return true;
}

}  // namespace kgrade
