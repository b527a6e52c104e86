#include "model/extension.hpp"

#include <algorithm>
#include <cmath>

#include "graph/kernels.hpp"

namespace geotherm::detail {

SpectralRows::SpectralRows(const Model& model) : model_(model) {
  if (model.extension.eigenvalues.empty() || model.input == ModelInput::affinities) return;
  const NeighborLists& lists = model.neighbors;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const std::size_t k = std::min(model.extension.knn, lists.lengths(i).size());
    for (const double d : lists.lengths(i).first(k)) sum += d;
    count += k;
  }
  mean_length_ = count > 0 ? sum / static_cast<double>(count) : 0;
  widths_.reserve(lists.n_points);
  for (std::size_t i = 0; i < lists.n_points; ++i) widths_.push_back(width_of(lists.lengths(i)));
}

std::size_t SpectralRows::n_searched() const { return widths_.empty() ? 0 : 3 * model_.extension.knn; }

SpectralRows::Width SpectralRows::width_of(std::span<const double> all) const {
  const auto lengths = all.first(std::min(model_.extension.knn, all.size()));
  Width width;
  if (lengths.empty()) return width;
  width.reach = lengths.back();
  switch (model_.extension.affinity.kind) {
    case Affinity::alpha_decay:
      width.scale = width.reach;
      break;
    case Affinity::knn:
      width.scale = mean_length_;
      break;
    case Affinity::gaussian: {
      // The median of the squared distances, as adaptive_gaussian takes it.
      const auto at = [&](std::size_t k) { return lengths[k] * lengths[k]; };
      const std::size_t k = lengths.size();
      width.scale = std::sqrt(k % 2 == 1 ? at(k / 2) : 0.5 * (at(k / 2 - 1) + at(k / 2)));
      break;
    }
    case Affinity::fuzzy_union: {
      const SmoothDistance smooth = smooth_distance(lengths, mean_length_);
      width.scale = smooth.sigma;
      width.rho = smooth.rho;
      break;
    }
  }
  return width;
}

double SpectralRows::weight(const Width& own, const Width& other, double d, bool is_listed) const {
  const AffinityOptions& options = model_.extension.affinity;
  // Of the other kernels, edges join points of which one lists the other among its nearest.
  const bool is_edge = is_listed || d <= other.reach;
  switch (options.kind) {
    case Affinity::alpha_decay: {
      const auto view = [&](double bandwidth) {
        const double w = bandwidth > 0 ? std::exp(-std::pow(d / bandwidth, options.decay)) : 0.0;
        return w < options.threshold ? 0.0 : w;
      };
      return 0.5 * (view(own.scale) + view(other.scale));
    }
    case Affinity::knn:
      return is_edge && own.scale > 0 ? std::exp(-(d / own.scale) * (d / own.scale)) : 0.0;
    case Affinity::gaussian: {
      const double squares = own.scale * own.scale + other.scale * other.scale;
      if (!is_edge || !(squares > 0)) return 0;
      return std::sqrt(2 * own.scale * other.scale / squares) * std::exp(-d * d / squares);
    }
    case Affinity::fuzzy_union: {
      const auto view = [&](const Width& width, bool sees) {
        if (!sees) return 0.0;
        const double past = d - width.rho;
        return past <= 0 || width.scale == 0 ? 1.0 : std::exp(-past / width.scale);
      };
      const double a = view(own, is_listed), b = view(other, d <= other.reach);
      return a + b - a * b;
    }
  }
  return 0;
}

bool SpectralRows::place(const NeighborLists& lists, std::size_t i, bool are_affinities,
                         std::span<double> out) const {
  const SpectralExtension& extension = model_.extension;
  if (extension.eigenvalues.empty() || (!are_affinities && widths_.empty())) return false;
  const auto neighbors = lists.neighbors(i);
  const auto lengths = lists.lengths(i);
  const Width own = are_affinities ? Width{} : width_of(lengths);
  std::vector<double> weights(neighbors.size());
  double degree = 0;
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    weights[k] = are_affinities ? 1 / lengths[k]
                                : weight(own, widths_[static_cast<std::size_t>(neighbors[k])],
                                         lengths[k], k < extension.knn);
    degree += weights[k];
  }
  std::vector<double> divisors;
  for (const double value : extension.eigenvalues) {
    const double divisor = (degree + extension.self_weight) * value - extension.self_weight;
    // The walk would have to stay where it is: the row hangs on the training points by almost nothing.
    if (!(divisor > 1e-3 * degree)) return false;
    divisors.push_back(divisor);
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const auto y = model_.coordinates.row(static_cast<std::size_t>(neighbors[k]));
    for (std::size_t c = 0; c < divisors.size(); ++c) out[c] += weights[k] * y[c];
  }
  for (std::size_t c = 0; c < divisors.size(); ++c) out[c] /= divisors[c];
  return true;
}

}  // namespace geotherm::detail
