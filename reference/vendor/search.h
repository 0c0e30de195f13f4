// Finds the fastest plan by running all of them, once for each shape, within a call.
//
// The plans run on the tensors of that call: inputs are only read, and the output is right in the end, since
// the fastest plan runs once more.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "vendor/device.h"
#include "vendor/kernels.h"
#include "vendor/plan.h"
#include "vendor/stopwatch.h"

namespace baseline {

struct SearchLimits {
  // Plans come in the order in which cuDNN expects them to be fast. After this time, those that have run must
  // do.
  std::chrono::milliseconds time{1200};
  // The limit for the workspace, and never more than half of the free memory.
  std::size_t workspace_bytes = std::size_t{8} << 30;
  // How far the output may be from that of a plain plan, as ||difference|| / ||output||. Fourier and Winograd
  // transforms are allowed in float32 (PyTorch uses them too), as long as they stay within a third of the
  // 1e-5 that separates fp32 from lower precision; TF32 itself is off by 3e-4.
  double difference = tf32_allowed ? 2e-3 : 3e-6;
};

// Values from all over a tensor, to compare it with another.
class Sampler {
 public:
  explicit Sampler(std::int64_t elements)
      : number_(std::min<std::int64_t>(elements, 1 << 16)), step_(odd(elements / number_)) {
    memory_.reserve(static_cast<std::size_t>(number_) * sizeof(float));
  }

  std::vector<float> of(const float* tensor) const {
    std::vector<float> samples(static_cast<std::size_t>(number_), NAN);
    if (memory_.data() == nullptr) return samples;
    sample(tensor, memory_.floats(), step_, number_);
    cudaMemcpy(samples.data(), memory_.data(), samples.size() * sizeof(float), cudaMemcpyDeviceToHost);
    return samples;
  }

 private:
  // An even step would see only some columns of most tensors. Rounded down, so that it stays within the
  // tensor.
  static std::int64_t odd(std::int64_t step) { return step % 2 == 0 ? step - 1 : step; }

