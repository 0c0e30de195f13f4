#include "device/emulated/runtime/meetings.h"

#include <bit>

#include "device/emulated/checker/checker.h"

namespace kgrade_emulated {
namespace {

constexpr unsigned int lanes = 32;

}  // namespace

void WarpMeetings::begin_block(unsigned int threads) {
  warps_.assign((threads + lanes - 1) / lanes, Warp{});
  const unsigned int in_last_warp = threads % lanes;
  if (in_last_warp != 0) warps_.back().gone = ~0u << in_last_warp;
}

WarpMeetings::Meeting& WarpMeetings::open_meeting(Warp& warp, Rendezvous wanted) {
  for (Meeting* meeting = warp.open; meeting != nullptr; meeting = meeting->next) {
    if (meeting->operation == wanted.operation && meeting->mask == wanted.mask &&
        meeting->site == wanted.site && meeting->open_ended == wanted.open_ended) {
      return *meeting;
    }
  }
  if (free_ == nullptr) {
    all_.push_back(std::make_unique<Meeting>());
    free_ = all_.back().get();
    if (const auto checker = active_checker()) checker->allow(free_, sizeof *free_);
  }
  Meeting& meeting = *free_;
  free_ = meeting.next;
  meeting.operation = wanted.operation;
  meeting.mask = wanted.mask;
  meeting.site = wanted.site;
  meeting.open_ended = wanted.open_ended;
  meeting.arrived = 0;
  meeting.next = warp.open;
  warp.open = &meeting;
  return meeting;
}

WarpMeetings::Arrival WarpMeetings::arrive(Fiber& fiber, Rendezvous wanted, unsigned long long value,
                                           FiberQueue& ready) {
  Warp& warp = warps_[fiber.number / lanes];
  const unsigned int lane = fiber.number % lanes;
  wanted.open_ended |= (wanted.mask >> lane & 1u) == 0;
  Meeting& meeting = open_meeting(warp, wanted);
  meeting.value[lane] = value;
  meeting.arrived |= 1u << lane;
  const bool complete = is_complete(warp, meeting);
  if (complete) {
    close(warp, meeting, ready);
  } else {
    meeting.waiting.push(fiber);
  }
  return {&meeting, complete};
}

void WarpMeetings::close(Warp& warp, Meeting& meeting, FiberQueue& ready) {
  Meeting** link = &warp.open;
  while (*link != &meeting) link = &(*link)->next;
  *link = meeting.next;
  // Only __syncwarp() orders accesses to memory (Programming Guide, "__syncwarp").
  const auto checker = active_checker();
  if (checker && meeting.operation == WarpOperation::synchronise) {
    checker->lanes_meet(static_cast<unsigned int>(&warp - warps_.data()), meeting.arrived);
  }
  meeting.readers = static_cast<unsigned int>(std::popcount(meeting.arrived));
  ready.take_all(meeting.waiting);
}

void WarpMeetings::leave(const WarpMeeting& meeting) {
  // The cast is safe, because open_meeting() made the object, as a Meeting that is not const.
  auto& own = static_cast<Meeting&>(const_cast<WarpMeeting&>(meeting));
  if (--own.readers > 0) return;
  own.next = free_;
  free_ = &own;
}

void WarpMeetings::close_complete(Warp& warp, FiberQueue& ready) {
  for (Meeting* meeting = warp.open; meeting != nullptr;) {
    Meeting* const next = meeting->next;
    if (is_complete(warp, *meeting)) close(warp, *meeting, ready);
    meeting = next;
  }
}

void WarpMeetings::release_converging(FiberQueue& ready) {
  for (Warp& warp : warps_) {
    for (Meeting* meeting = warp.open; meeting != nullptr;) {
      Meeting* const next = meeting->next;
      if (meeting->open_ended) close(warp, *meeting, ready);
      meeting = next;
    }
  }
}

unsigned int WarpMeetings::waiting_lanes() const {
  unsigned int count = 0;
  for (const Warp& warp : warps_) {
    for (const Meeting* meeting = warp.open; meeting != nullptr; meeting = meeting->next) {
      count += static_cast<unsigned int>(std::popcount(meeting->arrived));
    }
  }
  return count;
}

void Sleepers::sleep(Fiber& fiber, const void* key) {
  for (Place& place : places_) {
    if (place.key != key) continue;
    place.waiting.push(fiber);
    ++place.count;
    return;
  }
  places_.push_back({key, 1, {}});
  places_.back().waiting.push(fiber);
}

void Sleepers::wake(const void* key, FiberQueue& ready) {
  for (Place& place : places_) {
    if (place.key != key) continue;
    ready.take_all(place.waiting);
    place = places_.back();
    places_.pop_back();
    return;
  }
}

unsigned int Sleepers::count_at(const void* key) const {
  for (const Place& place : places_) {
    if (place.key == key) return place.count;
  }
  return 0;
}

unsigned int Sleepers::count() const {
  unsigned int result = 0;
  for (const Place& place : places_) result += place.count;
  return result;
}

}  // namespace kgrade_emulated
