#include "grade/measured_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/statistics.h"
#include "draw/philox.h"
#include "draw/seed.h"
#include "measure/block_run.h"
#include "measure/intervals.h"
#include "measure/speedup.h"
#include "problem/problem.h"

namespace kgrade {
namespace {

// One of so many rounds is followed by a call on contents of which only a few elements are new.
constexpr std::uint32_t rounds_per_change = 8;
// How often the last contents are repeated after the samples.
constexpr int repetitions = 2;
// How many calls of the reference are made without queuing, for a candidate whose calls are not queued.
constexpr int unqueued_reference_calls = 5;
constexpr int long_unqueued_reference_calls = 3;
// Each process has contents of its own.
constexpr std::uint32_t draws_per_process = std::uint32_t{1} << 22;

// Random numbers apart from those of tensors; and where decisions begin in the sequence of a case, apart from
// each other and from those on changed contents.
constexpr std::uint32_t coin_position = 0x636f696e;
constexpr std::uint32_t first_launches_decision = 1u << 20;
constexpr std::uint32_t first_capture_decision = 1u << 21;

// Each tensor of a launch is lent by itself, and what is lent for a call is limited
// (device/cuda/cuda_device.cc).
int most_launches(const Case& bound) {
  constexpr std::size_t most_tensors = 64;
  static_assert(most_tensors <= max_parameters);
  const std::size_t tensors = std::max<std::size_t>(1, bound.tensors.size());
  return static_cast<int>(std::clamp<std::size_t>(most_tensors / tensors, 1, max_launches));
}

// All calls of a block are alike.
bool is_captured(const Block& block) { return block.samples.front().front().kind.captured; }

// What a candidate learns in one case or process, or before the blocks began anew, says nothing about the
// next.
std::uint64_t seed_of(const Session& session, const Case& bound, int process, std::uint32_t beginning) {
  const RandomStream stream = input_stream(session.seed, session.problem.slug, bound.name, 0, 0);
  const RandomStream coins{stream.key, stream.stream, static_cast<std::uint32_t>(process)};
  const PhiloxBlock random = random_block(coins, coin_position + beginning);
  return (std::uint64_t{random.word[0]} << 32) | random.word[1];
}

}  // namespace

MeasuredCase::MeasuredCase(Session& session, const Case& bound, CaseCalls& calls, int process,
                           std::optional<int> launches)
    : session_(session),
      case_(bound),
      calls_(calls),
      process_(process),
      given_launches_(launches),
      order_seed_(seed_of(session, bound, process, beginnings_)),
      draws_(session.seed, session.first_draw + static_cast<std::uint32_t>(process) * draws_per_process,
             order_seed_) {}

MeasuredCase::Trouble MeasuredCase::run() {
  if (auto trouble = warm_up()) return trouble;
  BlockWatch none;
  BlockWatch& watch = session_.watch != nullptr ? *session_.watch : none;
  BlockRun blocks;
  do {
    if (calls_.failed()) return std::nullopt;
    if (auto trouble = take_arms()) return trouble;
    if (calls_.failed()) return std::nullopt;
    blocks = run_blocks(plan(), *this, watch, session_.stages.clock());
  } while (begins_anew());
  if (!trouble_ && !calls_.failed()) trouble_ = call_reference_unqueued(blocks.blocks);
  keep(std::move(blocks));
  return trouble_;
}

// Where a baseline failed, so that all blocks that are kept have the same arms: once for each baseline at
// most. They go on with contents that nobody has seen, in an order and with captures that the blocks before
// do not tell.
bool MeasuredCase::begins_anew() {
  if (!std::exchange(lost_one_, false)) return false;
  order_seed_ = seed_of(session_, case_, process_, ++beginnings_);
  draws_.decide_anew(order_seed_);
  rounds_ = 0;
  return true;
}

BlockPlan MeasuredCase::plan() const {
  BlockPlan plan;
  plan.arms = arms();
  // The other baselines get the blocks that these need.
  for (std::size_t arm = 0; arm < (one_counts_ ? 2U : 1U); ++arm) plan.pairs.push_back({arms() - 1, arm});
  plan.goal = goal_of(session_);
  // Where times do not measure speed, one block shows that everything works.
  if (!session_.arena.measures_speed()) plan.goal.budget_seconds = 0;
  // Each half needs an interval of its own.
  if (captures_ == Captures::by_turns) {
    plan.goal.first_look = std::max(plan.goal.first_look, 2 * fewest_for_interval);
    plan.goal.fewest_blocks *= 2;
  }
  plan.offset_ms = session_.arena.device_info().process_offset_ms;
  plan.seed = order_seed_;
  return plan;
}

// Two rounds with one launch a call: the first one loads and allocates, the second one shows how long a
// launch takes. For long calls one round is enough. The reference goes first, since its time sets the
// candidate's limit.
MeasuredCase::Trouble MeasuredCase::warm_up() {
  session_.progress(case_.name + ": warming up");
  if (auto trouble = calls_.lend_buffers({Role::oracle, Role::reference, Role::candidate}, 1)) return trouble;
  for (int round = 0; round < 2 && !calls_.failed(); ++round) {
    if (auto trouble = calls_.draw(draws_.fresh())) return trouble;
    const auto reference = calls_.call_trusted(Role::reference, Purpose::warm_up);
    if (!reference) return reference.error();
    const auto candidate = calls_.call_candidate(Purpose::warm_up);
    if (candidate) fastest_ms_ = std::min(reference->reported_ms, candidate->reported_ms);
    if (fastest_ms_ > long_call_ms) break;
  }
  choose_captures();
  return std::nullopt;
}

// Without captures the outputs count as they are when the referee's clock stops, so that this clock attests
// more.
void MeasuredCase::choose_captures() {
  if (!session_.arena.measures_speed()) return;
  if (calls_.keeps_lines() && !session_.returns_outputs) {
    captures_ = Captures::never;
  } else if (calls_.captures_are_long()) {
    captures_ = Captures::by_turns;
  }
}

bool MeasuredCase::captures_now() const {
  const std::uint32_t block = rounds_ / 2;
  if (captures_ != Captures::by_turns) return captures_ == Captures::always;
  return block % 2 == draws_.number_below(2, first_capture_decision + block / 2);
}

Role MeasuredCase::role_of(std::size_t arm) const {
  if (arm == 0) return Role::reference;
  return arm + 1 == arms() ? Role::candidate : Role::baseline;
}

bool MeasuredCase::select(std::size_t arm) {
  return role_of(arm) != Role::baseline || session_.baselines->activate(baseline_of(arm).name, process_);
}

// The fastest of the candidate's own class first, then the others in their order.
std::vector<BaselineChoice> MeasuredCase::choose_baselines() const {
  if (session_.baselines == nullptr) return {};
  std::vector<BaselineChoice> choices = session_.baselines->choices(case_.name);
  std::erase_if(choices, [this](const BaselineChoice& choice) { return left_out_.contains(choice.name); });
  const Precision own = calls_.record().precision;
  auto best = choices.end();
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    if (choice->precision != own) continue;
    if (best == choices.end() || choice->median_ms < best->median_ms) best = choice;
  }
  if (best != choices.end()) std::rotate(choices.begin(), best, best + 1);
  return choices;
}

