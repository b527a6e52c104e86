// Laplacian -> diffusion time, from the entropy of the kernel over a range of times: where heat
// covers a share of the points, or at the knee.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/median.hpp"
#include "core/vector_log.hpp"
#include "geotherm/heat.hpp"
#include "heat/blockwise_kernel.hpp"
#include "heat/chebyshev.hpp"
#include "heat/methods.hpp"
#include "heat/symmetric_form.hpp"

namespace geotherm {
namespace {

constexpr double entropy_floor = 1e-10;  // inside the logarithm, as published
constexpr double tolerance = 1e-12;

/// Median of the positive diagonal entries: how often a typical point is left in unit time.
double typical_rate(const SparseMatrix& l) {
  std::vector<double> diagonal;
  for (std::size_t i = 0; i < l.rows; ++i) {
    const double value = l.values[l.find(i, static_cast<Index>(i))];
    if (value > 0) diagonal.push_back(value);
  }
  if (diagonal.empty()) return 1;
  return detail::median(std::move(diagonal));
}

std::vector<double> jumps_between(double fewest, double most, int n_times, double rate) {
  std::vector<double> times;
  for (int i = 0; i < n_times; ++i) {
    const double share = static_cast<double>(i) / (n_times - 1);
    times.push_back(fewest * std::pow(most / fewest, share) / rate);
  }
  return times;
}

std::vector<double> default_candidates(const TimeOptions& options, double rate) {
  if (options.rule == TimeRule::knee) return jumps_between(0.1, 500, 30, rate);
  return jumps_between(std::min(0.1, options.fewest_jumps), options.most_jumps, 20, rate);
}

/// Hops between the ends of the graph (of the component of its first point): from any point to the
/// farthest, and from there to the farthest again. Exact on trees, a lower bound elsewhere.
std::size_t length_in_hops(const SparseMatrix& l) {
  std::vector<Index> queue;
  std::vector<std::size_t> hops;
  Index start = 0;
  for (int sweep = 0; sweep < 2; ++sweep) {
    hops.assign(l.rows, l.rows);
    queue.assign(1, start);
    hops[static_cast<std::size_t>(start)] = 0;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const auto i = static_cast<std::size_t>(queue[k]);
      const double rate = l.values[l.find(i, queue[k])];
      for (std::size_t e = l.offsets[i]; e < l.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(l.indices[e]);
        constexpr double least = 1e-6;  // share of jumps: edges that are down-weighted are none
        if (hops[j] < l.rows || -l.values[e] < least * rate) continue;
        hops[j] = hops[i] + 1;
        queue.push_back(l.indices[e]);
      }
    }
    start = queue.back();
  }
  return hops[static_cast<std::size_t>(start)];
}

/// With `most_jumps` for a graph of so many hops.
TimeOptions for_length(TimeOptions options, double hops) {
  constexpr double usual_hops = 100, usual_jumps = 200, most_hops = 1000;
  if (hops > most_hops) return options;
  const double share = hops / usual_hops;
  options.most_jumps = std::max(options.most_jumps,
                                std::min(options.jumps_a_hop * hops, usual_jumps * share * share));
  return options;
}

/// Positions of the rows to look at: all of them, or every so many.
std::vector<std::size_t> chosen_rows(const detail::SymmetricForm& form,
                                     std::optional<std::size_t> max_rows) {
  constexpr std::size_t fewest = 16, most = 128, most_products = 12'000'000;  // rows x entries
  const std::size_t n = form.size();
  const std::size_t affordable =
      std::clamp(most_products / std::max<std::size_t>(1, form.matrix.values.size()), fewest, most);
  const std::size_t n_chosen = std::min(n, max_rows.value_or(affordable));
  std::vector<std::size_t> rows(n_chosen);
  for (std::size_t r = 0; r < n_chosen; ++r) {
    rows[r] = static_cast<std::size_t>(form.order.position[r * n / n_chosen]);
  }
  return rows;
}

/// What every row of a block adds to -sum H log(H + 1e-10), column by column. Columns of chosen
/// rows alone; factors turn the symmetric form back.
double block_entropy(const detail::SymmetricForm& form, const detail::Block& sums,
                     std::span<const std::size_t> rows) {
  using detail::narrow_block;
  constexpr std::size_t n_together = 64;  // rows whose logarithms are taken at once
  double heat[n_together * narrow_block], logs[n_together * narrow_block];
  double own[narrow_block], of_column[narrow_block] = {};
  for (std::size_t c = 0; c < narrow_block; ++c) {
    own[c] = form.scale.empty() || c >= rows.size() ? 1.0 : form.scale[rows[c]];
  }
  for (std::size_t begin = 0; begin < form.size(); begin += n_together) {
    const std::size_t n_rows = std::min(n_together, form.size() - begin);
    for (std::size_t r = 0; r < n_rows; ++r) {
      const double* const sum = sums.row(begin + r);
      const double scale = form.scale.empty() ? 1.0 : form.scale[begin + r];
      for (std::size_t c = 0; c < narrow_block; ++c) {
        const double h = sum[c] * (scale / own[c]);
        heat[r * narrow_block + c] = h > 0 ? h : 0;
      }
    }
    for (std::size_t k = 0; k < n_rows * narrow_block; ++k) logs[k] = heat[k] + entropy_floor;
    detail::log_in_place(logs, n_rows * narrow_block);
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t c = 0; c < narrow_block; ++c) {
        of_column[c] -= heat[r * narrow_block + c] * logs[r * narrow_block + c];
      }
    }
  }
  double entropy = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) entropy += of_column[c];
  return entropy;
}

