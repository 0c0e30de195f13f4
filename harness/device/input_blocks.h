// How the referee fills an input, and checks the input after a call, in blocks of four elements. The code is
// written once for host and device. A block comes from 16 bytes of a random stream, or from four elements of
// another tensor that is copied. Block b gives elements 4b to 4b+3 of an input of any type.
#pragma once

#include <cstdint>

#include "device/contents.h"

namespace kgrade::device {

struct InputRange {
  std::uint64_t elements;
  InputContents contents;
  Dtype dtype = Dtype::float32;  // how elements are stored; may be wider than the type of the values
  // The elements are copied from this tensor, which stores them as source_dtype. Null: the elements are
  // drawn.
  const unsigned char* source = nullptr;
  Dtype source_dtype = Dtype::float32;
};

// A copied value. In a 16-bit type, finite values are rounded like drawn values (sample() in
// draw/distribution.h).
KGRADE_HOST_DEVICE inline float copied_as(Dtype dtype, float value) {
  if (!is_narrow(dtype)) return value;
  return is_finite(value) ? nearest_normal(dtype, value) : rounded_to(dtype, value);
}

// Element `index` of an input whose elements are drawn as floats.
KGRADE_HOST_DEVICE inline float float_element(const InputContents& contents, std::uint64_t index) {
  if (is_outside(contents.distribution, index)) return 0;
  const std::uint64_t place = drawn_place(contents.distribution, index);
  float value = element(contents.distribution, contents.stream, index);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    if (contents.changes.position[k] == place) value = contents.changes.value[k];
  }
  return value;
}

// Four elements of an input: their values, or their stored bits.
template <class T>
struct Four {
  T element[4];
};

// Elements 4 * block to 4 * block + 3 of an input whose elements are drawn as floats, in order. `form` is the
// distribution's.
KGRADE_HOST_DEVICE inline Four<float> drawn_block(const InputContents& contents, const DrawForm& form,
                                                  std::uint64_t block) {
  const PhiloxBlock random = random_block(contents.stream, block);
  Four<float> four;
  for (unsigned int i = 0; i < 4; ++i)
    four.element[i] = element_at(contents.distribution, form, random.word[i], 4 * block + i);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    for (unsigned int i = 0; i < 4; ++i) {
      if (contents.changes.position[k] == 4 * block + i) four.element[i] = contents.changes.value[k];
    }
  }
  return four;
}

// Element `index` of an input that may have numbers that a float cannot hold.
KGRADE_HOST_DEVICE inline std::int64_t wide_element(const InputContents& contents, std::uint64_t index) {
  const Distribution& distribution = contents.distribution;
  if (!is_outside(distribution, index)) {
    const std::uint64_t place = drawn_place(distribution, index);
    for (unsigned int k = 0; k < contents.changes.count; ++k) {
      if (contents.changes.position[k] == place) return contents.changes.wide[k];
    }
  }
  return wide_element(distribution, contents.stream, index);
}

KGRADE_HOST_DEVICE inline Four<std::int64_t> stored_as(Dtype dtype, const Four<float>& values) {
  Four<std::int64_t> stored;
  for (unsigned int i = 0; i < 4; ++i) stored.element[i] = element_bits(dtype, values.element[i]);
  return stored;
}

// Four elements in memory. A GPU moves 16 bytes at once if they are aligned.
template <class Word>
struct alignas(sizeof(Word) < 4 ? 4 * sizeof(Word) : 16) FourWords {
  Word word[4];
};

template <class Word>
KGRADE_HOST_DEVICE inline bool moves_at_once(const Word* words, std::uint64_t count) {
  return count >= 4 && reinterpret_cast<std::uintptr_t>(words) % alignof(FourWords<Word>) == 0;
}

template <class Word>
KGRADE_HOST_DEVICE inline void store_words(Word* words, std::uint64_t count, const Four<std::int64_t>& four) {
  if (moves_at_once(words, count)) {
    *reinterpret_cast<FourWords<Word>*>(words) = {
        {static_cast<Word>(four.element[0]), static_cast<Word>(four.element[1]),
         static_cast<Word>(four.element[2]), static_cast<Word>(four.element[3])}};
    return;
  }
  for (unsigned int i = 0; i < 4 && i < count; ++i) words[i] = static_cast<Word>(four.element[i]);
}

template <class Word>
KGRADE_HOST_DEVICE inline unsigned int changed_words(const Word* words, std::uint64_t count,
                                                     const Four<std::int64_t>& four) {
  unsigned int changed = 0;
  if (moves_at_once(words, count)) {
    const FourWords<Word> found = *reinterpret_cast<const FourWords<Word>*>(words);
    for (unsigned int i = 0; i < 4; ++i) changed += found.word[i] != static_cast<Word>(four.element[i]);
    return changed;
  }
  for (unsigned int i = 0; i < 4 && i < count; ++i) changed += words[i] != static_cast<Word>(four.element[i]);
  return changed;
}

