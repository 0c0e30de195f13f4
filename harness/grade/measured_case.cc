#include "grade/measured_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/statistics.h"
#include "draw/philox.h"
#include "draw/seed.h"
#include "measure/block_run.h"
#include "measure/speedup.h"
#include "problem/problem.h"

namespace kgrade {
namespace {

// One of this many rounds is followed by a call on contents of which only a few elements are new.
constexpr std::uint32_t rounds_per_change = 8;
// How often the last contents are repeated after the samples.
constexpr int repetitions = 2;
// How many calls of the reference are made without queuing, for a candidate whose calls are not queued.
constexpr int unqueued_reference_calls = 5;
constexpr int long_unqueued_reference_calls = 3;
// Each process has contents of its own.
constexpr std::uint32_t draws_per_process = std::uint32_t{1} << 22;

// Random numbers apart from those of tensors. Decisions begin at these places in the sequence of a case,
// apart from each other and from decisions on changed contents.
constexpr std::uint32_t coin_position = 0x636f696e;
constexpr std::uint32_t first_launches_decision = 1u << 20;
constexpr std::uint32_t first_capture_decision = 1u << 21;

// Each tensor of a launch is lent as a buffer of its own, and the buffers of a call are limited
// (device/cuda/cuda_device.cc).
int most_launches(const Case& bound) {
  constexpr std::size_t most_tensors = 64;
  static_assert(most_tensors <= max_parameters);
  const std::size_t tensors = std::max<std::size_t>(1, bound.tensors.size());
  return static_cast<int>(std::clamp<std::size_t>(most_tensors / tensors, 1, max_launches));
}

// The seed of a case's order of calls. `beginning`: how often the blocks have begun anew. Each case, process
// and beginning has a seed of its own, so that a candidate cannot predict one order from another.
std::uint64_t seed_of(const Session& session, const Case& bound, int process, std::uint32_t beginning) {
  const RandomStream stream = input_stream(session.seed, session.problem.slug, bound.name, 0, 0);
  const RandomStream coins{stream.key, stream.stream, static_cast<std::uint32_t>(process)};
  const PhiloxBlock random = random_block(coins, coin_position + beginning);
  return (std::uint64_t{random.word[0]} << 32) | random.word[1];
}

DrawSequence draws_of_process(const Session& session, int process, std::uint64_t choices) {
  return DrawSequence(session.seed,
                      session.first_draw + static_cast<std::uint32_t>(process) * draws_per_process, choices);
}

}  // namespace

MeasuredCase::MeasuredCase(Session& session, const Case& bound, CaseCalls& trusted, int process,
                           std::optional<int> launches)
    : session_(session),
      case_(bound),
      trusted_(trusted),
      process_(process),
      given_launches_(launches),
      order_seed_(seed_of(session, bound, process, beginnings_)),
      baselines_(session, bound, process, trusted.record()) {
  trusted_.draws() = draws_of_process(session, process, order_seed_);
}

void MeasuredCase::add(Entrant& entrant) {
  entrant.calls.draws() =
      draws_of_process(entrant.session, process_, seed_of(entrant.session, case_, process_, 0));
  entrants_.push_back(&entrant);
}

MeasuredCase::Trouble MeasuredCase::run() {
  if (auto trouble = warm_up()) return trouble;
  std::vector<Entrant*> waiting = entrants_;
  std::erase_if(waiting, [](const Entrant* one) { return one->calls.failed(); });
  while (!waiting.empty()) {
    if (!alike_.empty()) decide_anew();
    const Entrant& first = *waiting.front();
    const auto others = std::stable_partition(waiting.begin(), waiting.end(), [&](const Entrant* one) {
      return one->captures == first.captures && one->launches == first.launches;
    });
    alike_.assign(waiting.begin(), others);
    waiting.erase(waiting.begin(), others);
    if (auto trouble = run_alike()) return trouble;
  }
  return std::nullopt;
}

MeasuredCase::Trouble MeasuredCase::run_alike() {
  launches_ = 1;  // buffers are for one launch
  captures_ = alike_.front()->captures;
  fastest_ms_ = (*std::min_element(alike_.begin(), alike_.end(), [](const Entrant* a, const Entrant* b) {
                  return a->fastest_ms < b->fastest_ms;
                }))->fastest_ms;
  BlockWatch none;
  BlockWatch& watch = session_.watch != nullptr ? *session_.watch : none;
  BlockRun blocks;
  for (;;) {
    if (all_failed()) return std::nullopt;
    if (auto trouble = take_arms()) return trouble;
    if (all_failed()) return std::nullopt;
    blocks = run_blocks(plan(), *this, watch, session_.stages.clock());
    // If a baseline failed, the blocks begin anew, so that all kept blocks have the same arms. This happens
    // at most once per baseline. Later blocks have contents that no contestant has seen.
    if (!std::exchange(lost_one_, false)) break;
    decide_anew();
  }
  if (!trouble_ && !all_failed()) trouble_ = call_reference_unqueued(blocks.blocks);
  for (std::size_t arm = arms() - alike_.size(); arm < arms(); ++arm)
    keep(entrant_of(arm), run_of(arm, blocks));
  for (Entrant* const entrant : alike_) {
    if (!trouble_) trouble_ = probe(*entrant);
  }
  return trouble_;
}

bool MeasuredCase::all_failed() const {
  return std::all_of(alike_.begin(), alike_.end(),
                     [](const Entrant* entrant) { return entrant->calls.failed(); });
}

// Draws an order and captures that the previous blocks do not reveal.
void MeasuredCase::decide_anew() {
  order_seed_ = seed_of(session_, case_, process_, ++beginnings_);
  trusted_.draws().decide_anew(order_seed_);
  rounds_ = 0;
}

BlockPlan MeasuredCase::plan() const {
  BlockPlan plan;
  plan.arms = arms();
  for (std::size_t arm = arms() - alike_.size(); arm < arms(); ++arm) {
    plan.pairs.push_back({arm, 0});
    // The other baselines get as many blocks as these pairs need.
    if (baselines_.first_counts()) plan.pairs.push_back({arm, 1});
  }
  plan.goal = goal_of(session_);
  plan.goal.budget_seconds *= static_cast<double>(alike_.size());
  // If times do not measure speed, one block shows that everything works.
  if (!session_.contest.measures_speed()) plan.goal.budget_seconds = 0;
  // Captured and uncaptured blocks each need an interval.
  if (captures_ == CaptureRule::by_turns) plan.goal.fewest_blocks *= 2;
  plan.offset_ms = session_.contest.device_info().process_offset_ms;
  plan.seed = order_seed_;
  return plan;
}

MeasuredCase::Trouble MeasuredCase::lend(const std::vector<Entrant*>& entrants,
                                         const std::vector<Role>& trusted,
                                         const std::function<void()>& select) {
  if (is_alone()) {
    std::vector<Role> all = trusted;
    all.push_back(Role::candidate);
    return trusted_.lend_buffers(all, launches_, select);
  }
  if (auto trouble = trusted_.lend_buffers(trusted, launches_, select)) return trouble;
  for (Entrant* const entrant : entrants) {
    if (auto trouble = entrant->calls.lend_buffers({Role::candidate}, launches_)) return trouble;
  }
  return std::nullopt;
}

MeasuredCase::Trouble MeasuredCase::draw_for(Entrant& entrant) {
  return is_alone() ? std::nullopt : entrant.calls.draw_fresh(launches_);
}

// Calls all arms in two rounds, with one launch per call. The first round loads and allocates, the second
// shows how long a launch takes. For long calls one round is enough. The reference goes first, since its time
// sets the candidate's limit.
MeasuredCase::Trouble MeasuredCase::warm_up() {
  session_.progress(case_.name + ": warming up");
  std::vector<Entrant*> cold = entrants_;
  if (auto trouble = lend(cold, {Role::oracle, Role::reference})) return trouble;
  std::erase_if(cold, [](const Entrant* entrant) { return entrant->calls.failed(); });
  for (int round = 0; round < 2 && !cold.empty(); ++round) {
    if (auto trouble = trusted_.draw_fresh()) return trouble;
    const auto reference = trusted_.call_trusted(Role::reference, Purpose::warm_up);
    if (!reference) return reference.error();
    for (Entrant* const entrant : cold) {
      if (auto trouble = draw_for(*entrant)) return trouble;
      const auto candidate = entrant->calls.call_candidate(Purpose::warm_up);
      if (candidate) entrant->fastest_ms = std::min(reference->reported_ms, candidate->reported_ms);
    }
    std::erase_if(cold, [](const Entrant* entrant) {
      return entrant->calls.failed() || entrant->fastest_ms > long_call_ms;
    });
  }
  for (Entrant* const entrant : entrants_) {
    // Without captures, the outputs are compared as they are when the referee's clock stops, so this clock
    // attests more.
    const bool keeps_lines = entrant->calls.keeps_lines() && !entrant->session.returns_outputs;
    entrant->captures = !session_.contest.measures_speed()   ? CaptureRule::always
                        : keeps_lines                        ? CaptureRule::never
                        : entrant->calls.captures_are_long() ? CaptureRule::by_turns
                                                             : CaptureRule::always;
    entrant->launches = choose_launches(entrant->fastest_ms);
  }
  return std::nullopt;
}

Role MeasuredCase::role_of(std::size_t arm) const {
  if (arm == 0) return Role::reference;
  return arm > baselines_.chosen().size() ? Role::candidate : Role::baseline;
}

bool MeasuredCase::plays(std::size_t arm) const {
  return role_of(arm) != Role::candidate || !entrant_of(arm).calls.failed();
}

bool MeasuredCase::select(std::size_t arm) {
  return role_of(arm) != Role::baseline || baselines_.activate(arm - 1);
}

int MeasuredCase::choose_launches(double fastest_ms) const {
  if (given_launches_) return *given_launches_;
  const int most = most_launches(case_);
  if (session_.launches) return std::min(*session_.launches, most);
  return session_.contest.measures_speed() ? launches_per_sample(fastest_ms, most) : 1;
}

MeasuredCase::Trouble MeasuredCase::take_arms() {
  baselines_.choose(alike_.front()->calls.record().precision);
  for (const BaselineChoice& baseline : baselines_.chosen())
    fastest_ms_ = std::min(fastest_ms_, baseline.median_ms);
  const std::uint32_t lent = launches_;
  launches_ = static_cast<std::uint32_t>(choose_launches(fastest_ms_));
  if (launches_ == lent && baselines_.chosen().empty() && !baselines_.any_left_out()) return std::nullopt;
  if (auto trouble = lend_to_arms()) return trouble;
  return call_all(Purpose::warm_up);
}

// Baselines of one worker share its buffers.
MeasuredCase::Trouble MeasuredCase::lend_to_arms() {
  std::vector<Role> roles = {Role::oracle, Role::reference};
  std::vector<std::size_t> lent;  // arms
  for (std::size_t arm = 1; role_of(arm) == Role::baseline; ++arm) {
    const auto shares = [&](std::size_t other) {
      return baseline_of(other).worker == baseline_of(arm).worker;
    };
    if (std::any_of(lent.begin(), lent.end(), shares)) continue;
    lent.push_back(arm);
    roles.push_back(Role::baseline);
  }
  std::size_t next = 0;
  auto trouble = lend(alike_, roles, [&] { select(lent.at(next++)); });
  if (!trouble) return trouble;
  // If the tensors of all arms and launches have no room, try one launch per call, then only the baseline
  // that counts, then no baseline. None of these is a failure.
  if (std::exchange(launches_, 1) == 1) {
    if (baselines_.chosen().empty()) return trouble;
    const bool one_is_enough = baselines_.first_counts() && baselines_.chosen().size() > 1;
    baselines_.make_room(one_is_enough ? 1 : 0, *trouble);
  }
  return lend_to_arms();
}

MeasuredCase::Trouble MeasuredCase::call_all(Purpose purpose) {
  if (auto trouble = trusted_.draw_fresh(launches_)) {
    // The memory sufficed before there were baselines, so baselines may hold it now.
    if (baselines_.chosen().empty()) return trouble;
    baselines_.make_room(0, *trouble);
    return take_arms();
  }
  for (std::size_t arm = 0; arm < arms(); ++arm) {
    if (role_of(arm) == Role::candidate) {
      if (!plays(arm)) continue;
      if (auto trouble = draw_for(entrant_of(arm))) return trouble;
      entrant_of(arm).calls.call_candidate(purpose);
      continue;
    }
    select(arm);
    const auto sample = trusted_.call_trusted(role_of(arm), purpose);
    if (sample) continue;
    if (role_of(arm) == Role::reference) return sample.error();
    // The baseline worked alone, and may lack memory now.
    baselines_.drop_failed(arm - 1, sample.error());
    return take_arms();
  }
  return std::nullopt;
}

std::optional<std::vector<Sample>> MeasuredCase::play_round(const std::vector<std::size_t>& order) {
  const std::uint32_t block = rounds_ / 2;
  session_.progress(fmt::format("{}: block {}", case_.name, block + 1));
  const bool captures =
      captures_ == CaptureRule::by_turns
          ? block % 2 == trusted_.draws().number_below(2, first_capture_decision + block / 2)
          : captures_ == CaptureRule::always;
  const CallKind kind{true, captures};
  std::vector<Sample> samples(order.size());
  if (is_alone()) trouble_ = trusted_.draw_fresh(launches_);
  for (const std::size_t arm : order) {
    if (trouble_) return std::nullopt;
    if (!plays(arm)) continue;
    if (role_of(arm) == Role::candidate) {
      Entrant& entrant = entrant_of(arm);
      if ((trouble_ = draw_for(entrant))) return std::nullopt;
      if (const auto sample = entrant.calls.call_candidate(Purpose::compared, kind)) {
        samples[arm] = *sample;
        continue;
      }
      entrant.blocks = block;
      if (all_failed()) return std::nullopt;
      continue;
    }
    if (!is_alone() && (trouble_ = trusted_.draw_fresh(launches_))) return std::nullopt;
    select(arm);
    const auto sample = trusted_.call_trusted(role_of(arm), Purpose::compared, kind);
    if (!sample) {
      if (role_of(arm) == Role::baseline) {
        baselines_.drop_failed(arm - 1, sample.error());
        lost_one_ = true;
      } else {
        trouble_ = sample.error();
      }
      return std::nullopt;
    }
    samples[arm] = *sample;
  }
  // One round of each group is followed by changes. The first of them come early, for cases of two rounds.
  const std::uint32_t round = rounds_++;
  const std::uint32_t group = round / rounds_per_change;
  const std::uint32_t among = group == 0 ? 2 : rounds_per_change;
  if (round % rounds_per_change == trusted_.draws().number_below(among, group)) trouble_ = play_changes();
  if (trouble_ || all_failed()) return std::nullopt;
  return samples;
}

// Calls on contents of which only a few elements are new, with fewer launches than usual. A candidate that
// delays a launch's work until the next launch leaves it undone here.
MeasuredCase::Trouble MeasuredCase::play_changes() {
  const std::uint32_t fewer = std::max(1u, launches_ - 1);
  const std::uint32_t launches = 1 + trusted_.draws().number_below(fewer, first_launches_decision + rounds_);
  for (Entrant* const entrant : alike_) {
    if (entrant->calls.failed()) continue;
    if (auto trouble = entrant->calls.draw_changed(launches)) return trouble;
    entrant->calls.call_candidate(Purpose::changed);
    if (entrant->calls.failed()) entrant->blocks = (rounds_ - 1) / 2;
  }
  return std::nullopt;
}

MeasuredCase::Trouble MeasuredCase::probe(Entrant& entrant) {
  CaseCalls& calls = entrant.calls;
  if (calls.failed() || entrant.fastest_ms > longest_probed_ms) return std::nullopt;
  // The oracle has answered other contents since.
  if (!is_alone()) {
    if (auto trouble = calls.draw_again()) return trouble;
  }
  const int repeated = entrant.fastest_ms > long_call_ms ? 1 : repetitions;
  calls.repeat_candidate(repeated);
  if (calls.failed() || !session_.contest.measures_speed()) return std::nullopt;
  if (auto trouble = calls.draw_fresh(launches_)) return trouble;
  calls.call_candidate(Purpose::warm_up);
  return std::nullopt;
}

// Samples of the reference are queued. Samples of a candidate that waits for the device within its calls are
// not, so the clock rule compares them with unqueued calls of the reference.
MeasuredCase::Trouble MeasuredCase::call_reference_unqueued(const std::vector<Block>& blocks) {
  if (!session_.contest.measures_speed()) return std::nullopt;
  bool any = false;
  for (std::size_t arm = arms() - alike_.size(); arm < arms(); ++arm) {
    const std::size_t played = std::min(blocks.size(), entrant_of(arm).blocks);
    std::size_t unqueued = 0;
    for (std::size_t i = 0; i < played; ++i) {
      for (const Sample& sample : blocks[i].samples[arm]) unqueued += sample.kind.queued ? 0 : 1;
    }
    any = any || (played > 0 && calls_per_outlier * unqueued >= 2 * played);
  }
  if (!any) return std::nullopt;
  const int calls = fastest_ms_ > long_call_ms ? long_unqueued_reference_calls : unqueued_reference_calls;
  for (const bool captures : {true, false}) {
    if (captures ? captures_ == CaptureRule::never : captures_ == CaptureRule::always) continue;
    for (int call = 0; call < calls; ++call) {
      if (auto trouble = trusted_.draw_fresh(launches_)) return trouble;
      if (auto sample = trusted_.call_trusted(Role::reference, Purpose::compared,
                                              {.ahead = false, .captures = captures});
          !sample)
        return sample.error();
    }
  }
  return std::nullopt;
}

void MeasuredCase::judge_clock(Entrant& entrant, std::vector<Block>& blocks) {
  if (!session_.contest.measures_speed() || !is_on(Defence::clock_agreement) || blocks.empty()) return;
  const ClockRecord& clock = entrant.calls.record().clock.emplace(entrant.calls.clock().attest(blocks));
  if (captures_ == CaptureRule::by_turns) keep_slower_half(blocks);
  if (!are_too_many_raised(clock)) return;
  entrant.calls.note(
      {Verdict::unstable, "clock",
       fmt::format("by the referee's clock {} of {} calls of the candidate and {} of the reference took "
                   "longer than their workers report; grade again when nothing else uses the GPU and "
                   "the machine",
                   clock.raised_candidate, clock.samples, clock.raised_reference)});
}

BlockRun MeasuredCase::run_of(std::size_t arm, const BlockRun& run) const {
  if (is_alone()) return run;
  const bool has_left = entrant_of(arm).calls.failed();
  BlockRun own{{}, has_left ? BlockEnd::broken_off : run.end, has_left ? "" : run.disturbance};
  for (const Block& block : run.blocks) {
    if (own.blocks.size() == entrant_of(arm).blocks) break;
    Block one;
    one.samples = {block.samples.front(), block.samples[arm]};
    for (const std::size_t next : block.order) {
      if (next == 0 || next == arm) one.order.push_back(next == 0 ? 0 : 1);
    }
    one.voided = block.voided;
    own.blocks.push_back(std::move(one));
  }
  return own;
}

void MeasuredCase::keep(Entrant& entrant, BlockRun run) {
  CaseRecord& record = entrant.calls.record();
  if (!record.measurement) {
    record.measurement =
        Measurement{session_.cache, goal_of(session_), session_.contest.device_info().process_offset_ms, {}};
    for (std::size_t arm = 1; arm <= baselines_.chosen().size(); ++arm)
      record.arms.insert(record.arms.end() - 1,
                         {baseline_of(arm).name, {}, {}, arm > 1 || !baselines_.first_counts()});
  }
  judge_clock(entrant, run.blocks);
  // A candidate whose class changed is unstable: it would look slow beside a baseline of a better class, and
  // fast beside one of a worse class.
  const Precision began = baselines_.precision();
  if (baselines_.first_counts() && record.precision != began)
    entrant.calls.note({Verdict::unstable, "precision",
                        fmt::format("it began with {} precision and went on with {}", to_string(began),
                                    to_string(record.precision))});
  if (run.end == BlockEnd::disturbed)
    entrant.calls.note({Verdict::unstable, "steady_clocks",
                        run.disturbance + "; let the GPU cool, or look at its power supply and cooling"});
  record.measurement->processes.push_back(
      {static_cast<int>(launches_), std::move(run.blocks), run.end, beginnings_});
}

}  // namespace kgrade