/// -sum H log(H + 1e-10) over the chosen rows, one value a time.
std::vector<double> entropies_at(const detail::SymmetricForm& form, std::span<const double> times,
                                 std::span<const std::size_t> rows, const Context& context) {
  using namespace detail;
  const std::size_t n = form.size();
  const ChebyshevRecurrence recurrence(form);
  std::vector<ChebyshevSeries> all_series;
  for (const double time : times) {
    all_series.push_back(chebyshev_series(time, form.spectral_bound, tolerance));
  }
#ifdef GEOTHERM_WITH_CUDA
  if (Device* device = device_of(context)) {
    std::vector<std::span<const double>> coefficients;
    for (const ChebyshevSeries& series : all_series) coefficients.emplace_back(series.coefficients);
    std::vector<double> found = device_entropies(*device, recurrence.matrix(), coefficients, rows,
                                                 form.scale, entropy_floor);
    const double all = static_cast<double>(n) / static_cast<double>(rows.size());
    for (double& entropy : found) entropy *= all;
    return found;
  }
#endif
  // Each time keeps a block of its own: as many at once as fit in half a gigabyte a thread.
  const std::size_t at_once =
      std::max<std::size_t>(1, (std::size_t{1} << 29) / (n * narrow_block * sizeof(double) + 1));
  const std::size_t n_blocks = (rows.size() + narrow_block - 1) / narrow_block;
  Matrix<double> partial(n_blocks, times.size());
  run_blocks(context, "diffusion time", n_blocks, [&](std::size_t b) {
    const std::size_t first = b * narrow_block;
    const std::size_t n_columns = std::min(narrow_block, rows.size() - first);
    std::vector<Block> sums;
    for (std::size_t s = 0; s < std::min(at_once, times.size()); ++s) {
      sums.emplace_back(n, narrow_block);
    }
    for (std::size_t group = 0; group < times.size(); group += at_once) {
      const std::size_t n_now = std::min(at_once, times.size() - group);
      Block units(n, narrow_block);
      for (std::size_t c = 0; c < n_columns; ++c) units.row(rows[first + c])[c] = 1;
      recurrence.run_many(std::span(all_series).subspan(group, n_now), std::move(units), sums);
      for (std::size_t s = 0; s < n_now; ++s) {
        partial(b, group + s) = block_entropy(form, sums[s], rows.subspan(first, n_columns));
      }
    }
  });
  std::vector<double> entropies(times.size());
  const double scale_up = static_cast<double>(n) / static_cast<double>(rows.size());
  for (std::size_t b = 0; b < n_blocks; ++b) {
    for (std::size_t s = 0; s < times.size(); ++s) entropies[s] += partial(b, s);
  }
  for (double& entropy : entropies) entropy *= scale_up;
  return entropies;
}

