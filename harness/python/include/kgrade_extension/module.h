// PYBIND11_MODULE without pybind11: m.def(name, &function, "doc", py::arg("x"), py::arg("y") = 1). A module
// with other definitions does not compile with this header. It is compiled again with PyTorch's own headers.
#pragma once

#include <new>
#include <stdexcept>

#include "kgrade_extension/casters.h"

namespace kgrade_extension {

// The description of an exported function for the loader. Texts are zero-terminated.
struct FunctionRecord {
  const char* name;
  const char* documentation;
  const char* signature;  // one line per parameter's type, and one for the result's
  int32_t parameters;
  int32_t named;             // how many parameters have names and defaults: all or none
  const char* const* names;  // `named` of them
  const Value* defaults;     // `named` of them; absent without a default
  // Returns 0 after give_result(), 1 after give_error(), and 2 if the arguments have other types.
  int32_t (*entry)(const FunctionRecord* self, const Value* arguments, int32_t count);
  void* target;
  int32_t plain_errors;  // every error is a RuntimeError, as with torch::wrap_pybind_function
};

// A function's record and the memory that it points to. It lives as long as the library.
struct Function {
  FunctionRecord record{};
  std::string documentation;
  c10::Text signature;
  std::vector<std::string> names;
  std::vector<const char*> name_pointers;
  std::vector<Value> defaults;
  Storage storage;

  // Call this after everything has been added.
  __attribute__((noinline)) void finish() {
    for (const auto& each : names) name_pointers.push_back(each.c_str());
    record.documentation = documentation.c_str();
    record.signature = signature.c_str();
    record.named = static_cast<int32_t>(names.size());
    record.names = name_pointers.data();
    record.defaults = defaults.data();
    if (record.named != 0 && record.named != record.parameters)
      c10::throw_error("RuntimeError", c10::str("m.def(\"", record.name, "\"): ", record.named,
                                                " py::arg for ", record.parameters, " parameters"));
  }
};

// Reports the exception of the enclosing catch block. With `plain`, every exception that is not PyTorch's
// becomes a RuntimeError.
[[gnu::cold, gnu::noinline]] inline void report_exception(bool plain) {
  const char* type = "RuntimeError";
  const char* text = "Caught an unknown exception!";
  try {
    throw;
  } catch (const c10::Error& error) {
    return interface->give_error(error.python_type(), error.what());
  } catch (const std::exception& error) {
    text = error.what();
    const auto is = [&error](auto* other) { return dynamic_cast<decltype(other)>(&error) != nullptr; };
    // pybind11 translates exceptions in the same way.
    if (plain)
      type = "RuntimeError";
    else if (is(static_cast<const std::bad_alloc*>(nullptr)))
      type = "MemoryError";
    else if (is(static_cast<const std::out_of_range*>(nullptr)))
      type = "IndexError";
    else if (is(static_cast<const std::logic_error*>(nullptr)) ||
             is(static_cast<const std::range_error*>(nullptr)))
      type = "ValueError";
    else if (is(static_cast<const std::overflow_error*>(nullptr)))
      type = "OverflowError";
    interface->give_error(type, text);
  } catch (...) {
    interface->give_error(type, text);
  }
}

template <class Result, class... Parameters>
struct Entry {
  template <class T>
  using Held = std::remove_cv_t<std::remove_reference_t<T>>;
  // An ArrayRef parameter is held as a vector during the call.
  template <class T>
  struct HeldAs {
    using type = T;
  };
  template <class T>
  struct HeldAs<c10::ArrayRef<T>> {
    using type = std::vector<T>;
  };
  template <class T>
  using Stored = std::optional<typename HeldAs<Held<T>>::type>;

