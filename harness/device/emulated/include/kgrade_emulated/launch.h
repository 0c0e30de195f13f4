// Kernel launches: the other half of what the rewriter makes of kernel<<<...>>>(arguments)
// (harness/build/emulated/launches.h). A launch runs the whole grid and returns when it is done.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kgrade_emulated/api_streams.h"
#include "kgrade_emulated/block.h"

namespace kgrade_emulated {

// How the threads of a block run: one after another, or so that they can wait for each other.
enum class BlockMode { independent, cooperative };

struct Configuration {
  Configuration(dim3 grid_extent, dim3 block_extent, std::size_t shared_bytes = 0,
                cudaStream_t on_stream = nullptr)
      : grid(grid_extent), block(block_extent), dynamic_shared_bytes(shared_bytes), stream(on_stream) {}
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes;
  cudaStream_t stream;
};

// A kernel with its arguments, as the scheduler sees it.
struct BoundKernel {
  const char* name;
  const void* function;  // what cudaFuncSetAttribute knows it by; null when it cannot be told
  BlockMode mode;
  // Runs the current thread (cooperative) or all threads of the current block (independent).
  void (*run)(const void* arguments);
  const void* arguments;
};

// Runs the grid, or sets the last error when the configuration is one that no GPU takes.
void run_grid(const BoundKernel& kernel, const Configuration& configuration);

template <class Call, class... Arguments>
struct Binding {
  const Call* call;
  std::tuple<Arguments...> arguments;

  // flatten: the kernel is compiled into these, as an ordinary loop body.
  [[gnu::flatten]] static void run_thread(const void* opaque) {
    const auto& self = *static_cast<const Binding*>(opaque);
    // A copy for each thread: kernels may change their parameters.
    std::tuple<Arguments...> own(self.arguments);
    std::apply(*self.call, own);
  }

  [[gnu::flatten]] static void run_block(const void* opaque) {
    const auto& self = *static_cast<const Binding*>(opaque);
    // What stays in this frame cannot alias what the kernel writes.
    std::tuple<Arguments...> own(self.arguments);
    const Call call = *self.call;
    const dim3 extent = blockDim;
    for (unsigned int z = 0; z < extent.z; ++z) {
      for (unsigned int y = 0; y < extent.y; ++y) {
        for (unsigned int x = 0; x < extent.x; ++x) {
          threadIdx = uint3{x, y, z};
          std::apply(call, own);
        }
      }
    }
  }
};

// Arguments are evaluated once, by the launch, and kept until every thread has run.
template <BlockMode Mode, class Call, class... Arguments>
void launch(const Configuration& configuration, const char* name, const void* function, const Call& call,
            Arguments... arguments) {
  using Bound = Binding<Call, Arguments...>;
  const Bound bound{&call, std::tuple<Arguments...>(std::move(arguments)...)};
  constexpr auto run = Mode == BlockMode::cooperative ? &Bound::run_thread : &Bound::run_block;
  run_grid(BoundKernel{name, function, Mode, run, &bound}, configuration);
}

// The parameter types of a kernel that can be named without its arguments.
template <class... P>
struct Parameters {
  void (*function)(P...);
};
// An overloaded kernel, or a template whose parameters the arguments decide.
struct AnyParameters {};

template <class Tag, class... P>
Parameters<P...> parameters_of(Tag, void (*kernel)(P...)) {
  return {kernel};
}

template <BlockMode Mode, class Signature, class Call>
class Launcher;

template <BlockMode Mode, class... P, class Call>
class Launcher<Mode, Parameters<P...>, Call> {
 public:
  Launcher(const Configuration& configuration, const char* name, Parameters<P...> parameters,
           const Call& call)
      : configuration_(configuration), name_(name), parameters_(parameters), call_(call) {}

  // Arguments convert to the parameters as in a call.
  void operator()(P... arguments) const {
    launch<Mode, Call, P...>(configuration_, name_, reinterpret_cast<const void*>(parameters_.function),
                             call_, std::move(arguments)...);
  }

  // Fewer arguments: the kernel has default ones.
  template <class... A>
  requires(sizeof...(A) < sizeof...(P)) void operator()(A&&... arguments) const {
    launch<Mode, Call, std::decay_t<A>...>(configuration_, name_,
                                           reinterpret_cast<const void*>(parameters_.function), call_,
                                           std::forward<A>(arguments)...);
  }

 private:
  Configuration configuration_;
  const char* name_;
  Parameters<P...> parameters_;
  const Call& call_;
};

template <BlockMode Mode, class Call>
class Launcher<Mode, AnyParameters, Call> {
 public:
  Launcher(const Configuration& configuration, const char* name, AnyParameters, const Call& call)
      : configuration_(configuration), name_(name), call_(call) {}

  template <class... A>
  void operator()(A&&... arguments) const {
    launch<Mode, Call, std::decay_t<A>...>(configuration_, name_, nullptr, call_,
                                           std::forward<A>(arguments)...);
  }

 private:
  Configuration configuration_;
  const char* name_;
  const Call& call_;
};

// `find_parameters` returns Parameters<...> or AnyParameters; `call` calls the kernel with its arguments.
template <BlockMode Mode, class FindParameters, class Call>
auto launcher(const Configuration& configuration, const char* name, const FindParameters& find_parameters,
              const Call& call) {
  const auto parameters = find_parameters(0);
  return Launcher<Mode, std::remove_const_t<decltype(parameters)>, Call>(configuration, name, parameters,
                                                                         call);
}

}  // namespace kgrade_emulated
