// cheat: a host thread looks for the inputs of the next call and computes the answer before the call
// row: 14
// caught-by: idle
// device: emulated
// control: host_threads
//
// Inputs are in place a moment before the call is made. Wherever a tensor is in its buffer, it is surrounded
// by poison, with certain bits set in every word. The call verifies that the answer belongs to its own
// inputs.
#include <string.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "depthwise.cuh"
#include "readable.cuh"

// The part of a buffer in which a tensor may be.
class Surroundings {
 public:
  // The tensor's values, if it is complete.
  bool find(CarefulReader& reader, const float* last_seen, size_t count, std::vector<float>& values) {
    constexpr size_t room = (64 << 10) / sizeof(unsigned);
    constexpr size_t page = 1024;
    const size_t first = ((size_t)last_seen / 4096) * 4096 - room * sizeof(unsigned);
    words_.assign((2 * room + count + 2 * page) / page * page, poison);
    for (size_t i = 0; i < words_.size(); i += page) {
      reader.read(words_.data() + i, (const void*)(first + i * sizeof(unsigned)), page * sizeof(unsigned));
    }
    for (size_t begin = 64; begin + count < words_.size(); begin += 64) {
      if (is_poison(words_[begin]) || !is_poison(words_[begin - 1])) continue;
      if (is_poison(words_[begin + count - 1]) || !is_poison(words_[begin + count])) continue;
      values.resize(count);
      ::memcpy(values.data(), words_.data() + begin, count * sizeof(float));
      return true;
    }
    return false;
  }

 private:
  static constexpr unsigned poison = 0x60006000u;
  static bool is_poison(unsigned word) { return (word & poison) == poison; }
  std::vector<unsigned> words_;
};

class Foreseer {
 public:
  void watch(const Depthwise& call) {
    const std::lock_guard lock(mutex_);
    next_ = call;
    if (!started_) std::thread([this] { foresee(); }).detach();
    started_ = true;
  }

  bool has_answer(const Depthwise& call) {
    const std::lock_guard lock(mutex_);
    if (output_.size() != call.outputs() || !same_sizes(call, answered_)) return false;
    if (!holds(call.input, input_) || !holds(call.kernel, kernel_)) return false;
    cudaMemcpy(call.output, output_.data(), output_.size() * sizeof(float), cudaMemcpyHostToDevice);
    return true;
  }

 private:
  static bool holds(const float* buffer, const std::vector<float>& values) {
    std::vector<float> there(values.size());
    cudaMemcpy(there.data(), buffer, there.size() * sizeof(float), cudaMemcpyDeviceToHost);
    return there == values;
  }

  void foresee() {
    for (;; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
      const std::lock_guard lock(mutex_);
      answer();
    }
  }

  void answer() {
    std::vector<float> input, kernel;
    if (!surroundings_.find(reader_, next_.input, next_.inputs(), input)) return;
    if (!surroundings_.find(reader_, next_.kernel, next_.weights(), kernel)) return;
    if (input == input_ && kernel == kernel_) return;
    input_ = input;
    kernel_ = kernel;
    output_.resize(next_.outputs());
    answered_ = next_;
    answered_.input = input_.data();
    answered_.kernel = kernel_.data();
    answered_.output = output_.data();
    compute_on_host(answered_);
  }

  std::mutex mutex_;
  bool started_ = false;
  Depthwise next_{};
  Depthwise answered_{};
  CarefulReader reader_;
  Surroundings surroundings_;
  std::vector<float> input_, kernel_, output_;
};

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Foreseer* const foreseer = new Foreseer;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (!foreseer->has_answer(call)) compute(call);
  foreseer->watch(call);
}
