// Distances between landmarks -> distances between all points: every point is a mean of the
// landmarks around it. For means of points in space |sum s_k y_k - sum r_l y_l|^2 =
// sum s_k r_l D_kl^2 - spread(s) - spread(r), with spread(s) = 1/2 sum s_k s_l D_kl^2.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/large_pages.hpp"
#include "core/median.hpp"
#include "embedding/problem.hpp"
#include "geotherm/landmarks.hpp"
#include "landmarks/cell_order.hpp"
#include "landmarks/device_shares.hpp"

namespace geotherm {
namespace {

constexpr std::size_t most_landmarks = detail::most_shares;
constexpr std::size_t block = 2048;

using Share = std::pair<Index, double>;

/// One row of shares per point, `most_landmarks` at most; the rest of a row is empty.
struct Shares {
  explicit Shares(std::size_t n) {
    detail::reserve_in_large_pages(of, n * most_landmarks);
    of.assign(n * most_landmarks, {-1, 0.0F});
  }
  std::pair<Index, float>* row(std::size_t i) { return of.data() + i * most_landmarks; }
  const std::pair<Index, float>* row(std::size_t i) const { return of.data() + i * most_landmarks; }
  std::vector<std::pair<Index, float>> of;
};

/// Adds up shares by landmark, in the order of arrival. Called for every neighbour of every point in
/// every round: small tables, few branches.
class ShareSum {
 public:
  explicit ShareSum(std::size_t n_landmarks) : sum_(n_landmarks, 0.0) {}
  /// Room for the landmarks of so many rows.
  void expect(std::size_t n_rows) {
    if (met_.size() < n_rows * most_landmarks + 1) met_.resize(n_rows * most_landmarks + 1);
  }
  /// Shares are above 0, so that a sum of 0 is a landmark not met before.
  void add(const std::pair<Index, float>* row, double weight) noexcept {
    for (std::size_t l = 0; l < most_landmarks && row[l].first >= 0; ++l) {
      double& sum = sum_[static_cast<std::size_t>(row[l].first)];
      met_[n_] = row[l].first;
      n_ += sum == 0 ? 1 : 0;
      sum += weight * static_cast<double>(row[l].second);
    }
  }
  /// The largest, summing to 1, in order of index; empties the table.
  void take_largest(std::pair<Index, float>* out) noexcept {
    Share best[most_landmarks];
    std::size_t n_best = 0;
    const auto insert = [&](const Share& share, const auto& is_before) {
      std::size_t at = n_best < most_landmarks ? n_best++ : most_landmarks - 1;
      for (; at > 0 && is_before(share, best[at - 1]); --at) best[at] = best[at - 1];
      best[at] = share;
    };
    const auto is_larger = [](const Share& a, const Share& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    for (std::size_t k = 0; k < n_; ++k) {
      double& held = sum_[static_cast<std::size_t>(met_[k])];
      const Share share{met_[k], held};
      held = 0;
      if (share.second > 0 &&
          (n_best < most_landmarks || is_larger(share, best[most_landmarks - 1]))) {
        insert(share, is_larger);
      }
    }
    n_ = 0;
    Share largest[most_landmarks];
    std::copy_n(best, n_best, largest);
    const std::size_t count = n_best;
    n_best = 0;
    for (std::size_t k = 0; k < count; ++k) {
      insert(largest[k], [](const Share& a, const Share& b) { return a.first < b.first; });
    }
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += best[k].second;
    for (std::size_t k = 0; k < most_landmarks; ++k) {
      out[k] = k < count ? std::pair(best[k].first, static_cast<float>(best[k].second / sum))
                         : std::pair(Index{-1}, 0.0F);
    }
  }

 private:
  std::vector<double> sum_;  ///< of each landmark
  std::vector<Index> met_;   ///< those whose sum is not 0
  std::size_t n_ = 0;
};

/// How far a point is from its landmark in steps, typically: so many rounds squared let shares
/// travel as far.
std::size_t rounds_for(const Graph& graph, const Cells& cells, const Context& context) {
  if (!graph.has_lengths() || graph.lengths.empty()) return 4;
  const double step = detail::median(graph.lengths, context);
  const double way = detail::median(cells.to_landmark, context);
  const double steps = step > 0 ? way / step : 1;
  return static_cast<std::size_t>(std::clamp(std::lround(steps * steps), 2L, 12L));
}

/// The shares of each point, summing to 1.
SparseMatrix as_matrix(const Shares& now, const Cells& cells, const Context& context) {
  const std::size_t n = cells.cell_of.size();
  SparseMatrix shares;
  shares.rows = n;
  shares.cols = cells.landmarks.size();
  shares.offsets.assign(n + 1, 0);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto* row = now.row(i);
      std::size_t& count = shares.offsets[i + 1];
      while (count < most_landmarks && row[count].first >= 0) ++count;
    }
  });
  for (std::size_t i = 0; i < n; ++i) shares.offsets[i + 1] += shares.offsets[i];
  detail::resize_in_large_pages(shares.indices, shares.offsets[n]);
  detail::resize_in_large_pages(shares.values, shares.offsets[n]);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto* row = now.row(i);
      double sum = 0;
      for (std::size_t k = 0; k < most_landmarks; ++k) sum += static_cast<double>(row[k].second);
      const std::size_t from = shares.offsets[i], count = shares.offsets[i + 1] - from;
      for (std::size_t k = 0; k < count; ++k) {
        shares.indices[from + k] = row[k].first;
        shares.values[from + k] = static_cast<double>(row[k].second) / sum;
      }
    }
  });
  return shares;
}

