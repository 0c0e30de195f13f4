// The inputs that a problem's own file computes in its get_inputs(), or a reference in its `inputs`. The
// oracle's worker, which has loaded that, runs it under seeds of ours and writes what it gives into buffers
// of their own. What contestants are lent are copies of these: no contestant sees them, or a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "contest/worker_process.h"
#include "device/device.h"
#include "problem/case.h"

namespace kgrade {

class ContestantRunner;

class ComputedInputs {
 public:
  // `file` is the oracle's, whose worker has loaded it by the first hold(). Keeps references to all three.
  ComputedInputs(Device& device, const Problem& problem, ContestantRunner& file)
      : device_(device), problem_(problem), file_(file) {}

  // Null where no input of the problem is computed; those of the file's runner if it has them already.
  static std::shared_ptr<ComputedInputs> make(Device& device, const Problem& problem, ContestantRunner& file);

  // Room for a case and so many launches at least; what there is for cases of other sizes goes. An Error when
  // the device has none.
  std::optional<Errors> make_room(const Case& bound, std::uint32_t launches);
  // Makes sure that the contents for each launch are those of its seed and of the case's scalars. `bound` is
  // the case that there is room for. A fault is the file's, or the machine's, and says so in words.
  Answer hold(const Case& bound, const std::vector<std::uint64_t>& seeds);

  // What an input of a launch is a copy of, from byte 0 on, and how it is stored there.
  SharedBuffer& source(std::uint32_t launch, const Tensor& input) const;
  static Dtype source_dtype(const Tensor& input) { return input.own_dtype.value_or(Dtype::float32); }

  // Of all sources for one launch.
  static std::uint64_t bytes_needed(const Case& bound);

 private:
  struct Source {
    std::size_t parameter = 0;
    std::unique_ptr<SharedBuffer> buffer;
  };
  struct Launch {
    std::vector<Source> sources;
    // What the contents were computed from; nothing: there are none.
    std::optional<std::uint64_t> seed;
    CallSlots scalars;

    bool holds(std::uint64_t other, const CallSlots& others) const {
      return seed == other && scalars == others;
    }
  };

  bool is_for(const Case& bound) const;
  bool is_lent() const;
  Result<Launch> make_launch(const Case& bound);
  Answer lend(WorkerProcess& worker);
  Answer draw(WorkerProcess& worker, const CallSlots& scalars, const std::vector<std::uint64_t>& seeds);

  Device& device_;
  const Problem& problem_;
  ContestantRunner& file_;
  std::vector<Launch> launches_;
  // WorkerProcess::times_given_back() when they were lent; nothing: they are not.
  std::optional<std::uint64_t> lent_;
};

}  // namespace kgrade
