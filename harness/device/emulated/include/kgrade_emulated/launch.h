// Kernel launches: the functions that the rewriter's output calls for kernel<<<...>>>(arguments)
// (harness/device/emulated/rewriter/launches.h). A launch runs the whole grid and returns when it is done.
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
  // The place is that of the launch.
  Configuration(dim3 grid_extent, dim3 block_extent = dim3(), std::size_t shared_bytes = 0,
                cudaStream_t on_stream = nullptr, const char* in_file = __builtin_FILE(),
                int at_line = __builtin_LINE())
      : grid(grid_extent),
        block(block_extent),
        dynamic_shared_bytes(shared_bytes),
        stream(on_stream),
        file(in_file),
        line(at_line) {}
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes;
  cudaStream_t stream;
  const char* file;
  int line;
};

// Threads of a block, by their indices: from the first up to, and without, the end.
struct ThreadRange {
  uint3 begin;
  dim3 end;
};

// A kernel with its arguments, as the scheduler sees it.
struct BoundKernel {
  const char* name;
  const void* function;  // the key for cudaFuncSetAttribute; null if unknown
  BlockMode mode;
  // Runs the current thread (cooperative) or some threads of the current block (independent).
  void (*run)(const void* arguments, const ThreadRange& threads);
  const void* arguments;
  std::size_t argument_bytes;  // the size of the arguments
};

// Runs the grid, or sets the last error if no GPU would accept the configuration.
void run_grid(const BoundKernel& kernel, const Configuration& configuration);

template <class Call, class... Arguments>
struct Binding {
  Call call;
  std::tuple<Arguments...> arguments;

  // flatten compiles the kernel into these functions, as an ordinary loop body.
  [[gnu::flatten]] static void run_thread(const void* opaque, const ThreadRange&) {
    const auto& self = *static_cast<const Binding*>(opaque);
    // A copy for each thread: kernels may change their parameters.
    std::tuple<Arguments...> own(self.arguments);
    std::apply(self.call, own);
  }

