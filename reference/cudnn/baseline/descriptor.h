// Descriptors of cuDNN's graph API (cudnn_backend.h), with typed attributes, and destroyed automatically.
#pragma once

#include <cudnn_backend.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "baseline/library.h"

namespace baseline {

// The tag that goes with the type of an attribute's elements.
template <class T>
constexpr cudnnBackendAttributeType_t attribute_type();
#define KGRADE_ATTRIBUTE_TYPE(type, tag)                         \
  template <>                                                    \
  constexpr cudnnBackendAttributeType_t attribute_type<type>() { \
    return tag;                                                  \
  }
KGRADE_ATTRIBUTE_TYPE(std::int64_t, CUDNN_TYPE_INT64)
KGRADE_ATTRIBUTE_TYPE(float, CUDNN_TYPE_FLOAT)
KGRADE_ATTRIBUTE_TYPE(cudnnHandle_t, CUDNN_TYPE_HANDLE)
KGRADE_ATTRIBUTE_TYPE(cudnnDataType_t, CUDNN_TYPE_DATA_TYPE)
KGRADE_ATTRIBUTE_TYPE(cudnnConvolutionMode_t, CUDNN_TYPE_CONVOLUTION_MODE)
KGRADE_ATTRIBUTE_TYPE(cudnnBackendHeurMode_t, CUDNN_TYPE_HEUR_MODE)
KGRADE_ATTRIBUTE_TYPE(cudnnBackendNumericalNote_t, CUDNN_TYPE_NUMERICAL_NOTE)
KGRADE_ATTRIBUTE_TYPE(cudnnBackendKnobType_t, CUDNN_TYPE_KNOB_TYPE)
#undef KGRADE_ATTRIBUTE_TYPE

// One descriptor. It remembers failures, so that many attributes can be set before `good` is checked once.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type)
      : good_(ok(cudnnBackendCreateDescriptor(type, &raw_))) {}
  ~Descriptor() {
    if (raw_ != nullptr) cudnnBackendDestroyDescriptor(raw_);
  }
  Descriptor(Descriptor&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), good_(std::exchange(other.good_, false)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  bool good() const { return good_; }
  cudnnBackendDescriptor_t raw() const { return raw_; }

  template <class T>
  void set(cudnnBackendAttributeName_t name, const T& value) {
    set_all(name, attribute_type<T>(), 1, &value);
  }
  template <class T>
  void set(cudnnBackendAttributeName_t name, const std::vector<T>& values) {
    set_all(name, attribute_type<T>(), values.size(), values.data());
  }
  void set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    good_ = good_ && other.good_;
    set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.raw_);
  }
  void set(cudnnBackendAttributeName_t name, const std::vector<void*>& pointers) {
    set_all(name, CUDNN_TYPE_VOID_PTR, pointers.size(), pointers.data());
  }
  void finalize() { good_ = good_ && ok(cudnnBackendFinalize(raw_)); }

  // All elements, at most `most`. None if there is no such attribute.
  template <class T>
  std::vector<T> get(cudnnBackendAttributeName_t name, std::int64_t most = 1) const {
    std::vector<T> values(static_cast<std::size_t>(most));
    values.resize(get_all(name, attribute_type<T>(), most, values.data()));
    return values;
  }
  // The same for attributes that are descriptors. We create these, and cuDNN fills them in.
  std::vector<Descriptor> get_descriptors(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                          std::int64_t most) const {
    std::vector<Descriptor> found;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < most; ++i) {
      found.emplace_back(type);
      raw.push_back(found.back().raw_);
    }
    const std::size_t filled = get_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, raw.data());
    while (found.size() > filled) found.pop_back();
    return found;
  }
  // How many elements there are.
  std::int64_t elements(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
    std::int64_t number = 0;
    return ok(cudnnBackendGetAttribute(raw_, name, type, 0, &number, nullptr)) ? number : 0;
  }

 private:
  void set_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t elements,
               const void* values) {
    const auto number = static_cast<std::int64_t>(elements);
    good_ = good_ && ok(cudnnBackendSetAttribute(raw_, name, type, number, values));
  }
  std::size_t get_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t most,
                      void* values) const {
    std::int64_t number = 0;
    if (!good_ || !ok(cudnnBackendGetAttribute(raw_, name, type, most, &number, values))) return 0;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(number, 0, most));
  }

  cudnnBackendDescriptor_t raw_ = nullptr;
  bool good_ = false;
};

}  // namespace baseline