/// Where a rising curve passes a level, between candidates in the logarithm of time.
std::optional<double> time_of_level(std::span<const double> times, std::span<const double> curve,
                                    double level) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (curve[i - 1] > level || curve[i] < level) continue;
    const double rise = curve[i] - curve[i - 1];
    const double share = rise > 0 ? (level - curve[i - 1]) / rise : 0.5;
    return times[i - 1] * std::pow(times[i] / times[i - 1], share);
  }
  return std::nullopt;
}

/// Entropy of n rows whose perplexity is a share of n.
double entropy_of_share(double share, std::size_t n) {
  const double points = static_cast<double>(n);
  return points * std::log(std::max(1.0, share * points));
}

/// Looks at the times in turn and leaves out those that choose_by_reach would not use: past the
/// fewest jumps, where the share has been reached by then. Long times cost most.
void look_for_reach(TimeChoice& choice, const TimeOptions& options,
                    const detail::SymmetricForm& form, double rate, const Context& context) {
  const std::vector<std::size_t> rows = chosen_rows(form, options.max_rows);
  const std::span<const double> times = choice.times;
  const double wanted = entropy_of_share(options.share, form.size());
  const auto past_fewest =
      std::lower_bound(times.begin(), times.end(), options.fewest_jumps / rate);
  auto n_first = std::min(times.size(), static_cast<std::size_t>(past_fewest - times.begin()) + 1);
  if (n_first < times.size()) {
    // A few rows say whether it is worth while to stop there.
    std::vector<std::size_t> few;
    for (std::size_t r = 0; r < rows.size(); r += 4) few.push_back(rows[r]);
    const std::span<const double> last = times.subspan(n_first - 1, 1);
    if (entropies_at(form, last, few, context).front() < wanted) n_first = times.size();
  }
  choice.entropies = entropies_at(form, times.first(n_first), rows, context);
  if (n_first == times.size()) return;
  if (choice.entropies.back() < wanted) {
    const auto rest = entropies_at(form, times.subspan(n_first), rows, context);
    choice.entropies.insert(choice.entropies.end(), rest.begin(), rest.end());
  } else {
    choice.times.resize(n_first);
  }
}

void choose_by_reach(TimeChoice& choice, const TimeOptions& options, std::size_t n, double rate) {
  const auto time_of_share = [&](double share) {
    const double level = entropy_of_share(share, n);
    if (choice.entropies.front() > level) return choice.times.front();
    return time_of_level(choice.times, choice.entropies, level).value_or(choice.times.back());
  };
  const double time = time_of_share(options.share);
  // Where heat is nearly everywhere no distance is left to read: small and dense graphs stop
  // before.
  constexpr double nearly_all = 0.95;
  const double latest = time_of_share(nearly_all);
  const double fewest = std::min(options.fewest_jumps / rate, latest);
  const double most = options.most_jumps / rate;
  choice.time = std::clamp(time, fewest, std::max(fewest, most));
  const double brief = options.short_jumps / rate;
  if (brief > 0 && choice.time >= 2 * brief) choice.short_time = brief;
  if (time < fewest) {
    choice.how = fewest < latest ? "its lower bound: heat spreads fast"
                                 : "before heat is everywhere: the graph is small or dense";
  } else if (time >= most) {
    choice.how = "its upper bound: heat spreads slowly";
  } else {
    choice.how = "heat covers its share of the points";
  }
}

