// The inputs that a problem's own file computes in get_inputs(), or a reference in its `inputs`. The oracle's
// worker has loaded that file. It computes the inputs under our seeds, and writes them into separate buffers.
// Contestants are lent copies, so no contestant sees these buffers or a seed.
//
// Only the file knows what these inputs guarantee, such as that offsets ascend. So the harness never changes
// their elements. To perturb them it asks the file: the reference's `perturbed` changes them if it has one,
// and otherwise they are computed anew under another seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "contest/call_contents.h"
#include "contest/worker_process.h"
#include "device/device.h"
#include "problem/case.h"

namespace kgrade {

class ContestantRunner;

class ComputedInputs {
 public:
  // `file` is the oracle's runner. Its worker must have loaded the file before the first hold(). Keeps
  // references to all three.
  ComputedInputs(Device& device, const Problem& problem, ContestantRunner& file)
      : device_(device), problem_(problem), file_(file) {}

  // Null if no input of the problem is computed. If the file's runner has computed inputs already, returns
  // those.
  static std::shared_ptr<ComputedInputs> make(Device& device, const Problem& problem, ContestantRunner& file);

  // Makes room for a case and at least `launches` launches, and frees buffers that do not fit the case. An
  // Error when the device has no room.
  std::optional<Errors> make_room(const Case& bound, std::uint32_t launches);
  // Makes sure that the contents for each launch are computed from its seeds and the case's scalars. `bound`
  // must be the case given to make_room(). A fault is the file's or the machine's, with a description.
  Answer hold(const Case& bound, const std::vector<ComputedSeeds>& seeds);

  // The buffer that an input of a launch is copied from, from byte 0 on, and its element type.
  SharedBuffer& source(std::uint32_t launch, const Tensor& input) const;
  static Dtype source_dtype(const Tensor& input) { return input.own_dtype.value_or(Dtype::float32); }

  // Bytes of all sources for one launch.
  static std::uint64_t bytes_needed(const Case& bound);

 private:
  struct Source {
    std::size_t parameter = 0;
    std::unique_ptr<SharedBuffer> buffer;
  };
  struct Launch {
    std::vector<Source> sources;
    // The contents were computed from these seeds and scalars. Without seeds, there are no contents.
    std::optional<ComputedSeeds> seeds;
    CallSlots scalars;

    bool holds(const ComputedSeeds& other, const CallSlots& others) const {
      return seeds == other && scalars == others;
    }
  };

  bool is_for(const Case& bound) const;
  bool is_lent() const;
  Result<Launch> make_launch(const Case& bound);
  Answer lend(WorkerProcess& worker);
  Answer draw(WorkerProcess& worker, const CallSlots& scalars, const std::vector<ComputedSeeds>& seeds);

  Device& device_;
  const Problem& problem_;
  ContestantRunner& file_;
  std::vector<Launch> launches_;
  // WorkerProcess::times_given_back() when the buffers were lent; empty if they are not lent.
  std::optional<std::uint64_t> lent_;
};

}  // namespace kgrade
