// The older pipeline class, which wraps cuda_pipeline_primitives.h.
#pragma once

#include "cuda_pipeline_primitives.h"

namespace nvcuda::experimental {

class pipeline {
 public:
  pipeline() = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  std::size_t commit() { return batch_++; }
  void commit_and_wait() { commit(); }
  void wait(std::size_t) {}
  template <unsigned int Prior>
  void wait_prior() {}

 private:
  std::size_t batch_ = 0;
};

template <class T>
void memcpy_async(T& destination, const T& source, pipeline&) {
  destination = source;
}

}  // namespace nvcuda::experimental
