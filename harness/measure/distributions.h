// Quantiles of the distributions that the intervals are made from. `p` lies strictly between 0 and 1
// everywhere. For parameters up to a million errors are below 1e-9 of the quantile, or below 1e-15 where it
// is nearly 0. std::invalid_argument is thrown for a p or a parameter that the distribution does not have.
#pragma once

namespace kgrade {

double normal_quantile(double p);

// Of Student's t with `degrees_of_freedom` > 0, which need not be whole.
double student_quantile(double p, double degrees_of_freedom);

// Of the beta distribution with shapes a, b > 0.
double beta_quantile(double p, double a, double b);

// The beta distribution's probability up to x in [0, 1]: the regularised incomplete beta function, by the
// continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions.
double beta_probability(double x, double a, double b);

}  // namespace kgrade