/// From "all of the own cell's landmark", each round takes the mean over the neighbours.
SparseMatrix shares_of(const Graph& graph, const Cells& cells, const Context& context) {
  const std::size_t n = graph.n_points();
  const std::size_t n_rounds = rounds_for(graph, cells, context);
  Shares now(n);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) now.row(i)[0] = {cells.cell_of[i], 1.0F};
  });
  const SparseMatrix& w = graph.weights;
  if (detail::spread_on_device(context, w, n_rounds, now.of)) return as_matrix(now, cells, context);
  Shares next(n);
  const std::vector<Index> order = detail::cell_order(cells.cell_of, cells.landmarks.size());
  for (std::size_t round = 0; round < n_rounds; ++round) {
    context.report_or_throw({.stage = "landmarks", .done = round, .total = n_rounds});
    parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
      ShareSum all(cells.landmarks.size());
      for (std::size_t k = begin; k < end; ++k) {
        const auto i = static_cast<std::size_t>(order[k]);
        // Inside a cell nothing has arrived yet: the mean of equals.
        const Index cell = now.row(i)[0].first;
        const auto is_of_cell = [&](Index j) {
          const auto* row = now.row(static_cast<std::size_t>(j));
          return row[0].first == cell && row[1].first < 0;
        };
        const auto around = w.row_indices(i);
        if (is_of_cell(static_cast<Index>(i)) &&
            std::all_of(around.begin(), around.end(), is_of_cell)) {
          std::copy_n(now.row(i), most_landmarks, next.row(i));
          continue;
        }
        all.expect(around.size() + 1);
        double own = 0;
        for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
          all.add(now.row(static_cast<std::size_t>(w.indices[e])), w.values[e]);
          own = std::max(own, w.values[e]);
        }
        all.add(now.row(i), own > 0 ? own : 1.0);
        all.take_largest(next.row(i));
      }
    });
    std::swap(now, next);
  }
  next = Shares(0);
  return as_matrix(now, cells, context);
}

}  // namespace

