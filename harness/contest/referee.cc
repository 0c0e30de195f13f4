#include "contest/referee.h"

#include "data/seed.h"

namespace kgrade {
namespace {

constexpr Patience lending_patience{60'000};

}  // namespace

Referee::Referee(Device& device, const Problem& problem, Seat& oracle, Seat& reference)
    : device_(device),
      problem_(problem),
      oracle_(oracle),
      reference_(reference),
      poison_key_(random_seed()) {}

void Referee::seat_candidate(std::unique_ptr<Seat> seat, std::filesystem::path library) {
  candidate_ = std::move(seat);
  candidate_library_ = std::move(library);
}

Seat& Referee::seat_of(Player player) {
  switch (player) {
    case Player::oracle:
      return oracle_;
    case Player::reference:
      return reference_;
    case Player::candidate:
      break;
  }
  return *candidate_;
}

Answer Referee::load_candidate(Patience worker_patience, Patience candidate_patience) {
  Answer answer = candidate_->await_ready(worker_patience);
  if (answer.ok()) answer = candidate_->load(candidate_library_, candidate_patience);
  return answer;
}

Result<Answer> Referee::sit(Player player, const Case& bound) {
  return seat_of(player).sit(bound, false, lending_patience);
}

void Referee::rise() {
  for (const Player player : {Player::oracle, Player::reference, Player::candidate}) seat_of(player).rise();
}

CallReport Referee::call(Player player, const Draw& draw, Patience patience) {
  return checked_call(seat_of(player), draw, patience);
}

CallReport Referee::checked_call(Seat& seat, const Draw& draw, Patience patience) {
  return seat.checked_call(draw, poison_key_, ++calls_, patience);
}

std::vector<OutputComparison> Referee::compare(Player player) {
  return compare_outputs(device_, seat_of(player).lease(), oracle_.lease());
}

std::uint64_t Referee::count_wrong(std::size_t output, double limit) {
  const auto actual = candidate_->lease().outputs().at(output);
  const auto expected = oracle_.lease().outputs().at(output);
  return device_.count_wrong(*actual.buffer, actual.begin, *expected.buffer, expected.begin,
                             static_cast<std::uint64_t>(actual.tensor->elements), limit);
}

std::uint64_t Referee::count_unwritten(std::size_t output) {
  return candidate_->lease().unwritten_elements(candidate_->lease().outputs().at(output));
}

Lease::Damage Referee::diagnose(const Case& bound, const Draw& draw, Patience patience) {
  auto seat = Seat::take(device_, problem_);
  if (!seat || !(*seat)->load(candidate_library_, patience).ok()) return {};
  const auto seated = (*seat)->sit(bound, true, lending_patience);
  if (!seated || !seated->ok()) return {};
  return checked_call(**seat, draw, patience).damage;
}

}  // namespace kgrade
