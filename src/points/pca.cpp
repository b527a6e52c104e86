// Principal components: a table in; scores, components, singular values and the story of the rank
// out. Signs are fixed and sums are cut by size: the same bits for any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "geotherm/points.hpp"
#include "linalg/blas.hpp"
#include "points/centred_table.hpp"
#include "points/decompose.hpp"
#include "points/round_clusters.hpp"
#include "points/spectrum.hpp"

namespace geotherm {
namespace {

/// Up to this length of the shorter side its inner products are formed and decomposed.
constexpr std::size_t largest_exact_side = 3000;
/// Components computed unasked where the spectrum is too long to be computed whole: few at first,
/// which is enough for most signals, then as many as are reasonable.
constexpr std::size_t few_truncated = 20;
constexpr std::size_t most_truncated = 100;
/// Kept of round clusters, whose inside is in all directions alike. More would show more of it, but
/// distances within it become all the same, and heat draws clusters as dots.
constexpr std::size_t fewest_of_clusters = 10;

std::string text_of(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

std::string words_for(const detail::SignalRank& signal, double scale) {
  const std::string rank = "rank " + std::to_string(signal.rank) + " chosen: ";
  if (signal.n_discarded == 0) return rank + "the other directions have no variance";
  return rank + "the other " + std::to_string(signal.n_discarded) +
         " directions look like white noise of standard deviation " +
         text_of(std::sqrt(signal.noise_variance) / scale);
}

struct Choice {
  detail::Decomposition decomposition = {};
  std::size_t rank = 0;
  bool was_reduced = true;
  std::string words;
  detail::SignalRank signal = {};  ///< where it decided the rank
};

/// Decides the rank from the whole spectrum.
Choice choose_from_all(const detail::CentredTable& table, const Context& context) {
  Choice choice;
  choice.decomposition = decompose_products(table, std::nullopt, context);
  std::vector<double> eigenvalues;
  for (const double value : choice.decomposition.values) eigenvalues.push_back(value * value);
  const auto signal =
      detail::find_signal({.values = eigenvalues, .rows = table.rows(), .cols = table.cols()});
  if (signal) {
    choice.rank = signal->rank;
    choice.words = words_for(*signal, table.scale);
    choice.signal = *signal;
  } else {
    choice.rank = eigenvalues.size();
    choice.was_reduced = false;
    choice.words = "nothing cut: the smallest eigenvalues do not look like white noise";
  }
  return choice;
}

/// Decides the rank from the leading part of the spectrum; what lies beyond is known by its sum.
Choice choose_from_leading(const detail::CentredTable& table, const Context& context) {
  const double total = squared_norm(table, context);
  Choice choice;
  for (const std::size_t n_computed : {few_truncated, most_truncated}) {
    choice.decomposition = decompose_truncated(table, n_computed, total, context);
    std::vector<double> eigenvalues;
    double beyond = total;
    for (const double value : choice.decomposition.values) {
      eigenvalues.push_back(value * value);
      beyond -= value * value;
    }
    beyond = std::max(beyond, 0.0);
    const auto signal = detail::find_signal(
        {.values = eigenvalues, .beyond = beyond, .rows = table.rows(), .cols = table.cols()});
    if (signal) {
      choice.rank = signal->rank;
      choice.words = words_for(*signal, table.scale);
      choice.signal = *signal;
      return choice;
    }
    choice.rank = n_computed;
    choice.words = "rank " + std::to_string(n_computed) +
                   ", the most that is computed unasked: no noise floor was found, and " +
                   text_of(total > 0 ? 100 * beyond / total : 0.0) + " % of the variance is lost";
  }
  context.warn("pca: " + choice.words + "; give a rank to keep more");
  return choice;
}

Choice decompose_as_asked(const detail::CentredTable& table, std::size_t rank,
                          const Context& context) {
  const std::size_t side = std::min(table.rows(), table.cols());
  Choice choice;
  choice.rank = rank;
  choice.words = "rank " + std::to_string(rank) + " as asked";
  if (side > largest_exact_side && 4 * rank <= side) {
    choice.decomposition = decompose_truncated(table, rank, squared_norm(table, context), context);
  } else {
    choice.decomposition = decompose_products(table, rank, context);
  }
  return choice;
}

/// (points - mean) * components^T over fixed blocks of rows.
Matrix<double> scores_of(const Matrix<double>& components, std::span<const double> mean,
                         const detail::TableSource& points, const Context& context) {
  constexpr std::size_t block = 256;
  const std::size_t d = points.cols();
  const std::size_t rank = components.rows();
  auto scores = Matrix<double>::uninitialized(points.rows(), rank);
  // In rounds of well below a second, between which a run can be stopped.
  constexpr std::size_t work_a_round = std::size_t{1} << 31U;
  const std::size_t affordable = work_a_round / (block * d * std::max<std::size_t>(1, rank));
  const std::size_t n_threads = context.executor != nullptr ? context.executor->n_threads() : 1;
  const std::size_t n_at_once = n_threads * block * std::max<std::size_t>(1, affordable);
  const auto place_rows = [&](MatrixView<const double> slab, std::size_t first) {
    context.report_or_throw({.stage = "pca", .done = first, .total = points.rows()});
    parallel_for(context, slab.rows, block, [&](std::size_t begin, std::size_t end) {
      Matrix<double> centred(end - begin, d);
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < d; ++j) centred(i - begin, j) = slab(i, j) - mean[j];
      }
      detail::gemm(1.0, centred.view(), false, components.view(), true, 0.0,
                   {scores.row(first + begin).data(), end - begin, rank, rank});
    });
  };
  const auto place = [&](MatrixView<const double> slab, std::size_t first) {
    for (std::size_t begin = 0; begin < slab.rows; begin += n_at_once) {
      const std::size_t n = std::min(n_at_once, slab.rows - begin);
      place_rows({slab.data + begin * slab.stride, n, slab.cols, slab.stride}, first + begin);
    }
  };
  for_each_slab(points, block, context, place);
  return scores;
}

/// For a rank that shows no more of clusters than where they are, though what it discards is as
/// much of their inside: more directions, or all of a table of few columns.
Choice with_inside_of_clusters(Choice choice) {
  const detail::SignalRank& signal = choice.signal;
  const std::string clusters = std::to_string(signal.rank + 1) + " round clusters";
  const std::size_t n_varying = signal.rank + signal.n_discarded;
  choice.rank = std::min(n_varying, fewest_of_clusters);
  choice.was_reduced = choice.rank < n_varying || choice.rank < choice.decomposition.values.size();
  choice.words = choice.was_reduced
                     ? "rank " + std::to_string(choice.rank) + " chosen: the leading " +
                           std::to_string(signal.rank) + " directions hold " + clusters +
                           ", as wide there as in the others"
                     : "nothing cut: " + clusters + " are as wide in all directions";
  return choice;
}

Pca pca_of(const detail::TableSource& points, const PcaOptions& options, const Context& context) {
  context.report_or_throw({.stage = "pca", .done = 0, .total = 3});
  // What is wrong with the table comes first, and is seen while its mean is found.
  const detail::CentredTable table = detail::centre(points, context);
  refuse_if_any(issues_with(options, table.rows(), table.cols()));
  const bool is_short = std::min(table.rows(), table.cols()) <= largest_exact_side;
  Choice choice = options.rank ? decompose_as_asked(table, *options.rank, context)
                  : is_short   ? choose_from_all(table, context)
                               : choose_from_leading(table, context);
  Pca result;
  for (const double value : choice.decomposition.values) {
    result.singular_values.push_back(value / table.scale);
  }
  for (const double mean : table.mean) result.mean.push_back(mean / table.scale);
  const auto place = [&] {
    result.choice = choice.words + " (" + choice.decomposition.how + ")";
    result.was_reduced = choice.was_reduced;
    result.components = {};
    result.scores = {};
    if (!choice.was_reduced && options.leaves_out_uncut) return;
    result.components = components_of(choice.decomposition, choice.rank, table, context);
    result.scores = scores_of(result.components, result.mean, points, context);
  };
  place();
  if (choice.signal.rank > 0 && choice.rank < fewest_of_clusters &&
      detail::are_round_clusters(std::as_const(result.scores).view(), table.scale,
                                 choice.signal.noise_of_scores)) {
    choice = with_inside_of_clusters(std::move(choice));
    place();
    result.has_round_clusters = true;
  }
  return result;
}

}  // namespace