  [[gnu::flatten]] static void run_threads(const void* opaque, const ThreadRange& threads) {
    const auto& self = *static_cast<const Binding*>(opaque);
    // Copies in this frame cannot alias memory that the kernel writes.
    std::tuple<Arguments...> own(self.arguments);
    const Call call = self.call;
    const ThreadRange range = threads;
    for (unsigned int z = range.begin.z; z < range.end.z; ++z) {
      for (unsigned int y = range.begin.y; y < range.end.y; ++y) {
        for (unsigned int x = range.begin.x; x < range.end.x; ++x) {
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
  const Bound bound{call, std::tuple<Arguments...>(std::forward<Arguments>(arguments)...)};
  constexpr auto run = Mode == BlockMode::cooperative ? &Bound::run_thread : &Bound::run_threads;
  run_grid(BoundKernel{name, function, Mode, run, &bound, sizeof bound}, configuration);
}

// The parameter types of a kernel that can be named without its arguments.
template <class... P>
struct Parameters {
  using types = std::tuple<P...>;
  void (*function)(P...);
};
// An overloaded kernel, or a template whose parameters the arguments decide.
struct AnyParameters {};

template <class Tag, class... P>
Parameters<P...> parameters_of(Tag, void (*kernel)(P...)) {
  return {kernel};
}

// What a function below returns where the kernel cannot be named or called in that way.
struct Unknown {};

template <class Function, class... A>
constexpr bool knows() {
  if constexpr (std::is_invocable_v<const Function&, A...>) {
    return !std::is_same_v<std::invoke_result_t<const Function&, A...>, Unknown>;
  } else {
    return false;
  }
}

// Functions for the launch of a kernel, which is an expression with commas in it: one returns its Parameters,
// one calls it. Constants of the function that launches may be arguments of a kernel's template. In the
// declared return type of a function inside a lambda, GCC 13 does not take them for constants, so that GCC
// looks at the expression in the body. Clang knows `requires` in C++20 only.
#ifdef __clang__
#define KGRADE_EMULATED_PARAMETERS_OF(...)                                                    \
  [&](auto kgrade_tag) -> decltype(kgrade_emulated::parameters_of(kgrade_tag, __VA_ARGS__)) { \
    return kgrade_emulated::parameters_of(kgrade_tag, __VA_ARGS__);                           \
  }
#define KGRADE_EMULATED_CALL_OF(...) \
  [&](auto&... kgrade_p) -> decltype((void)__VA_ARGS__(kgrade_p...)) { __VA_ARGS__(kgrade_p...); }
#else
#define KGRADE_EMULATED_PARAMETERS_OF(...)                                               \
  [&](auto kgrade_tag) {                                                                 \
    if constexpr (requires { kgrade_emulated::parameters_of(kgrade_tag, __VA_ARGS__); }) \
      return kgrade_emulated::parameters_of(kgrade_tag, __VA_ARGS__);                    \
    else                                                                                 \
      return kgrade_emulated::Unknown();                                                 \
  }
#define KGRADE_EMULATED_CALL_OF(...)                      \
  [&](auto&... kgrade_p) {                                \
    if constexpr (requires { __VA_ARGS__(kgrade_p...); }) \
      (void)__VA_ARGS__(kgrade_p...);                     \
    else                                                  \
      return kgrade_emulated::Unknown();                  \
  }
#endif

// An integer argument that may be meant as a null pointer: 0 and NULL are plain integers once they have
// passed through a template.
template <class T>
struct IntegerOrNull {
  IntegerOrNull(T integer) : value(integer) {}
  T value;
  operator T() const { return value; }
  template <class Pointee>
  operator Pointee*() const {
    return nullptr;
  }
};

template <class T>
using Argument = std::conditional_t<std::is_integral_v<T>, IntegerOrNull<T>, T>;

template <class To, class From>
To converted(From&& from) {
  if constexpr (std::is_convertible_v<From, To>) {
    return static_cast<To>(std::forward<From>(from));
  } else {
    return Argument<std::decay_t<From>>(std::forward<From>(from));
  }
}

// Never defined, so that the compiler's error says which launch is wrong
// (harness/device/emulated/toolchain/host_compiler.h).
template <std::size_t Number, class From, class To>
struct launch_argument_mismatch;
template <std::size_t Arguments, std::size_t Parameters>
struct launch_count_mismatch;
template <class... Arguments>
struct launch_without_kernel;

// Literal zeros convert to pointers, but their type is that of other integers.
template <class From, class To>
constexpr bool never_converts =
    !std::is_convertible_v<From, To> && !(std::is_integral_v<std::decay_t<From>> && std::is_pointer_v<To>);

template <std::size_t Number, class From, class To>
constexpr bool check_argument() {
  if constexpr (never_converts<From, To>) {
    return sizeof(launch_argument_mismatch<Number, std::remove_reference_t<From>, To>) > 0;
  } else {
    return true;
  }
}

template <class... P>
struct Check {
  template <class... A>
  static constexpr bool never_takes() {
    if constexpr (sizeof...(A) == sizeof...(P)) {
      return (never_converts<A, P> || ...);
    } else {
      return sizeof...(A) > sizeof...(P);
    }
  }

  template <class... A, std::size_t... Index>
  static constexpr bool arguments(std::index_sequence<Index...>) {
    return (check_argument<Index + 1, A, P>() && ...);
  }
};

template <BlockMode Mode, class Signature, class Call>
class Launcher;

template <BlockMode Mode, class... P, class Call>
class Launcher<Mode, Parameters<P...>, Call> {
 public:
  Launcher(const Configuration& configuration, const char* name, Parameters<P...> parameters,
           const Call& call)
      : configuration_(configuration), name_(name), parameters_(parameters), call_(call) {}

  // Arguments convert to the parameters as in a call.
  void operator()(P... arguments) const { run<P...>(std::forward<P>(arguments)...); }

  // Fewer arguments: the kernel has default arguments.
  template <class... A, class = std::enable_if_t<(sizeof...(A) < sizeof...(P))>>
  void operator()(A&&... arguments) const {
    run_first(std::index_sequence_for<A...>(), std::forward<A>(arguments)...);
  }

  // Chosen for arguments that are always wrong, to report them.
  template <class... A, std::enable_if_t<Check<P...>::template never_takes<A...>(), int> = 0>
  void operator()(A&&...) const {
    if constexpr (sizeof...(A) == sizeof...(P)) {
      static_assert(Check<P...>::template arguments<A...>(std::index_sequence_for<A...>()), "");
    } else {
      static_assert(sizeof(launch_count_mismatch<sizeof...(A), sizeof...(P)>) > 0, "");
    }
  }

 private:
  template <class... Types>
  void run(Types... arguments) const {
    launch<Mode, Call, Types...>(configuration_, name_, reinterpret_cast<const void*>(parameters_.function),
                                 call_, std::forward<Types>(arguments)...);
  }

  template <std::size_t... Index, class... A>
  void run_first(std::index_sequence<Index...>, A&&... arguments) const {
    using Types = std::tuple<P...>;
    if constexpr (knows<Call, std::tuple_element_t<Index, Types>&...>()) {
      run<std::tuple_element_t<Index, Types>...>(
          converted<std::tuple_element_t<Index, Types>>(std::forward<A>(arguments))...);
    } else {
      static_assert(sizeof(launch_count_mismatch<sizeof...(A), sizeof...(P)>) > 0, "");
    }
  }

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
    if constexpr (knows<Call, std::decay_t<A>&...>()) {
      run<std::decay_t<A>...>(std::forward<A>(arguments)...);
    } else if constexpr (knows<Call, Argument<std::decay_t<A>>&...>()) {
      run<Argument<std::decay_t<A>>...>(std::forward<A>(arguments)...);
    } else {
      static_assert(sizeof(launch_without_kernel<std::decay_t<A>...>) > 0, "");
    }
  }

 private:
  template <class... Types>
  void run(Types... arguments) const {
    launch<Mode, Call, Types...>(configuration_, name_, nullptr, call_, std::move(arguments)...);
  }

  Configuration configuration_;
  const char* name_;
  const Call& call_;
};

// `find_parameters` returns Parameters<...> where it can be called; `call` calls the kernel with its
// arguments.
template <BlockMode Mode, class FindParameters, class Call>
auto launcher(const Configuration& configuration, const char* name,
              [[maybe_unused]] const FindParameters& find_parameters, const Call& call) {
  if constexpr (knows<FindParameters, int>()) {
    const auto parameters = find_parameters(0);
    using Found = std::remove_const_t<decltype(parameters)>;
    return Launcher<Mode, Found, Call>(configuration, name, parameters, call);
  } else {
    return Launcher<Mode, AnyParameters, Call>(configuration, name, AnyParameters{}, call);
  }
}

// A configuration and arguments without their kernel. A macro that holds <<<...>>> alone makes one, as in
// `kernel CONFIGURATION(grid, block)(arguments)`.
template <BlockMode Mode, class... A>
struct PendingLaunch {
  Configuration configuration;
  std::tuple<A...> arguments;
};

template <BlockMode Mode>
class KernellessLauncher {
 public:
  explicit KernellessLauncher(const Configuration& configuration) : configuration_(configuration) {}

  template <class... A>
  PendingLaunch<Mode, std::decay_t<A>...> operator()(A&&... arguments) const {
    return {configuration_, {std::forward<A>(arguments)...}};
  }

 private:
  Configuration configuration_;
};

template <class... P, BlockMode Mode, class... A>
void operator->*(void (*kernel)(P...), const PendingLaunch<Mode, A...>& pending) {
  const auto call = [kernel](P&... arguments) { kernel(arguments...); };
  const Launcher<Mode, Parameters<P...>, decltype(call)> launcher(pending.configuration, "kernel", {kernel},
                                                                  call);
  std::apply([&](const A&... arguments) { launcher(converted<P>(arguments)...); }, pending.arguments);
}

}  // namespace kgrade_emulated