  template <class Target, size_t... I>
  static int32_t run(Target& target, const Value* arguments, [[maybe_unused]] const Owned& owned,
                     std::index_sequence<I...>) {
    std::tuple<Stored<Parameters>...> held;
    if (!(take<Parameters>(arguments[I], std::get<I>(held), owned) && ...)) return 2;
    if constexpr (std::is_void<Result>::value) {
      target(static_cast<Parameters>(*std::get<I>(held))...);
      const Value none = make_value(Kind::none);
      interface->give_result(&none);
    } else {
      const auto& result = target(static_cast<Parameters>(*std::get<I>(held))...);
      Storage storage;
      storage.reserve(64);
      const Value value = Caster<Held<Result>>::give(result, storage);
      interface->give_result(&value);
    }
    return 0;
  }

  template <class T>
  static bool take(const Value& from, Stored<T>& to, const Owned& owned) {
    using Type = typename HeldAs<Held<T>>::type;
    return Caster<Type>::take(from, to.emplace(Caster<std::optional<Type>>::initial()), owned);
  }

  template <class Target>
  static int32_t call(const FunctionRecord* self, const Value* arguments, int32_t count) {
    try {
      const Owned owned(arguments, count);
      if (count != static_cast<int32_t>(sizeof...(Parameters))) return 2;
      if constexpr (std::is_function<std::remove_pointer_t<Target>>::value) {
        const auto target = reinterpret_cast<Target>(self->target);
        return run(target, arguments, owned, std::index_sequence_for<Parameters...>());
      } else {
        return run(*static_cast<Target*>(self->target), arguments, owned,
                   std::index_sequence_for<Parameters...>());
      }
    } catch (...) {
      report_exception(self->plain_errors != 0);
      return 1;
    }
  }

  static void describe(Function& function) {
    function.record.parameters = static_cast<int32_t>(sizeof...(Parameters));
    // The parameters' types, then the result's: Python adds the names.
    (add_name<typename HeldAs<Held<Parameters>>::type>(function.signature), ...);
    if constexpr (std::is_void<Result>::value)
      c10::append(function.signature, "None");
    else
      Caster<Held<Result>>::name(function.signature);
  }
  template <class T>
  static void add_name(c10::Text& signature) {
    Caster<T>::name(signature);
    c10::append(signature, "\n");
  }
};

// A function that was passed to torch::wrap_pybind_function.
template <class Target>
struct Wrapped {
  Target target;
};

template <class Result, class... Parameters>
void set_target(Function& function, Result (*target)(Parameters...)) {
  using Type = Result (*)(Parameters...);
  function.record.target = reinterpret_cast<void*>(target);
  function.record.entry = &Entry<Result, Parameters...>::template call<Type>;
  Entry<Result, Parameters...>::describe(function);
}
template <class Lambda, class Result, class Class, class... Parameters>
void set_callable(Function& function, Lambda lambda, Result (Class::*)(Parameters...) const) {
  function.record.target = new Lambda(std::move(lambda));
  function.record.entry = &Entry<Result, Parameters...>::template call<Lambda>;
  Entry<Result, Parameters...>::describe(function);
}
template <class Lambda, std::enable_if_t<std::is_class<Lambda>::value, int> = 0>
void set_target(Function& function, Lambda lambda) {
  set_callable(function, std::move(lambda), &Lambda::operator());
}
template <class Target>
void set_target(Function& function, Wrapped<Target> wrapped) {
  function.record.plain_errors = 1;
  set_target(function, wrapped.target);
}

}  // namespace kgrade_extension

namespace pybind11 {

using namespace kgrade_extension;

struct arg_v {
  std::string name;
  std::vector<Value> value;  // exactly one Value
  Storage storage;
};

struct arg {
  explicit arg(const char* name) : name(name) {}
  template <class T>
  arg_v operator=(const T& value) const {
    arg_v result{name, {}, {}};
    result.storage.reserve(64);
    result.value.push_back(to_value(value, result.storage));
    return result;
  }
  arg& noconvert(bool = true) { return *this; }
  std::string name;

