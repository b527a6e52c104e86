// Experiment 5, beyond the paper: does the distance from a root cell follow known time? One job is
// one method on one data set. Two peers that run in Python stand beside ours
// (time_order_peers.hpp).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "chart_svg.hpp"
#include "experiments.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "kendall.hpp"
#include "sweep.hpp"
#include "time_courses.hpp"
#include "time_order_peers.hpp"

namespace geotherm::cli {
namespace of_time_order {

/// In the order of bench/time_order/peers.py, which names the same files.
struct OrderedSet {
  TimeCourse course;
  const char* what;
  const char* labels = nullptr;  ///< branches, where the set has them
};
constexpr std::array sets = {
    OrderedSet{{"guo", "guo.npz", "X", "time"}, "mouse embryos of 2 to 64 cells, qPCR"},
    OrderedSet{{"HSMM", "hsmm.npz", "X", "time"}, "myoblasts at 0, 24, 48, 72 h"},
    OrderedSet{{"Morarach", "morarach20_pca.npz", "X_pca", "latent_time"},
               "enteric neurons; time is scVelo's latent time, itself an estimate"},
    OrderedSet{{"EMT", "tigon_EMT_3133x3.npz", "X", "time"}, "five time points"},
    OrderedSet{{"Weinreb", "weinreb_781_pca50.npz", "X_pca", "time"},
               "haematopoiesis at days 2, 4, 6: many fates, so time is a weak guide"},
    OrderedSet{{"krumsiek11", "krumsiek11.npz", "X", "time"},
               "simulated differentiation, 4 branches of 160 steps",
               "label"},
};

MethodOptions exact_pairs() { return {.landmarks = std::nullopt}; }

Matrix<double> rows_of(const DistanceRun& run, std::span<const Index> rows) {
  const Matrix<double>& all = run.dissimilarity.values;
  Matrix<double> some(rows.size(), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = all.row(static_cast<std::size_t>(rows[i]));
    std::copy(from.begin(), from.end(), some.row(i).begin());
  }
  return some;
}

/// A method as distances from the rows given: r x n.
struct OrderMethod {
  const char* name;
  Matrix<double> (*from)(const Matrix<double>& points, std::span<const Index> rows, const Context&);
};
constexpr std::array order_methods = {
    OrderMethod{"Heat-Geo, our defaults",
                [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
                  return heat_geo_distances_from(points.view(), rows, exact_pairs(), c).rows;
                }},
    OrderMethod{
        "Heat-Geo, as published",
        [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
          return heat_geo_distances_from(points.view(), rows, as_published(exact_pairs()), c).rows;
        }},
    OrderMethod{"PHATE",
                [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
                  return rows_of(phate_distances(points.view(), exact_pairs(), c), rows);
                }},
    OrderMethod{"Diffusion distance, 20 steps",
                [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
                  MethodOptions options = exact_pairs();
                  options.time_choice.reset();
                  options.heat.time = 20;
                  return rows_of(diffusion_map_distances(points.view(), options, c), rows);
                }},
    OrderMethod{"Shortest path",
                [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
                  return rows_of(shortest_path_distances(points.view(), exact_pairs(), c), rows);
                }},
    OrderMethod{"Euclidean distance",
                [](const Matrix<double>& points, std::span<const Index> rows, const Context& c) {
                  DistanceRun run;
                  run.dissimilarity.values = pairwise_distances(points, c);
                  return rows_of(run, rows);
                }},
};

/// Of the earliest hundredth of the cells (all of the first time point at least), the one nearest
/// to their mean.
Index root_of(const Cells& cells) {
  std::vector<double> sorted = cells.time;
  std::sort(sorted.begin(), sorted.end());
  const double latest = sorted[(sorted.size() + 99) / 100 - 1];
  std::vector<double> mean(cells.points.cols(), 0.0);
  double count = 0;
  for (std::size_t i = 0; i < cells.time.size(); ++i) {
    if (cells.time[i] > latest) continue;
    ++count;
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += cells.points(i, c);
  }
  Index root = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cells.time.size(); ++i) {
    if (cells.time[i] > latest) continue;
    double distance = 0;
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double step = cells.points(i, c) - mean[c] / count;
      distance += step * step;
    }
    if (distance >= nearest) continue;
    nearest = distance;
    root = static_cast<Index>(i);
  }
  return root;
}

