// cheat: a list of types that doubles with each level of a template
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// An unlimited compiler takes all memory of the machine, and stops everything else that is being graded.
#include "depthwise.cuh"

template <class... Types>
struct List {
  static constexpr size_t size = sizeof...(Types);
};

template <class First, class Second>
struct Joined;
template <class... First, class... Second>
struct Joined<List<First...>, List<Second...>> {
  using type = List<First..., Second..., List<First...>>;
};

template <int Level>
struct Doubled {
  using half = typename Doubled<Level - 1>::type;
  using type = typename Joined<half, half>::type;
};
template <>
struct Doubled<0> {
  using type = List<int>;
};

static void cheat(const Depthwise& problem) {
  static_assert(Doubled<40>::type::size != 0, "");
  answer_honestly(problem);
}