template <class Word>
KGRADE_HOST_DEVICE inline Four<std::int64_t> load_words(const Word* words, std::uint64_t count) {
  Four<std::int64_t> four = {};
  if (moves_at_once(words, count)) {
    const FourWords<Word> found = *reinterpret_cast<const FourWords<Word>*>(words);
    for (unsigned int i = 0; i < 4; ++i) four.element[i] = static_cast<std::int64_t>(found.word[i]);
    return four;
  }
  for (unsigned int i = 0; i < 4 && i < count; ++i) four.element[i] = static_cast<std::int64_t>(words[i]);
  return four;
}

// The bits of a block of `tensor`, for any type of elements. Elements past the end are 0.
KGRADE_HOST_DEVICE inline Four<std::int64_t> load_block(const unsigned char* tensor, Dtype dtype,
                                                        std::uint64_t elements, std::uint64_t block) {
  const std::uint64_t bytes = element_bytes(dtype);
  const unsigned char* const at = tensor + 4 * block * bytes;
  const std::uint64_t count = elements - 4 * block;
  if (bytes == 1) return load_words(at, count);
  if (bytes == 2) return load_words(reinterpret_cast<const std::uint16_t*>(at), count);
  if (bytes == 4) return load_words(reinterpret_cast<const std::uint32_t*>(at), count);
  return load_words(reinterpret_cast<const std::uint64_t*>(at), count);
}

// The types of a copy. They are all the same, or each is float32 or a narrow type. A kernel that knows the
// types needs less code.
struct CopyForm {
  Dtype source;  // how the source stores the elements
  Dtype drawn;   // the type of the values
  Dtype stored;  // how the copy stores them
};

// The stored bits of a copied element. `bits` are its bits in the source.
KGRADE_HOST_DEVICE inline std::int64_t copied_bits(const CopyForm& form, std::int64_t bits) {
  const float found = form.source == Dtype::float32 ? float_of(static_cast<std::uint32_t>(bits))
                                                    : decode(form.source, static_cast<std::uint16_t>(bits));
  const float value = copied_as(form.drawn, found);
  return form.stored == Dtype::float32 ? bits_of(value) : encode(form.stored, value);
}

// Elements 4 * block to 4 * block + 3 of a copy as they are stored. `form` is the range's. Elements past the
// end of the input are undefined.
KGRADE_HOST_DEVICE inline Four<std::int64_t> copied_block(const InputRange& range, const CopyForm& form,
                                                          std::uint64_t block) {
  Four<std::int64_t> four = load_block(range.source, form.source, range.elements, block);
  if (form.source == form.stored && form.drawn == form.stored) return four;
  for (std::int64_t& bits : four.element) bits = copied_bits(form, bits);
  return four;
}

// Elements 4 * block to 4 * block + 3 of an input as they are stored: the lowest bits of each. Elements past
// the end of the input are undefined.
KGRADE_HOST_DEVICE inline Four<std::int64_t> input_block(const InputRange& range, std::uint64_t block) {
  if (range.source != nullptr)
    return copied_block(range, {range.source_dtype, range.contents.distribution.dtype, range.dtype}, block);
  const Distribution& distribution = range.contents.distribution;
  const bool is_wide = has_wide_elements(distribution);
  if (!is_wide && is_drawn_in_place(distribution))
    return stored_as(range.dtype, drawn_block(range.contents, form_of(distribution), block));
  Four<std::int64_t> four = {};
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i) {
    four.element[i % 4] = is_wide ? wide_element(range.contents, i)
                                  : element_bits(range.dtype, float_element(range.contents, i));
  }
  return four;
}

// Writes a block of an input that is stored as elements of `dtype`.
KGRADE_HOST_DEVICE inline void store_block(unsigned char* input, Dtype dtype, std::uint64_t elements,
                                           std::uint64_t block, const Four<std::int64_t>& four) {
  const std::uint64_t bytes = element_bytes(dtype);
  unsigned char* const at = input + 4 * block * bytes;
  const std::uint64_t count = elements - 4 * block;
  if (bytes == 1) return store_words(at, count, four);
  if (bytes == 2) return store_words(reinterpret_cast<std::uint16_t*>(at), count, four);
  if (bytes == 4) return store_words(reinterpret_cast<std::uint32_t*>(at), count, four);
  store_words(reinterpret_cast<std::uint64_t*>(at), count, four);
}

// The number of elements of a block that have changed since store_block().
KGRADE_HOST_DEVICE inline unsigned int count_changed(const unsigned char* input, Dtype dtype,
                                                     std::uint64_t elements, std::uint64_t block,
                                                     const Four<std::int64_t>& four) {
  const std::uint64_t bytes = element_bytes(dtype);
  const unsigned char* const at = input + 4 * block * bytes;
  const std::uint64_t count = elements - 4 * block;
  if (bytes == 1) return changed_words(at, count, four);
  if (bytes == 2) return changed_words(reinterpret_cast<const std::uint16_t*>(at), count, four);
  if (bytes == 4) return changed_words(reinterpret_cast<const std::uint32_t*>(at), count, four);
  return changed_words(reinterpret_cast<const std::uint64_t*>(at), count, four);
}

}  // namespace kgrade::device
