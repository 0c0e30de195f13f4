// Finds out which work in streams is certain to be done when the contestant returns. The caller then
// continues in the legacy default stream. That stream does not wait for a stream with cudaStreamNonBlocking,
// unless an event or a call of the host joined that stream (CUDA C++ Programming Guide, "Streams" and
// "Default Stream").
//
// Calls whose effect on the order is unknown here count as joining the work. So unjoined work may be missed,
// but no joined work is reported.
#pragma once

#include <cstdint>
#include <map>

#include "kgrade_emulated/api_streams.h"

namespace kgrade_emulated {

class StreamOrder {
 public:
  // A piece of work: its stream, and its number in that stream.
  struct Work {
    std::uint64_t stream = 0;
    std::uint64_t number = 0;
  };

  void created(cudaStream_t stream, bool is_blocking);
  void destroyed(cudaStream_t stream);
  // Returns the work. Its stream is 0 if the legacy default stream waits for it in any case.
  Work begins_work(cudaStream_t stream);
  void records(cudaEvent_t event, cudaStream_t stream);
  void waits(cudaStream_t stream, cudaEvent_t event);
  void forgets(cudaEvent_t event) { events_.erase(event); }
  // The host has waited, or has seen that the work is done.
  void host_waits(cudaStream_t stream) { merge(done(stream), host_); }
  void host_waits(cudaEvent_t event);
  void host_waits_for_all();
  // Whether the work is sure to be done when the legacy default stream has done its present work.
  bool is_joined(const Work& work) const;

 private:
  using Progress = std::map<std::uint64_t, std::uint64_t>;  // by stream: its work up to this number is done
  struct Stream {
    std::uint64_t id = 0;
    bool is_blocking = true;
    Progress done;  // what is done once the stream's present work is done
  };

  static void merge(const Progress& from, Progress& into);
  const Stream* find(cudaStream_t stream) const;
  Progress done(cudaStream_t stream) const;
  Progress done_by_default() const;

  std::map<cudaStream_t, Stream> streams_;  // without the default streams
  std::map<cudaEvent_t, Progress> events_;
  std::map<std::uint64_t, std::uint64_t> begun_;  // by stream, including destroyed streams
  Progress host_;
  Progress default_;  // of the default streams, and of blocking streams that were destroyed
  std::uint64_t last_id_ = 0;
};

}  // namespace kgrade_emulated