int MeasuredCase::choose_launches() const {
  if (given_launches_) return *given_launches_;
  const int most = most_launches(case_);
  if (session_.launches) return std::min(*session_.launches, most);
  return session_.arena.measures_speed() ? launches_per_sample(fastest_ms_, most) : 1;
}

void MeasuredCase::choose_arms() {
  class_ = calls_.record().precision;
  baselines_.clear();
  for (const BaselineChoice& baseline : choose_baselines()) {
    if (!session_.baselines->activate(baseline.name, process_)) {
      leave_out(baseline, "it does not start again");
      continue;
    }
    fastest_ms_ = std::min(fastest_ms_, baseline.median_ms);
    baselines_.push_back(baseline);
  }
  one_counts_ = !baselines_.empty() && baselines_.front().precision == class_;
}

MeasuredCase::Trouble MeasuredCase::take_arms() {
  choose_arms();
  launches_ = static_cast<std::uint32_t>(choose_launches());
  if (launches_ == 1 && baselines_.empty() && left_out_.empty()) return std::nullopt;
  if (auto trouble = lend_to_arms()) return trouble;
  return call_all(Purpose::warm_up);
}

// Baselines of one worker share its buffers.
MeasuredCase::Trouble MeasuredCase::lend_to_arms() {
  std::vector<Role> roles = {Role::oracle, Role::reference};
  std::vector<std::size_t> lent;  // arms
  for (std::size_t arm = 1; arm + 1 < arms(); ++arm) {
    const auto shares = [&](std::size_t other) {
      return baseline_of(other).worker == baseline_of(arm).worker;
    };
    if (std::any_of(lent.begin(), lent.end(), shares)) continue;
    lent.push_back(arm);
    roles.push_back(Role::baseline);
  }
  roles.push_back(Role::candidate);
  std::size_t next = 0;
  auto trouble = calls_.lend_buffers(roles, launches_, [&] { select(lent.at(next++)); });
  if (!trouble) return trouble;
  // No room for so many tensors: first one launch, then only the baseline that counts, then none; none of it
  // is a failure.
  if (std::exchange(launches_, 1) == 1) {
    if (baselines_.empty()) return trouble;
    make_room(one_counts_ && baselines_.size() > 1 ? 1 : 0, *trouble);
  }
  return lend_to_arms();
}

