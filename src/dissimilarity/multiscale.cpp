// Several kernels of the same points -> the weighted mean of their dissimilarities.
#include <algorithm>
#include <cmath>
#include <string>

#include "dissimilarity/kernel_distance.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {
namespace {

std::vector<std::string> issues_with_scales(std::span<const DiffusionKernel* const> kernels,
                                            std::span<const double> weights) {
  std::vector<std::string> issues;
  if (kernels.empty()) issues.push_back("kernels: none given; at least one is needed");
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k] == nullptr) {
      issues.push_back("kernels: number " + std::to_string(k) + " is null");
    } else if (kernels[0] != nullptr && kernels[k]->size() != kernels[0]->size()) {
      issues.push_back("kernels: number " + std::to_string(k) + " has " +
                       std::to_string(kernels[k]->size()) + " points, the first has " +
                       std::to_string(kernels[0]->size()));
    }
  }
  if (weights.empty()) return issues;
  if (weights.size() != kernels.size()) {
    issues.push_back("weights: " + std::to_string(weights.size()) + " given for " +
                     std::to_string(kernels.size()) +
                     " kernels; give one a kernel, or none for equal weights");
  }
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      issues.push_back("weights: " + detail::text(weight) + " is not a finite number >= 0");
    }
    sum += weight;
  }
  if (sum == 0) issues.push_back("weights: all are 0; at least one has to be positive");
  return issues;
}

// sum <- sum + weight * values
void accumulate(Matrix<double>& sum, double weight, const Matrix<double>& values,
                const Context& context) {
  parallel_for(context, sum.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) sum.data()[e] += weight * values.data()[e];
  });
}

}  // namespace

Dissimilarity multiscale_heat_geodesic(std::span<const DiffusionKernel* const> kernels,
                                       std::span<const double> weights,
                                       const HeatGeodesicOptions& options, const Context& context) {
  auto issues = issues_with(options);
  const auto of_scales = issues_with_scales(kernels, weights);
  issues.insert(issues.end(), of_scales.begin(), of_scales.end());
  refuse_if_any(issues);

  double weight_sum = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) weight_sum += weights.empty() ? 1 : weights[k];
  Dissimilarity mean;
  mean.values = Matrix<double>(kernels[0]->size(), kernels[0]->size());
  std::vector<std::string> treatments;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const double weight = (weights.empty() ? 1 : weights[k]) / weight_sum;
    if (weight == 0) continue;
    const Dissimilarity one = heat_geodesic(*kernels[k], options, context);
    accumulate(mean.values, weight, one.values, context);
    mean.unresolved_share = std::max(mean.unresolved_share, one.unresolved_share);
    mean.flat_share = std::max(mean.flat_share, one.flat_share);
    const std::string& treatment = one.unresolved_treatment;
    if (treatment == "none") continue;
    if (std::find(treatments.begin(), treatments.end(), treatment) != treatments.end()) continue;
    mean.unresolved_treatment =
        treatments.empty() ? treatment : mean.unresolved_treatment + "; " + treatment;
    treatments.push_back(treatment);
  }
  return mean;
}

}  // namespace geotherm