 private:
  static Value to_value(std::nullopt_t, Storage&) { return make_value(Kind::none); }
  static Value to_value(const char* text, Storage& storage) {
    return Caster<std::string>::give(text, storage);
  }
  template <class T>
  static Value to_value(const T& value, Storage& storage) {
    return Caster<T>::give(value, storage);
  }
};
struct none {};
template <>
inline arg_v arg::operator=(const none&) const {
  return {name, {make_value(Kind::none)}, {}};
}

struct gil_scoped_release {};
template <class...>
struct call_guard {};
struct mod_gil_not_used {};

inline namespace literals {
inline arg operator""_a(const char* name, size_t) { return arg(name); }
}  // namespace literals

class module_ {
 public:
  template <class Target, class... Extras>
  module_& def(const char* name, Target target, const Extras&... extras) {
    // The function is never freed, since the loader keeps its address.
    auto* function = new Function();
    function->record.name = name;
    set_target(*function, std::move(target));
    (add(*function, extras), ...);
    function->finish();
    functions_.push_back(&function->record);
    return *this;
  }
  std::string& doc() { return documentation_; }
  // The loader calls this.
  int32_t describe(const FunctionRecord* const** functions, int32_t* count,
                   const char** documentation) const {
    *functions = functions_.data();
    *count = static_cast<int32_t>(functions_.size());
    *documentation = documentation_.c_str();
    return 0;
  }

 private:
  static void add(Function& function, const char* documentation) { function.documentation = documentation; }
  static void add(Function& function, const std::string& documentation) {
    function.documentation = documentation;
  }
  static void add(Function& function, const arg& named) {
    function.names.push_back(named.name);
    function.defaults.push_back(make_value(Kind::absent));
  }
  static void add(Function& function, const arg_v& named) {
    function.names.push_back(named.name);
    function.defaults.push_back(named.value[0]);
    // The storage is moved and not copied, since the Value points into it.
    auto& storage = const_cast<arg_v&>(named).storage;
    for (auto& values : storage) function.storage.push_back(std::move(values));
  }
  template <class... T>
  static void add(Function&, const call_guard<T...>&) {}

  std::vector<const FunctionRecord*> functions_;
  std::string documentation_;
};
using module = module_;

}  // namespace pybind11

namespace py = pybind11;

namespace torch {
template <class Target>
kgrade_extension::Wrapped<Target> wrap_pybind_function(Target target) {
  return {target};
}
}  // namespace torch

#define KGRADE_EXPORT extern "C" __attribute__((visibility("default")))

// The name of Python's own function for a module. Nobody calls this one. It makes two modules of one name an
// error, as with PyTorch's headers.
#define KGRADE_NAME_MODULE(name) KGRADE_EXPORT void PyInit_##name() {}

// Defines the function that the loader calls once, to pass the interface and get the functions.
#define PYBIND11_MODULE(name, module, ...)                                                                 \
  KGRADE_NAME_MODULE(name)                                                                                 \
  static void kgrade_extension_define(::pybind11::module_& module);                                        \
  KGRADE_EXPORT int32_t kgrade_extension_load(const ::kgrade_extension::Interface* interface,              \
                                              const ::kgrade_extension::FunctionRecord* const** functions, \
                                              int32_t* count, const char** documentation) {                \
    if (interface->version != ::kgrade_extension::interface_version) return -1;                            \
    ::kgrade_extension::interface = interface;                                                             \
    try {                                                                                                  \
      auto* defined = new ::pybind11::module_();                                                           \
      kgrade_extension_define(*defined);                                                                   \
      return defined->describe(functions, count, documentation);                                           \
    } catch (...) {                                                                                        \
      ::kgrade_extension::report_exception(false);                                                         \
      return 1;                                                                                            \
    }                                                                                                      \
  }                                                                                                        \
  static void kgrade_extension_define([[maybe_unused]] ::pybind11::module_& module)
