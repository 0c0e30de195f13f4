#include "square.cuh"