/// The last cell of every branch, by the name of the branch.
std::map<std::string, Index> tips_of(const Cells& cells) {
  const double last = *std::max_element(cells.time.begin(), cells.time.end());
  std::map<std::string, Index> tips;
  for (std::size_t i = 0; i < cells.time.size(); ++i) {
    if (cells.time[i] == last) tips.emplace(cells.labels[i], static_cast<Index>(i));
  }
  return tips;
}

/// Share of the cells from step 80 on (which scanpy calls by the branch's name) that lie on the way
/// from root to their own tip with a smaller detour than to any other. `rows`: root, then tips.
double branch_share(const Cells& cells, const std::map<std::string, Index>& tips,
                    const Matrix<double>& rows) {
  std::size_t judged = 0, right = 0;
  for (std::size_t i = 0; i < cells.time.size(); ++i) {
    if (cells.time[i] < 80) continue;
    ++judged;
    double least = std::numeric_limits<double>::infinity();
    std::string found;
    std::size_t row = 1;
    for (const auto& [name, tip] : tips) {
      const double detour = rows(0, i) + rows(row, i) - rows(0, static_cast<std::size_t>(tip));
      ++row;
      if (detour >= least) continue;
      least = detour;
      found = name;
    }
    right += found == cells.labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(judged);
}

nlohmann::json with_interval(std::span<const double> a, std::span<const double> b,
                             double (*measure)(std::span<const double>, std::span<const double>),
                             std::size_t n_resamples, const Context& context) {
  const Interval interval =
      bootstrap_interval(a, b, measure, {.n_resamples = n_resamples}, context);
  return {measure(a, b), interval.low, interval.high};
}

nlohmann::json measure(const OrderedSet& set, const OrderMethod& method,
                       const std::filesystem::path& path, std::size_t n_resamples,
                       const Context& context) {
  const Cells cells = read_cells(set.course, path, set.labels);
  std::vector<Index> rows = {root_of(cells)};
  std::map<std::string, Index> tips;
  if (set.labels != nullptr) tips = tips_of(cells);
  for (const auto& [name, tip] : tips) rows.push_back(tip);
  const Matrix<double> distances = method.from(cells.points, rows, context);
  nlohmann::json found = {
      {"root", rows[0]},
      {"n", cells.time.size()},
      {"spearman", with_interval(distances.row(0), cells.time, spearman, n_resamples, context)},
      {"kendall", with_interval(distances.row(0), cells.time, kendall, n_resamples, context)}};
  if (!tips.empty()) found["branch_share"] = branch_share(cells, tips, distances);
  return found;
}

std::size_t n_resamples_for(const ReproduceSettings& settings) {
  return settings.quick ? 200 : 1000;
}

nlohmann::json key_for(const OrderedSet& set, const OrderMethod& method,
                       const ReproduceSettings& settings) {
  return {{"label", fmt::format("time order: {}, {}", set.course.name, method.name)},
          {"experiment", "time-order"},
          {"file", fingerprint(file_of(set.course, settings))},
          {"method", method.name},
          {"resamples", n_resamples_for(settings)},
          {"defaults", key_of_defaults()}};
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  for (const OrderedSet& set : sets) {
    const auto path = file_of(set.course, settings);
    if (path.empty()) continue;
    for (const OrderMethod& method : order_methods) {
      const std::size_t n_resamples = n_resamples_for(settings);
      all.push_back({key_for(set, method, settings), 1, [=](const Context& context) {
                       return measure(set, method, path, n_resamples, context);
                     }});
    }
  }
  return all;
}

std::string with_interval_in_words(const nlohmann::json& value) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.at(0).get<double>(),
                     value.at(1).get<double>(), value.at(2).get<double>());
}

std::vector<std::string> row_of(const OrderedSet& set, const std::string& method,
                                const nlohmann::json& found) {
  return {set.course.name, method, with_interval_in_words(found.at("spearman")),
          with_interval_in_words(found.at("kendall")),
          found.contains("branch_share")
              ? fmt::format("{:.1f} %", 100 * found.at("branch_share").get<double>())
              : "–"};
}

nlohmann::json peers() {
  return time_order_peers.empty() ? nlohmann::json::object()
                                  : nlohmann::json::parse(time_order_peers);
}

/// The row of a peer, or null where it was not run on this set (or from another root).
const nlohmann::json* peer_row(const nlohmann::json& all, const OrderedSet& set,
                               const std::string& method) {
  if (!all.contains("rows")) return nullptr;
  for (const nlohmann::json& row : all.at("rows")) {
    if (row.at("data") == set.course.name && row.at("method") == method) return &row;
  }
  return nullptr;
}