std::vector<std::string> issues_with(const PcaOptions& options, std::size_t rows,
                                     std::size_t cols) {
  std::vector<std::string> complaints;
  const std::size_t most = std::min(rows, cols);
  if (options.rank && (*options.rank < 1 || *options.rank > most)) {
    complaints.push_back("pca.rank is " + std::to_string(*options.rank) + ": give 1 to " +
                         std::to_string(most) + " for a table of " + std::to_string(rows) +
                         " rows and " + std::to_string(cols) +
                         " columns, or none to have it chosen");
  }
  return complaints;
}

Pca pca(MatrixView<const double> points, const PcaOptions& options, const Context& context) {
  return pca_of(points, options, context);
}

Pca pca(MatrixView<const float> points, const PcaOptions& options, const Context& context) {
  return pca_of(points, options, context);
}

bool streams_into_pca(std::size_t cols) { return cols <= largest_exact_side; }

Pca pca(RowBlocks& points, const PcaOptions& options, const Context& context) {
  if (!streams_into_pca(points.cols())) {
    refuse_if_any({"the table has " + std::to_string(points.cols()) +
                   " columns: in blocks of rows it is reduced up to " +
                   std::to_string(largest_exact_side) + " (give the whole table)"});
  }
  return pca_of(detail::TableSource(points), options, context);
}

Matrix<double> project(const Pca& pca, MatrixView<const double> points, const Context& context) {
  require_finite(points);
  if (points.cols != pca.mean.size()) {
    refuse_if_any({"the table has " + std::to_string(points.cols) + " columns: give the " +
                   std::to_string(pca.mean.size()) + " that the PCA was fitted on"});
  }
  return scores_of(pca.components, pca.mean, points, context);
}

}  // namespace geotherm
