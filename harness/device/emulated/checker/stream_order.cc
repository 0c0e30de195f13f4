#include "device/emulated/checker/stream_order.h"

#include <algorithm>

namespace kgrade_emulated {

void StreamOrder::created(cudaStream_t stream, bool is_blocking) {
  streams_[stream] = {++last_id_, is_blocking, {}};
}

// The work of a destroyed stream continues.
void StreamOrder::destroyed(cudaStream_t stream) {
  const Stream* const known = find(stream);
  if (known == nullptr) return;
  if (known->is_blocking) merge(known->done, default_);
  streams_.erase(stream);
}

StreamOrder::Work StreamOrder::begins_work(cudaStream_t stream) {
  const auto known = streams_.find(stream);
  if (known == streams_.end() || known->second.is_blocking) return {};
  const std::uint64_t id = known->second.id;
  const std::uint64_t number = ++begun_[id];
  known->second.done[id] = number;
  return {id, number};
}

void StreamOrder::records(cudaEvent_t event, cudaStream_t stream) { events_[event] = done(stream); }

void StreamOrder::waits(cudaStream_t stream, cudaEvent_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  const auto known = streams_.find(stream);
  merge(found->second, known == streams_.end() ? default_ : known->second.done);
}

void StreamOrder::host_waits(cudaEvent_t event) {
  if (const auto found = events_.find(event); found != events_.end()) merge(found->second, host_);
}

void StreamOrder::host_waits_for_all() { merge(begun_, host_); }

bool StreamOrder::is_joined(const Work& work) const {
  if (work.stream == 0) return true;
  Progress all = host_;
  merge(done_by_default(), all);
  const auto found = all.find(work.stream);
  return found != all.end() && found->second >= work.number;
}

void StreamOrder::merge(const Progress& from, Progress& into) {
  for (const auto& [stream, number] : from) {
    std::uint64_t& known = into[stream];
    known = std::max(known, number);
  }
}

const StreamOrder::Stream* StreamOrder::find(cudaStream_t stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() ? &found->second : nullptr;
}

// Blocking streams and the default streams wait for each other.
StreamOrder::Progress StreamOrder::done(cudaStream_t stream) const {
  const Stream* const known = find(stream);
  return known != nullptr && !known->is_blocking ? known->done : done_by_default();
}

StreamOrder::Progress StreamOrder::done_by_default() const {
  Progress all = default_;
  for (const auto& [stream, known] : streams_) {
    if (known.is_blocking) merge(known.done, all);
  }
  return all;
}

}  // namespace kgrade_emulated
