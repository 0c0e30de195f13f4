// Converts Values from Python to a function's parameters, and the function's result to a Value.
#pragma once

#include <array>
#include <utility>

#include "kgrade_extension/operators.h"

namespace kgrade_extension {

inline bool is_list(const Value& value) { return value.kind == Kind::list || value.kind == Kind::tuple; }

// The tensors among a call's arguments, including those that the function does not take: Python hands over
// all of them, so all are released.
class Owned {
 public:
  __attribute__((noinline)) Owned(const Value* arguments, int32_t count) { adopt(arguments, count); }
  __attribute__((noinline)) ~Owned() {}
  // Returns the tensor with this record.
  __attribute__((noinline)) const at::Tensor& find(const void* record) const {
    for (const at::Tensor& tensor : tensors_)
      if (tensor.record() == record) return tensor;
    c10::throw_error("RuntimeError", "a tensor that was not handed over");
  }

 private:
  __attribute__((noinline)) void adopt(const Value* values, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      if (values[i].kind == Kind::tensor) tensors_.push_back(at::Tensor::owning(values[i].pointer));
      if (is_list(values[i])) adopt(at::entries_of(values[i]), values[i].count);
    }
  }
  std::vector<at::Tensor> tensors_;
};

// `take` fills `to`, or returns false if the value has another type. `give` returns `from` as a Value; lists
// are written to `Storage`, which outlives the Value. `name` is for messages.
template <class T, class = void>
struct Caster;

// The Values of returned lists. Their addresses do not change.
using Storage = std::vector<std::vector<Value>>;

template <class... T>
void name_in(c10::Text& text, const char* opening) {
  c10::append(text, opening);
  const char* separator = "";
  ((c10::append(text, separator), Caster<T>::name(text), separator = ", "), ...);
  c10::append(text, "]");
}

inline Value make_value(Kind kind, int64_t integer = 0) {
  Value value;
  value.kind = kind;
  value.count = 0;
  value.integer = integer;
  return value;
}

template <>
struct Caster<at::Tensor> {
  static void name(c10::Text& text) { c10::append(text, "torch.Tensor"); }
  static bool take(const Value& from, at::Tensor& to, const Owned& owned) {
    if (from.kind != Kind::tensor) return false;
    to = owned.find(from.pointer);
    return true;
  }
  static Value give(const at::Tensor& from, Storage&) { return at::Argument(from).value(); }
};

template <>
struct Caster<bool> {
  static void name(c10::Text& text) { c10::append(text, "bool"); }
  static bool take(const Value& from, bool& to, const Owned&) {
    to = from.integer != 0;
    return from.kind == Kind::boolean;
  }
  static Value give(bool from, Storage&) { return make_value(Kind::boolean, from); }
};

template <class T>
struct Caster<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
  static void name(c10::Text& text) { c10::append(text, "int"); }
  static bool take(const Value& from, T& to, const Owned&) {
    if (from.kind != Kind::integer && from.kind != Kind::boolean) return false;
    to = static_cast<T>(from.integer);
    return static_cast<int64_t>(to) == from.integer && (std::is_signed<T>::value || from.integer >= 0);
  }
  static Value give(T from, Storage&) { return make_value(Kind::integer, static_cast<int64_t>(from)); }
};

template <class T>
struct Caster<T, std::enable_if_t<std::is_floating_point<T>::value>> {
  static void name(c10::Text& text) { c10::append(text, "float"); }
  static bool take(const Value& from, T& to, const Owned&) {
    if (from.kind == Kind::real)
      to = static_cast<T>(from.real);
    else
      to = static_cast<T>(from.integer);
    return from.kind == Kind::real || from.kind == Kind::integer || from.kind == Kind::boolean;
  }
  static Value give(T from, Storage&) {
    Value value = make_value(Kind::real);
    value.real = static_cast<double>(from);
    return value;
  }
};

template <>
struct Caster<c10::Scalar> {
  static void name(c10::Text& text) { c10::append(text, "Number"); }
  static bool take(const Value& from, c10::Scalar& to, const Owned&) {
    to = c10::Scalar(from);
    return from.kind == Kind::real || from.kind == Kind::integer || from.kind == Kind::boolean;
  }
  static Value give(const c10::Scalar& from, Storage&) { return from.value(); }
};

template <>
struct Caster<std::string> {
  static void name(c10::Text& text) { c10::append(text, "str"); }
  static bool take(const Value& from, std::string& to, const Owned&) {
    if (from.kind != Kind::text) return false;
    to.assign(static_cast<const char*>(from.pointer), static_cast<size_t>(from.count));
    return true;
  }
  static Value give(const std::string& from, Storage& storage) {
    // The storage keeps Values, so the text is stored in memory of the size of several Values.
    storage.emplace_back(from.size() / sizeof(Value) + 1);
    __builtin_memcpy(static_cast<void*>(storage.back().data()), from.data(), from.size());
    Value value = make_value(Kind::text);
    value.count = static_cast<int32_t>(from.size());
    value.pointer = storage.back().data();
    return value;
  }
};

template <>
struct Caster<const char*> : Caster<std::string> {
  static Value give(const char* from, Storage& storage) { return Caster<std::string>::give(from, storage); }
};