constexpr std::array peer_names = {"diffusion pseudotime (scanpy)", "Palantir"};

Section present(const ReproduceSettings& settings, const Results& results) {
  Section section = {.title = "Distance from the root against time",
                     .paragraphs = {},
                     .tables = {},
                     .figures = {}};
  const nlohmann::json other = peers();
  std::string sets_in_words;
  for (const OrderedSet& set : sets) {
    sets_in_words +=
        fmt::format("{}{}: {}", sets_in_words.empty() ? "" : "; ", set.course.name, set.what);
  }
  section.paragraphs = {
      "Not in the paper. The cells' own times are not used by any method; a good geodesic distance "
      "from an early cell should rise with them. " +
          sets_in_words + ".",
      "**Root**, the same for every method: of the earliest hundredth of the cells (all of the "
      "first "
      "time point at least) the one nearest to their mean. **Scores**: Spearman's and Kendall's "
      "(tau-b) correlation of distance and time over all cells, with the 95 % interval over "
      "resampled cells; the root stays. **Branches** (krumsiek11): share of the cells from step 80 "
      "on that are given to their own branch, the one on whose way from root to tip they lie with "
      "the smallest detour; for Palantir the tip of highest probability. Every method has its own "
      "defaults, but for the diffusion distance, whose one step says little of far cells.",
      other.contains("made_with")
          ? fmt::format(
                "The two peers were run by `bench/time_order/peers.py`: palantir {}, scanpy {}.",
                other.at("made_with").value("palantir", "?"),
                other.at("made_with").value("scanpy", "?"))
          : "The two peers were not run: `bench/time_order/peers.py` does that.",
  };
  Table table = {.caption = "Root distance against time",
                 .columns = {"data", "method", "Spearman [95 %]", "Kendall [95 %]", "own branch"},
                 .rows = {}};
  std::vector<ChartSeries> dots;
  dots.reserve(order_methods.size() + peer_names.size());
  for (const OrderMethod& method : order_methods)
    dots.push_back({.name = method.name, .has_line = false});
  for (const char* name : peer_names) dots.push_back({.name = name, .has_line = false});
  std::vector<std::string> names;
  for (const OrderedSet& set : sets) {
    std::size_t next = 0;  // of the methods
    const auto add = [&](const std::string& method, const nlohmann::json* found,
                         const std::string& why) {
      ChartSeries& of_method = dots[next++];
      if (found != nullptr) {
        // Side by side, in the order of the table.
        const double shift =
            (static_cast<double>(next) - 0.5) / static_cast<double>(dots.size()) - 0.5;
        of_method.x.push_back(static_cast<double>(names.size()) + 0.7 * shift);
        of_method.y.push_back(found->at("spearman").at(0));
        of_method.spread.push_back((found->at("spearman").at(2).get<double>() -
                                    found->at("spearman").at(1).get<double>()) /
                                   2);
      }
      table.rows.push_back(found != nullptr
                               ? row_of(set, method, *found)
                               : std::vector<std::string>{set.course.name, method, why, "–", "–"});
    };
    nlohmann::json root;
    for (const OrderMethod& method : order_methods) {
      if (file_of(set.course, settings).empty()) {
        add(method.name, nullptr, data_is_missing(settings, set.course.file));
        continue;
      }
      const auto key = key_for(set, method, settings);
      const nlohmann::json* found = results.of(key);
      if (found != nullptr) root = found->at("root");
      add(method.name, found, results.reason(key));
    }
    for (const char* name : peer_names) {
      const nlohmann::json* found = peer_row(other, set, name);
      const bool has_other_root = found != nullptr && !root.is_null() && found->at("root") != root;
      add(name, has_other_root ? nullptr : found,
          has_other_root ? "not run from this root" : "not run");
    }
    names.push_back(set.course.name);
  }
  section.tables.push_back(std::move(table));
  section.figures.push_back(
      {.name = "time_order",
       .caption = "Root distance against time: Spearman, by data set and method.",
       .svg = chart_svg(dots, {.title = "Distance from the root against time",
                               .y_title = "Spearman",
                               .x_names = names,
                               .width = 900})});
  return section;
}

}  // namespace of_time_order

const Experiment time_order_experiment = {
    "time-order", "beyond the paper: distance from a root cell against known time, six data sets",
    of_time_order::jobs, of_time_order::present};

}  // namespace geotherm::cli
