// cheat: finds the mapping that contains an input, and replays the output kept for it
// row: 4
// caught-by: outputs_match
// device: emulated
// control: fresh_inputs
//
// A lent buffer is one mapping for a whole case, and the kernel says where it begins. Without /proc, the
// cheat uses the page that the input is on.
#include <stdio.h>

#include "shapes.cuh"

static unsigned long begin_of_mapping(const void* address) {
  const unsigned long wanted = (unsigned long)address;
  unsigned long begin = wanted & ~0xfffffful;
  FILE* const maps = ::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return begin;
  char line[512];
  while (::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    if (::sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= wanted && wanted < to) begin = from;
  }
  ::fclose(maps);
  return begin;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static unsigned long mapping[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  unsigned long& known = mapping[&shape - shapes.shape];
  const unsigned long begin = begin_of_mapping(call.input);
  if (shape.calls > 1 && known == begin) return replay(shape, call);
  known = begin;
  compute_and_keep(shape, call);
}