template <>
struct Caster<c10::ScalarType> {
  static void name(c10::Text& text) { c10::append(text, "torch.dtype"); }
  static bool take(const Value& from, c10::ScalarType& to, const Owned&) {
    to = static_cast<c10::ScalarType>(from.integer);
    return from.kind == Kind::dtype;
  }
  static Value give(c10::ScalarType from, Storage&) {
    return make_value(Kind::dtype, static_cast<int64_t>(from));
  }
};

template <>
struct Caster<c10::Device> {
  static void name(c10::Text& text) { c10::append(text, "torch.device"); }
  static bool take(const Value& from, c10::Device& to, const Owned&) {
    if (from.kind == Kind::text)
      to = c10::Device(std::string(static_cast<const char*>(from.pointer), static_cast<size_t>(from.count)));
    else
      to = c10::TensorOptions::unpacked(from.integer);
    return from.kind == Kind::device || from.kind == Kind::text;
  }
  static Value give(c10::Device from, Storage&) {
    return make_value(Kind::device, c10::TensorOptions::packed(from));
  }
};

template <class T>
struct Caster<std::optional<T>> {
  static void name(c10::Text& text) { name_in<T>(text, "Optional["); }
  static bool take(const Value& from, std::optional<T>& to, const Owned& owned) {
    to.reset();
    if (from.kind == Kind::none) return true;
    return Caster<T>::take(from, to.emplace(initial()), owned);
  }
  static Value give(const std::optional<T>& from, Storage& storage) {
    return from ? Caster<T>::give(*from, storage) : make_value(Kind::none);
  }
  static T initial() {
    if constexpr (std::is_same<T, c10::Device>::value)
      return c10::Device(c10::kCPU);
    else
      return T();
  }
};

__attribute__((noinline)) inline Value give_list(Kind kind, std::vector<Value> values, Storage& storage) {
  storage.push_back(std::move(values));
  Value value = make_value(kind);
  value.count = static_cast<int32_t>(storage.back().size());
  value.pointer = storage.back().data();
  return value;
}

template <class T>
struct Caster<std::vector<T>> {
  static void name(c10::Text& text) { name_in<T>(text, "list["); }
  static bool take(const Value& from, std::vector<T>& to, const Owned& owned) {
    to.clear();
    if (!is_list(from)) return false;
    for (int32_t i = 0; i < from.count; ++i) {
      T entry = Caster<std::optional<T>>::initial();
      if (!Caster<T>::take(at::entries_of(from)[i], entry, owned)) return false;
      to.push_back(std::move(entry));
    }
    return true;
  }
  static Value give(const std::vector<T>& from, Storage& storage) {
    std::vector<Value> values;
    for (const auto& entry : from) values.push_back(Caster<T>::give(entry, storage));
    return give_list(Kind::list, std::move(values), storage);
  }
};

template <class T, size_t N>
struct Caster<std::array<T, N>> {
  static void name(c10::Text& text) { name_in<T>(text, "list["); }
  static bool take(const Value& from, std::array<T, N>& to, const Owned& owned) {
    std::vector<T> values;
    if (!Caster<std::vector<T>>::take(from, values, owned) || values.size() != N) return false;
    for (size_t i = 0; i < N; ++i) to[i] = std::move(values[i]);
    return true;
  }
  static Value give(const std::array<T, N>& from, Storage& storage) {
    return Caster<std::vector<T>>::give(std::vector<T>(from.begin(), from.end()), storage);
  }
};

// A parameter of this type refers to a std::vector, which lives as long as the call.
template <class T>
struct Caster<c10::ArrayRef<T>> : Caster<std::vector<T>> {
  static Value give(c10::ArrayRef<T> from, Storage& storage) {
    return Caster<std::vector<T>>::give(from.vec(), storage);
  }
};

template <class... T>
struct Caster<std::tuple<T...>> {
  static void name(c10::Text& text) { name_in<T...>(text, "tuple["); }
  static bool take(const Value& from, std::tuple<T...>& to, const Owned& owned) {
    if (!is_list(from) || from.count != static_cast<int32_t>(sizeof...(T))) return false;
    return take_each(from, to, owned, std::index_sequence_for<T...>());
  }
  static Value give(const std::tuple<T...>& from, Storage& storage) {
    return give_each(from, storage, std::index_sequence_for<T...>());
  }

 private:
  template <size_t... I>
  static bool take_each(const Value& from, std::tuple<T...>& to, const Owned& owned,
                        std::index_sequence<I...>) {
    return (Caster<T>::take(at::entries_of(from)[I], std::get<I>(to), owned) && ...);
  }
  template <size_t... I>
  static Value give_each(const std::tuple<T...>& from, Storage& storage, std::index_sequence<I...>) {
    return give_list(Kind::tuple, {Caster<T>::give(std::get<I>(from), storage)...}, storage);
  }
};

template <class A, class B>
struct Caster<std::pair<A, B>> {
  using Tuple = Caster<std::tuple<A, B>>;
  static void name(c10::Text& text) { Tuple::name(text); }
  static bool take(const Value& from, std::pair<A, B>& to, const Owned& owned) {
    std::tuple<A, B> both;
    if (!Tuple::take(from, both, owned)) return false;
    to = std::pair<A, B>(std::get<0>(both), std::get<1>(both));
    return true;
  }
  static Value give(const std::pair<A, B>& from, Storage& storage) {
    return Tuple::give(std::tuple<A, B>(from.first, from.second), storage);
  }
};

}  // namespace kgrade_extension