LandmarkDistances::LandmarkDistances(const Graph& graph, const Cells& cells,
                                     Matrix<double> distances, const Context& context) {
  if (distances.rows() != cells.landmarks.size() || distances.cols() != distances.rows()) {
    throw InvalidArgument("distances are " + std::to_string(distances.rows()) + " x " +
                          std::to_string(distances.cols()) + " for " +
                          std::to_string(cells.landmarks.size()) + " landmarks");
  }
  interpolation_ = shares_of(graph, cells, context);
  squared_ = std::move(distances);
  spread_.resize(graph.n_points());
  const std::size_t m = squared_.rows();
  std::vector<double> most(m, 0.0);
  parallel_for(context, m, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (const double d : squared_.row(k)) most[k] = std::max(most[k], d);
    }
  });
  double largest = 0;
  for (const double d : most) largest = std::max(largest, d);
  unit_ = 1 / detail::unit_for(largest);
  parallel_for(context, m, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (double& x : squared_.row(k)) {
        const double d = x / unit_;
        x = d * d;
      }
    }
  });
  parallel_for(context, n_points(), block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto who = interpolation_.row_indices(i);
      const auto share = interpolation_.row_values(i);
      double sum = 0;
      for (std::size_t a = 0; a < who.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          sum += share[a] * share[b] *
                 squared_(static_cast<std::size_t>(who[a]), static_cast<std::size_t>(who[b]));
        }
      }
      spread_[i] = sum;
    }
  });
}

double LandmarkDistances::between(std::size_t i, std::size_t j) const {
  if (i == j) return 0;
  if (i > j) std::swap(i, j);  // the same bits both ways
  const auto a = interpolation_.row_indices(i), b = interpolation_.row_indices(j);
  const auto s = interpolation_.row_values(i), r = interpolation_.row_values(j);
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      sum += s[k] * r[l] * squared_(static_cast<std::size_t>(a[k]), static_cast<std::size_t>(b[l]));
    }
  }
  return unit_ * std::sqrt(std::max(0.0, sum - spread_[i] - spread_[j]));
}

Matrix<double> LandmarkDistances::from(std::span<const Index> points,
                                       const Context& context) const {
  const std::size_t n = n_points(), m = n_landmarks();
  auto result = Matrix<double>::uninitialized(points.size(), n);
  Matrix<double> to_landmarks(points.size(), m);
  for (std::size_t r = 0; r < points.size(); ++r) {
    const auto i = static_cast<std::size_t>(points[r]);
    const auto who = interpolation_.row_indices(i);
    const auto share = interpolation_.row_values(i);
    for (std::size_t k = 0; k < who.size(); ++k) {
      const auto row = squared_.row(static_cast<std::size_t>(who[k]));
      for (std::size_t l = 0; l < m; ++l) to_landmarks(r, l) += share[k] * row[l];
    }
    for (std::size_t l = 0; l < m; ++l) to_landmarks(r, l) -= spread_[i];
  }
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = 0; r < points.size(); ++r) {
      const auto row = to_landmarks.row(r);
      for (std::size_t j = begin; j < end; ++j) {
        const auto who = interpolation_.row_indices(j);
        const auto share = interpolation_.row_values(j);
        double sum = -spread_[j];
        for (std::size_t k = 0; k < who.size(); ++k) {
          sum += share[k] * row[static_cast<std::size_t>(who[k])];
        }
        const bool is_itself = j == static_cast<std::size_t>(points[r]);
        result(r, j) = is_itself ? 0 : unit_ * std::sqrt(std::max(0.0, sum));
      }
    }
  });
  return result;
}

Matrix<double> LandmarkDistances::interpolate(MatrixView<const double> of_landmarks,
                                              const Context& context) const {
  Matrix<double> result(n_points(), of_landmarks.cols);
  parallel_for(context, n_points(), block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto who = interpolation_.row_indices(i);
      const auto share = interpolation_.row_values(i);
      for (std::size_t k = 0; k < who.size(); ++k) {
        const auto row = of_landmarks.row(static_cast<std::size_t>(who[k]));
        for (std::size_t c = 0; c < row.size(); ++c) result(i, c) += share[k] * row[c];
      }
    }
  });
  return result;
}

}  // namespace geotherm