void MeasuredCase::make_room(std::size_t left, const Error& lack) {
  while (baselines_.size() > left) {
    leave_out(baselines_.back(), lack.message);
    baselines_.pop_back();
  }
  one_counts_ = one_counts_ && left > 0;
  session_.arena.take_back();
}

void MeasuredCase::leave_out(const BaselineChoice& baseline, const std::string& why) {
  left_out_.insert(baseline.name);
  std::string note = fmt::format("not compared with {}: {}", baseline.name, why);
  std::vector<std::string>& notes = calls_.record().notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

MeasuredCase::Trouble MeasuredCase::call_all(Purpose purpose) {
  if (auto trouble = calls_.draw(draws_.fresh(launches_))) {
    // It worked before there were baselines, which may have the memory that it needs.
    if (baselines_.empty()) return trouble;
    make_room(0, *trouble);
    return take_arms();
  }
  for (std::size_t arm = 0; arm < arms(); ++arm) {
    if (role_of(arm) == Role::candidate) {
      calls_.call_candidate(purpose);
      continue;
    }
    select(arm);
    const auto sample = calls_.call_trusted(role_of(arm), purpose);
    if (sample) continue;
    if (role_of(arm) == Role::reference) return sample.error();
    // It worked by itself, and there may be too little memory for it now.
    drop_failed(arm, sample.error());
    return take_arms();
  }
  return std::nullopt;
}

// The others may have shared its process: they are called in a new one.
void MeasuredCase::drop_failed(std::size_t arm, const Error& error) {
  leave_out(baseline_of(arm), error.message);
  session_.baselines->retire(baseline_of(arm).name);
  session_.arena.take_back();
}

std::optional<std::vector<Sample>> MeasuredCase::play_round(const std::vector<std::size_t>& order) {
  session_.progress(fmt::format("{}: block {}", case_.name, rounds_ / 2 + 1));
  trouble_ = calls_.draw(draws_.fresh(launches_));
  if (trouble_) return std::nullopt;
  const CallKind kind{true, captures_now()};
  std::vector<Sample> samples(order.size());
  for (const std::size_t arm : order) {
    if (role_of(arm) == Role::candidate) {
      const auto sample = calls_.call_candidate(Purpose::compared, kind);
      if (!sample) return std::nullopt;
      samples[arm] = *sample;
      continue;
    }
    select(arm);
    const auto sample = calls_.call_trusted(role_of(arm), Purpose::compared, kind);
    if (!sample) {
      if (role_of(arm) == Role::baseline) {
        drop_failed(arm, sample.error());
        lost_one_ = true;
      } else {
        trouble_ = sample.error();
      }
      return std::nullopt;
    }
    samples[arm] = *sample;
  }
  if (wants_change(rounds_++)) trouble_ = play_change();
  if (trouble_ || calls_.failed()) return std::nullopt;
  return samples;
}

bool MeasuredCase::wants_change(std::uint32_t round) const {
  const std::uint32_t group = round / rounds_per_change;
  // The first change comes early, for cases of two rounds.
  const std::uint32_t among = group == 0 ? 2 : rounds_per_change;
  return round % rounds_per_change == draws_.number_below(among, group);
}

// A call on contents of which only a few elements are new, with fewer launches than usual: a candidate that
// delays a launch's work until the next launch leaves it undone here.
MeasuredCase::Trouble MeasuredCase::play_change() {
  const std::uint32_t fewer = std::max(1u, launches_ - 1);
  const std::uint32_t launches = 1 + draws_.number_below(fewer, first_launches_decision + rounds_);
  if (auto trouble = calls_.draw(draws_.changed(launches))) return trouble;
  calls_.call_candidate(Purpose::changed);
  return std::nullopt;
}

MeasuredCase::Trouble MeasuredCase::probe() {
  if (fastest_ms_ > longest_probed_ms) return std::nullopt;
  const int repeated = fastest_ms_ > long_call_ms ? 1 : repetitions;
  for (int i = 0; i < repeated; ++i) calls_.call_candidate(Purpose::repeated);
  if (calls_.failed() || !session_.arena.measures_speed()) return std::nullopt;
  if (auto trouble = calls_.draw(draws_.fresh(launches_))) return trouble;
  calls_.call_candidate(Purpose::warm_up);
  return std::nullopt;
}

// The reference's samples are queued. Those of a candidate that waits for the device within its calls are
// not: the clock rule compares them with calls of the reference that are not queued either.
MeasuredCase::Trouble MeasuredCase::call_reference_unqueued(const std::vector<Block>& blocks) {
  if (!session_.arena.measures_speed() || blocks.empty()) return std::nullopt;
  std::size_t unqueued = 0;
  for (const Block& block : blocks) {
    for (const Sample& sample : block.samples.back()) unqueued += sample.kind.queued ? 0 : 1;
  }
  if (calls_per_outlier * unqueued < 2 * blocks.size()) return std::nullopt;
  const int calls = fastest_ms_ > long_call_ms ? long_unqueued_reference_calls : unqueued_reference_calls;
  for (const bool captures : {true, false}) {
    if (captures ? captures_ == Captures::never : captures_ == Captures::always) continue;
    for (int call = 0; call < calls; ++call) {
      if (auto trouble = calls_.draw(draws_.fresh(launches_))) return trouble;
      if (auto sample =
              calls_.call_trusted(Role::reference, Purpose::compared, {.ahead = false, .captures = captures});
          !sample)
        return sample.error();
    }
  }
  return std::nullopt;
}

// A worker that leaves out its capture gains time only where outputs are captured: the half with the lower
// speedup counts.
void MeasuredCase::keep_slower_half(std::vector<Block>& blocks) const {
  const std::size_t candidate = arms() - 1;
  std::vector<double> differences[2];
  for (const Block& block : blocks) {
    if (!block.voided.empty()) continue;
    const auto one = log_differences(std::span(&block, 1), 0, candidate);
    const bool captured = is_captured(block);
    differences[captured].insert(differences[captured].end(), one.begin(), one.end());
  }
  if (differences[false].empty() || differences[true].empty()) return;
  const bool captured_is_slower =
      ratio_within(differences[true]).ratio <= ratio_within(differences[false]).ratio;
  for (Block& block : blocks) {
    const bool captured = is_captured(block);
    if (captured != captured_is_slower && block.voided.empty()) {
      block.voided = captured ? "the speedup is lower where outputs are not captured"
                              : "the speedup is lower where outputs are captured";
    }
  }
}

void MeasuredCase::judge_clock(std::vector<Block>& blocks) {
  if (!session_.arena.measures_speed() || !is_on(Defence::clock_agreement) || blocks.empty()) return;
  const ClockRecord& clock = calls_.record().clock.emplace(calls_.clock().attest(blocks));
  if (captures_ == Captures::by_turns) keep_slower_half(blocks);
  if (!are_too_many_raised(clock)) return;
  calls_.note(
      {Verdict::unstable, "clock",
       fmt::format("by the referee's clock {} of {} calls of the candidate and {} of the reference took "
                   "longer than their workers report; grade again when nothing else uses the GPU and "
                   "the machine",
                   clock.raised_candidate, clock.samples, clock.raised_reference)});
}

void MeasuredCase::keep(BlockRun run) {
  CaseRecord& record = calls_.record();
  if (!record.measurement) {
    record.measurement =
        Measurement{session_.cache, goal_of(session_), session_.arena.device_info().process_offset_ms, {}};
    for (std::size_t arm = 1; arm + 1 < arms(); ++arm)
      record.arms.insert(record.arms.end() - 1, {baseline_of(arm).name, {}, {}, arm > 1 || !one_counts_});
  }
  judge_clock(run.blocks);
  look_at_precision();
  if (run.end == BlockEnd::disturbed)
    calls_.note({Verdict::unstable, "steady_clocks",
                 run.disturbance + "; let the GPU cool, or look at its power supply and cooling"});
  record.measurement->processes.push_back({static_cast<int>(launches_), std::move(run.blocks), run.end});
}

// Compared with the baseline of a better class the candidate would look slow, with that of a worse class
// fast.
void MeasuredCase::look_at_precision() {
  const Precision now = calls_.record().precision;
  if (!one_counts_ || now == class_) return;
  calls_.note(
      {Verdict::unstable, "precision",
       fmt::format("it began with {} precision and went on with {}", to_string(class_), to_string(now))});
}

}  // namespace kgrade
