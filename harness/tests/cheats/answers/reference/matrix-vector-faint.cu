#include "matrix_vector_product.cuh"