void choose_by_knee(TimeChoice& choice, const TimeOptions& options, const Context& context) {
  if (const auto knee = find_knee(choice.times, choice.entropies, options.sensitivity)) {
    choice.time = choice.times[*knee];
    choice.how = "knee";
    return;
  }
  const auto [low, high] = std::minmax_element(choice.entropies.begin(), choice.entropies.end());
  choice.time = time_of_level(choice.times, choice.entropies, *low + (*high - *low) / 2)
                    .value_or(choice.times[choice.times.size() / 2]);
  choice.how = "no knee in the entropy: the time at which it is halfway between its ends";
  context.warn("diffusion time: " + choice.how);
}

}  // namespace

std::vector<std::string> issues_with(const TimeOptions& options) {
  using detail::in_words;
  std::vector<std::string> issues;
  for (std::size_t i = 0; i < options.candidates.size(); ++i) {
    const double time = options.candidates[i];
    if (!(time > 0) || !std::isfinite(time)) {
      issues.push_back("candidates has " + in_words(time) + ": give finite times above 0");
    } else if (i > 0 && time <= options.candidates[i - 1]) {
      issues.push_back("candidates has " + in_words(time) + " after " +
                       in_words(options.candidates[i - 1]) + ": give rising times");
    }
  }
  if (!(options.sensitivity > 0) || !std::isfinite(options.sensitivity)) {
    issues.push_back("sensitivity is " + in_words(options.sensitivity) +
                     ": give a finite number above 0");
  }
  if (!(options.share > 0 && options.share < 1)) {
    issues.push_back("share is " + in_words(options.share) + ": give a share in (0, 1)");
  }
  if (!(options.fewest_jumps > 0 && options.fewest_jumps <= options.most_jumps &&
        std::isfinite(options.most_jumps))) {
    issues.push_back("fewest_jumps is " + in_words(options.fewest_jumps) + " and most_jumps " +
                     in_words(options.most_jumps) +
                     ": give finite numbers above 0, the first no larger");
  }
  if (!(options.short_jumps >= 0) || !std::isfinite(options.short_jumps)) {
    issues.push_back("short_jumps is " + in_words(options.short_jumps) +
                     ": give a finite number >= 0");
  }
  if (!(options.jumps_a_hop >= 0) || !std::isfinite(options.jumps_a_hop)) {
    issues.push_back("jumps_a_hop is " + in_words(options.jumps_a_hop) +
                     ": give a finite number >= 0");
  }
  if (options.max_rows && *options.max_rows < 1) issues.push_back("max_rows is 0: give 1 or more");
  return issues;
}

TimeChoice choose_time(const Laplacian& laplacian, const TimeOptions& given,
                       const Context& context) {
  refuse_if_any(issues_with(given));
  const detail::SymmetricForm form = detail::symmetric_form(laplacian);
  if (form.size() == 0) throw InvalidArgument("laplacian has 0 points: give at least 1");
  const bool is_by_reach = given.rule == TimeRule::reach;
  const double hops = is_by_reach ? static_cast<double>(length_in_hops(form.matrix)) : 0;
  const TimeOptions options = for_length(given, hops);
  TimeChoice choice;
  choice.sees_all = hops <= options.most_jumps;
  const double rate = typical_rate(form.matrix);
  choice.times =
      options.candidates.empty() ? default_candidates(options, rate) : options.candidates;
  if (options.rule == TimeRule::reach && options.candidates.empty()) {
    look_for_reach(choice, options, form, rate, context);
  } else {
    choice.entropies =
        entropies_at(form, choice.times, chosen_rows(form, options.max_rows), context);
  }
  if (options.rule == TimeRule::reach) {
    choose_by_reach(choice, options, form.size(), rate);
  } else {
    choose_by_knee(choice, options, context);
  }
  return choice;
}

}  // namespace geotherm