  std::int64_t number_;
  std::int64_t step_;
  DeviceMemory memory_;
};

inline double relative_difference(const std::vector<float>& one, const std::vector<float>& other) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference += (double{one[i]} - other[i]) * (double{one[i]} - other[i]);
    norm += double{other[i]} * other[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

template <class Operands>
class Search {
 public:
  using Plan = PlanFor<Operands>;

  // `made` is the tensor of the operands that the plans write.
  Search(const Operands& operands, float* made, std::int64_t elements, const SearchLimits& limits = {})
      : operands_(operands),
        made_(made),
        made_bytes_(static_cast<std::size_t>(elements) * sizeof(float)),
        limits_(limits),
        sampler_(elements) {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    cudaMemGetInfo(&free_bytes, &all_bytes);
    limits_.workspace_bytes = std::min(limits_.workspace_bytes, free_bytes / 2);
  }

  // Null if none of them works.
  std::unique_ptr<Plan> fastest(const std::vector<PlanMakerFor<Operands>>& makers) {
    for (const auto& make : makers) {
      if (!entries_.empty() && elapsed() > limits_.time) break;
      consider(make());
    }
    cudaGetLastError();  // of plans that do not work
    remove_deviating();
    measure_best_again();
    report();
    if (entries_.empty()) return nullptr;
    return std::move(entries_.front().plan);
  }

 private:
  struct Entry {
    std::unique_ptr<Plan> plan;
    float milliseconds = 0;
    std::vector<float> samples;
    double found_after = 0;  // seconds
  };

  std::chrono::duration<double> elapsed() const { return std::chrono::steady_clock::now() - begin_; }

  void consider(std::unique_ptr<Plan> plan) {
    if (plan == nullptr || plan->workspace_bytes() > limits_.workspace_bytes) return;
    if (!workspace().reserve(plan->workspace_bytes())) return;
    // NaN, in case the plan leaves something out.
    cudaMemsetAsync(made_, 0xff, made_bytes_);
    const auto first = stopwatch_.time([&] { return run(*plan); });
    if (!first || is_hopeless(*first)) return;
    std::vector<float> samples = sampler_.of(made_);
    const auto again = stopwatch_.time([&] { return run(*plan); });
    if (!again) return;
    best_ = std::min(best_, *again);
    entries_.push_back({std::move(plan), *again, std::move(samples), elapsed().count()});
  }

  bool run(Plan& plan) { return plan.run(operands_, workspace().data()); }

  // The first run of a plan may load modules, but not for that long.
  bool is_hopeless(float first_milliseconds) const { return first_milliseconds > 500 + 10 * best_; }

  // The fastest plain plan is the yardstick. If there is none, the harness must judge.
  void remove_deviating() {
    sort();
    const auto plain = std::find_if(entries_.begin(), entries_.end(),
                                    [](const Entry& entry) { return entry.plan->is_plain(); });
    if (plain == entries_.end()) return;
    const std::vector<float> yardstick = plain->samples;
    const auto deviates = [&](const Entry& entry) {
      // Written so that NaN counts as a deviation.
      return !(relative_difference(entry.samples, yardstick) <= limits_.difference);
    };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), deviates), entries_.end());
  }

  // One after another, and for longer: the fastest of many single runs is often just luck.
  void measure_best_again() {
    constexpr std::size_t most_finalists = 4;
    constexpr float lucky = 1.15F;
    constexpr float enough_ms = 500;
    const auto is_behind = [this](const Entry& entry) {
      return entry.milliseconds > lucky * entries_.front().milliseconds;
    };
    const auto finalists = std::find_if(entries_.begin(), entries_.end(), is_behind) - entries_.begin();
    entries_.resize(std::min(static_cast<std::size_t>(finalists), most_finalists));
    // Long runs differ less, and many of them would take seconds.
    const float once_ms = best_ * static_cast<float>(std::max<std::size_t>(entries_.size(), 1));
    const int runs = static_cast<int>(std::clamp(enough_ms / once_ms, 1.0F, 7.0F));
    for (Entry& entry : entries_) {
      entry.milliseconds = stopwatch_.median([&] { return run(*entry.plan); }, runs).value_or(INFINITY);
    }
    sort();
  }

  void sort() {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& one, const Entry& other) { return one.milliseconds < other.milliseconds; });
  }

  void report() const {
#ifdef KGRADE_SEARCH_LOG
    for (const Entry& entry : entries_) {
      std::fprintf(stderr, "%10.4f ms %8.1f MiB  after %6.3f s  %s\n", entry.milliseconds,
                   static_cast<double>(entry.plan->workspace_bytes()) / (1 << 20), entry.found_after,
                   entry.plan->name().c_str());
    }
    std::fprintf(stderr, "the search took %.3f s\n", elapsed().count());
#endif
  }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Operands operands_;
  float* made_;
  std::size_t made_bytes_;
  SearchLimits limits_;
  Sampler sampler_;
  Stopwatch stopwatch_;
  std::vector<Entry> entries_;
  float best_ = INFINITY;
};

// The plan for each shape, from its first call on; null if there is none.
template <class Operands>
class Plans {
 public:
  using Key = std::vector<std::int64_t>;

  // `made`, of so many elements, is the tensor that the plans write, and `makers()` makes them.
  template <class Makers>
  PlanFor<Operands>* plan_for(const Key& key, const Operands& operands, float* made, std::int64_t elements,
                              const Makers& makers) {
    const auto [found, is_new] = plans_.try_emplace(key);
    auto& plan = found->second;
    if (!is_new) return plan.get();
    plan = Search(operands, made, elements).fastest(makers());
    if (plan != nullptr) needed_bytes_ = std::max(needed_bytes_, plan->workspace_bytes());
    // The search may have needed a larger workspace than the chosen plan.
    workspace().release();
    if (!workspace().reserve(needed_bytes_)) plan.reset();
    return plan.get();
  }

 private:
  std::map<Key, std::unique_ptr<PlanFor<Operands>>> plans_;
  std::size_t needed_bytes_ = 0;
};

}  // namespace baseline
