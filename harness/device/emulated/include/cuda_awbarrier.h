// The older barrier class, which wraps cuda_awbarrier_primitives.h.
#pragma once

#include "cuda_awbarrier_primitives.h"

namespace nvcuda::experimental {

class awbarrier {
 public:
  class arrival_token {
    friend class awbarrier;
    __mbarrier_token_t token_ = 0;
  };

  friend void init(awbarrier* self, std::uint32_t expected) { __mbarrier_init(&self->barrier_, expected); }
  arrival_token arrive() {
    arrival_token result;
    result.token_ = __mbarrier_arrive(&barrier_);
    return result;
  }
  void wait(arrival_token token) { __mbarrier_test_wait(&barrier_, token.token_); }
  void arrive_and_wait() { wait(arrive()); }
  void arrive_and_drop() { __mbarrier_arrive_and_drop(&barrier_); }

 private:
  __mbarrier_t barrier_;
};

}  // namespace nvcuda::experimental
