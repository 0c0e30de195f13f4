#include "device/emulated/runtime/sleepers.h"

namespace kgrade_emulated {

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
